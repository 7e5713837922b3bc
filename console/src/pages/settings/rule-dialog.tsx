/** Creating or changing a retention rule; the points that it deletes can be counted before it is saved. */
import { useMutation } from '@tanstack/react-query';
import type { RetentionOutcome, RetentionRule } from '@tidemark/client/wire';
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { FormDialog, useDialogCall } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { KeepField } from './keep-field.tsx';
import { draftOf, type RuleDraft, retentionRenewed, scopeKinds, scopeOf, scopeText } from './retention.ts';

interface RuleDialogProps {
  /** Null: a new one. */
  rule: RetentionRule | null;
  others: readonly RetentionRule[];
  names: ReadonlyMap<string, string>;
  onClose(): void;
}

/** The dialog; of an existing rule only the length changes. */
export function RuleDialog({ rule, others, names, onClose }: RuleDialogProps) {
  const [draft, setDraft] = useState<RuleDraft>(() => draftOf(rule, names));
  const next = { scope: rule?.scope ?? scopeOf(draft), keep: draft.keep };
  const count = useMutation({ mutationFn: () => call('console.retention.preview', next) });
  const saved = 'Rule saved; it is applied within the hour';
  const save = useDialogCall('console.retention.set', retentionRenewed, saved, onClose);
  const change = (part: Partial<RuleDraft>) => {
    setDraft({ ...draft, ...part });
    count.reset();
  };
  const error = save.error ?? count.error;
  const outcome = count.data?.rules.find(({ scope }) => scope === next.scope);
  const isReplaced = rule === null && others.some(({ scope }) => scope === next.scope);
  return (
    <FormDialog
      title={rule === null ? 'New retention rule' : 'Change the rule'}
      action="Save rule"
      sending={{ isPending: save.isPending, error }}
      shown={['scope', 'keep']}
      more={
        <Button isPending={count.isPending} onPress={() => count.mutate()}>
          Count points to delete
        </Button>
      }
      onSubmit={() => save.mutate(next)}
      onClose={onClose}
    >
      {rule === null ? (
        <ScopeFields draft={draft} change={change} names={names} error={fieldError(error, 'scope')} />
      ) : (
        <b>{scopeText(rule.scope, names)}</b>
      )}
      <KeepField label="Keep points" {...boundTo(draft, change)('keep')} error={fieldError(error, 'keep')} />
      {isReplaced && <Notice>A rule for these signals exists already; this one replaces it.</Notice>}
      {outcome && <OutcomeNotice outcome={outcome} />}
    </FormDialog>
  );
}

function OutcomeNotice({ outcome: { points, affected, signals } }: { outcome: RetentionOutcome }) {
  return (
    <Notice mood={points > 0 ? 'warn' : 'good'}>
      {points > 0
        ? `Within the hour this deletes ${printNumberOf(points, 'point')} of ${printNumberOf(affected, 'signal')} permanently.`
        : 'This deletes nothing now.'}{' '}
      The rule applies to {printNumberOf(signals, 'signal')}.
    </Notice>
  );
}

interface ScopeFieldsProps {
  draft: RuleDraft;
  change(part: Partial<RuleDraft>): void;
  names: ReadonlyMap<string, string>;
  error: string | undefined;
}

function ScopeFields({ draft, change, names, error }: ScopeFieldsProps) {
  const of = boundTo(draft, change);
  const isLabel = draft.kind === 'label';
  const integrations = [...names].map(([value, text]) => ({ value, text }));
  return (
    <>
      <SelectField label="Signals" {...of('kind')} options={scopeKinds} error={isLabel ? undefined : error} />
      {draft.kind === 'integration' && (
        <SelectField label="Integration" {...of('integration')} options={integrations} />
      )}
      {isLabel && (
        <div className="form-grid">
          <TextField label="Label" {...of('key')} placeholder="site" />
          <TextField label="Value" {...of('value')} error={error} placeholder="North" />
        </div>
      )}
    </>
  );
}
