/** One publishing rule: its form, and what it would do. */
import { EmptyState, Failure, Waiting } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { href, type PageProps } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { draftOfRule, newRule } from './rule-draft.ts';
import { RuleEditor } from './rule-editor.tsx';

const back = { to: href('/rules'), text: 'Publishing rules' };

/** The page; the ID `new` is a rule that is not saved yet. */
export default function RulePage({ params: { id = '' } }: PageProps) {
  const rules = useRpc('console.rules.list');
  const rule = rules.data?.rules.find((known) => known.id === id);
  if (id === 'new')
    return (
      <Page title="New publishing rule" back={back}>
        <RuleEditor first={newRule} id={null} />
      </Page>
    );
  return (
    <Page title={rule?.name ?? 'Publishing rule'} back={back}>
      <Failure of={rules} />
      {rules.isPending && <Waiting />}
      {rules.data && !rule && <EmptyState icon="publish" title="There is no such rule" />}
      {rule && <RuleEditor key={rule.id} first={draftOfRule(rule)} id={rule.id} />}
    </Page>
  );
}
