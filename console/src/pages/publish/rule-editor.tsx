/** The form of a publishing rule, with what it would do while it is edited. */
import { type ReactNode, useMemo, useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { useRested } from '../../parts/in-sight.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError, RpcError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { useIntegrationNames } from '../integrations/names.ts';
import { joinKinds, type RuleDraft, type RuleSave, ruleOf } from './rule-draft.ts';
import { OutcomesCard } from './rule-outcomes.tsx';

/** The answers that a change of rules renews. */
export const rulesRenewed = [
  'console.rules.list',
  'console.rules.preview',
  'service.selectItems',
  'console.publish.status',
] as const;

/** Parameters whose errors are shown at their fields. */
const fieldPaths = [
  'name',
  'position',
  'integration',
  'filter',
  'item.name',
  'item.description',
  'item.engUnit',
  'item.labels',
  'item.enumValues',
  'maps',
  'join',
].map((path) => `rule.${path}`);

function shownIn(error: unknown): string[] {
  const paths = error instanceof RpcError ? Object.keys(error.params) : [];
  return paths.filter((path) => fieldPaths.some((known) => path === known || path.startsWith(`${known}.`)));
}

interface RuleEditorProps {
  first: RuleDraft;
  /** Null: a new one. */
  id: string | null;
}

/** The form and the preview. */
export function RuleEditor({ first, id }: RuleEditorProps) {
  const isAdmin = useIsAdmin();
  const [draft, setDraft] = useState(first);
  const read = useMemo(() => ruleOf(draft), [draft]);
  const rested = useRested(JSON.stringify(draft));
  const tried = useMemo(() => triedRule(JSON.parse(rested) as RuleDraft), [rested]);
  const params = tried === null ? {} : { rule: tried, ...(id === null ? {} : { id }), outcomes: 100 };
  const preview = useRpc('console.rules.preview', params, { isEnabled: tried !== null, keepPrevious: true });
  const save = useRpcChange('console.rules.save', rulesRenewed, ({ name }) => {
    notify(`Saved the rule ${name}`);
    navigate(href('/rules'));
  });
  const submit = () => 'rule' in read && save.mutate({ rule: read.rule, ...(id === null ? {} : { id }) });
  const error = save.error ?? preview.error;
  const faults = 'faults' in read ? read.faults : {};
  const faultOf = (path: string) => faults[path as keyof typeof faults] ?? fieldError(error, `rule.${path}`);
  return (
    <>
      <Card>
        <PlainForm onSubmit={submit}>
          <Fields draft={draft} change={(part) => setDraft({ ...draft, ...part })} faultOf={faultOf} />
          {error ? <ErrorNotice error={error} shown={shownIn(error)} /> : null}
          <div className="form-actions">
            <LinkButton to={href('/rules')}>Cancel</LinkButton>
            <Button type="submit" tone="primary" isPending={save.isPending} isDisabled={!isAdmin}>
              Save rule
            </Button>
          </div>
        </PlainForm>
      </Card>
      <OutcomesCard title="What this rule would do now" report={preview.error ? undefined : preview.data} />
    </>
  );
}

/** The rule of the preview, which needs no name yet; null where the fields hold none. */
function triedRule(draft: RuleDraft): RuleSave | null {
  const read = ruleOf({ ...draft, name: draft.name || 'new rule' });
  return 'rule' in read ? read.rule : null;
}

interface FieldsProps {
  draft: RuleDraft;
  change(part: Partial<RuleDraft>): void;
  faultOf(path: string): string | undefined;
}

function Fields(props: FieldsProps) {
  const { draft, change } = props;
  return (
    <>
      <SelectionFields {...props} />
      <ItemFields {...props} />
      <div className="line">
        <CheckField isSelected={draft.enabled} onChange={(enabled) => change({ enabled })}>
          Enabled
        </CheckField>
        <CheckField isSelected={draft.visible} onChange={(visible) => change({ visible })}>
          Items are visible
        </CheckField>
        <CheckField isSelected={draft.copyLabels} onChange={(copyLabels) => change({ copyLabels })}>
          Items have the labels of their signals
        </CheckField>
        <CheckField isSelected={draft.overwrite} onChange={(overwrite) => change({ overwrite })}>
          Replace items that people made or changed
        </CheckField>
      </div>
    </>
  );
}

/** Which signals, and before which rules. */
function SelectionFields({ draft, change, faultOf }: FieldsProps) {
  const names = useIntegrationNames();
  const integrations = [
    { value: 'all', text: 'All integrations' },
    ...[...names].map(([value, text]) => ({ value, text })),
  ];
  const of = boundTo(draft, change);
  const nameFault = draft.name === '' ? undefined : faultOf('name');
  return (
    <div className="form-grid">
      <TextField label="Name" isRequired {...of('name')} error={nameFault} />
      <TextField
        label="Position"
        type="number"
        hint="The rule with the lowest position that matches decides."
        {...of('position')}
        error={faultOf('position')}
      />
      <SelectField
        label="Signals of"
        value={draft.integration || 'all'}
        onChange={(value) => change({ integration: value === 'all' ? '' : value })}
        options={integrations}
        error={faultOf('integration')}
      />
      <TextField
        label="Filter of the signals"
        isCode
        hint={hint('{"labels.site": "north"}')}
        {...of('filter')}
        error={faultOf('filter')}
      />
    </div>
  );
}

type ItemField = 'itemName' | 'description' | 'engUnit' | 'labels' | 'enumValues' | 'maps';

/** What the items are made of. */
function ItemFields({ draft, change, faultOf }: FieldsProps) {
  const of = boundTo(draft, change);
  const text = (label: string, field: ItemField, path: string, note: ReactNode) => (
    <TextField label={label} isCode hint={note} {...of(field)} error={faultOf(field) ?? faultOf(path)} />
  );
  return (
    <div className="form-grid">
      {text('Name of the item', 'itemName', 'item.name', hint('{labels.site|upper} {name}'))}
      {text('Description', 'description', 'item.description', 'Empty: as the signal.')}
      {text('Unit', 'engUnit', 'item.engUnit', 'Empty: as the signal.')}
      {text('Labels', 'labels', 'item.labels', hint('{"place": "{labels.site|lower}", "kind": null}'))}
      {text('States', 'enumValues', 'item.enumValues', hint('{"0": "off", "1": "on"}'))}
      {text('Value maps', 'maps', 'maps', hint('{"sites": {"N": "North", "*": "elsewhere"}}'))}
      <SelectField label="Which item" {...of('joinKind')} options={joinKinds} />
      {draft.joinKind !== 'own' && (
        <TextField
          label={draft.joinKind === 'key' ? 'The text' : 'ID of the item'}
          isCode
          {...of('join')}
          error={faultOf('join')}
        />
      )}
    </div>
  );
}

function hint(example: string): ReactNode {
  return (
    <>
      For example <code>{example}</code>
    </>
  );
}
