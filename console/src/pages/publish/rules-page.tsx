/** The publishing rules: which signals become items by themselves. */
import type { PublishRule } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { badgeColumn, linkColumn, menuColumn, textColumn } from '../../parts/column-kinds.tsx';
import { ConfirmDialog, useDialogCall } from '../../parts/form.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { rulesRenewed } from './rule-editor.tsx';
import { OutcomesCard } from './rule-outcomes.tsx';
import { summaryOf } from './rule-outcomes-text.ts';

/** The page. */
export default function RulesPage() {
  const isAdmin = useIsAdmin();
  const [isShown, setShown] = useState(false);
  const [removed, setRemoved] = useState<PublishRule | null>(null);
  const rules = useRpc('console.rules.list');
  const preview = useRpc('console.rules.preview', {}, { isEnabled: isShown });
  const run = useRpcChange('console.rules.run', rulesRenewed, (report) => notify(summaryOf(report)));
  const list = rules.data?.rules;
  const names = useMemo(() => new Map(list?.map(({ id, name }) => [id, name])), [list]);
  const add = isAdmin && (
    <LinkButton to={href('/rules/new')} icon="plus" tone="primary">
      New rule
    </LinkButton>
  );
  const actions = (
    <>
      <Button
        isPending={preview.isFetching}
        onPress={() => (isShown ? void preview.refetch() : setShown(true))}
      >
        Preview all
      </Button>
      {isAdmin && (
        <Button isPending={run.isPending} onPress={() => run.mutate({})}>
          Run now
        </Button>
      )}
      {add}
    </>
  );
  return (
    <Page
      title="Publishing rules"
      lead="Signals that a rule matches become items when they are saved. The rule with the lowest position decides; conflicts are shown and change nothing."
    >
      <TableCard
        title="Rules"
        name="rules"
        of={rules}
        list={list}
        columns={isAdmin ? [...columns, ruleMenu(setRemoved)] : columns}
        idOf={({ id }) => id}
        height="300px"
        actions={actions}
        empty={
          <EmptyState icon="publish" title="No rule yet" action={add}>
            <p>Without rules, signals become items only when someone publishes them.</p>
          </EmptyState>
        }
      />
      {run.error && <ErrorNotice error={run.error} />}
      {preview.error && <ErrorNotice error={preview.error} />}
      {isShown && <OutcomesCard title="What a run would do now" report={preview.data} names={names} />}
      {removed && <RemoveDialog rule={removed} onClose={() => setRemoved(null)} />}
    </Page>
  );
}

const columns: Column<PublishRule>[] = [
  linkColumn(
    'Rule',
    ({ name }) => name,
    ({ id }) => href(`/rules/${id}`),
  ),
  {
    id: 'position',
    title: 'Position',
    isNumber: true,
    width: '100px',
    cell: ({ position }) => String(position),
  },
  badgeColumn('enabled', 'State', ({ enabled }) => (enabled ? ['enabled', 'good'] : ['disabled']), {
    width: '110px',
  }),
  textColumn('filter', 'Signals', ({ filter }) => JSON.stringify(filter), { isCode: true, width: '2fr' }),
  textColumn('item', 'Item', ({ item }) => item?.name ?? '', { isCode: true, width: '1.6fr' }),
];

function ruleMenu(remove: (rule: PublishRule) => void): Column<PublishRule> {
  return menuColumn(
    ({ name }) => name,
    (rule) => [
      { text: 'Change …', icon: 'pencil', run: () => navigate(href(`/rules/${rule.id}`)) },
      { text: 'Delete …', icon: 'trash', isDanger: true, run: () => remove(rule) },
    ],
  );
}

function RemoveDialog({ rule, onClose }: { rule: PublishRule; onClose(): void }) {
  const remove = useDialogCall('console.rules.delete', rulesRenewed, 'Rule deleted', onClose);
  return (
    <ConfirmDialog
      title={`Delete the rule “${rule.name}”?`}
      action="Delete rule"
      sending={remove}
      onSubmit={() => remove.mutate({ id: rule.id })}
      onClose={onClose}
    >
      <p>The items that it made stay; signals that are saved later are not published by it any more.</p>
    </ConfirmDialog>
  );
}
