/** Making or changing a rule of retention: what would go is counted before it is saved. */

import { useMutation } from '@tanstack/react-query';
import type { RetentionOutcome, RetentionRule } from '@tidemark/client/wire';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { tell } from '../../parts/toast.tsx';
import { call, useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { KeepField } from './keep-field.tsx';
import { retentionRenewed, scopeText } from './retention.ts';

const kinds = [
  { value: 'all', text: 'All signals' },
  { value: 'integration', text: 'Signals of an integration' },
  { value: 'label', text: 'Signals with a label' },
] as const;

type Kind = (typeof kinds)[number]['value'];

interface Draft {
  kind: Kind;
  integration: string;
  key: string;
  value: string;
  keep: string;
}

/** The dialog; of a rule that there is, only the length changes. */
export function RuleDialog({
  rule,
  others,
  names,
  onClose,
}: {
  /** Null: a new one. */
  rule: RetentionRule | null;
  /** Those that there are. */
  others: readonly RetentionRule[];
  names: ReadonlyMap<string, string>;
  onClose(): void;
}) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(rule, names));
  const next = { scope: rule?.scope ?? scopeOf(draft), keep: draft.keep };
  const count = useMutation({
    mutationFn: () => call('console.retention.preview', next),
  });
  const save = useRpcChange('console.retention.set', retentionRenewed);
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    count.reset();
  };
  const error = save.error ?? count.error;
  const submit = () =>
    save.mutate(next, {
      onSuccess: () => {
        tell('Rule saved; it is carried out within the hour');
        onClose();
      },
    });
  const outcome = count.data?.rules.find(({ scope }) => scope === next.scope);
  return (
    <Dialog title={rule === null ? 'New rule of retention' : 'Change the rule'} isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {rule === null ? (
          <ScopeFields draft={draft} change={change} names={names} error={fieldError(error, 'scope')} />
        ) : (
          <p>
            <b>{scopeText(rule.scope, names)}</b>
          </p>
        )}
        <KeepField
          label="Keep points"
          value={draft.keep}
          onChange={(keep) => change({ keep })}
          error={fieldError(error, 'keep')}
        />
        {rule === null && others.some(({ scope }) => scope === next.scope) && (
          <Notice>There is a rule for these signals already: this one takes its place.</Notice>
        )}
        {outcome && <WhatGoes outcome={outcome} />}
        {error && <ErrorNotice error={error} shown={['scope', 'keep']} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button isPending={count.isPending} onPress={() => count.mutate()}>
            Count what would go
          </Button>
          <Button type="submit" tone="primary" isPending={save.isPending}>
            Save rule
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function WhatGoes({ outcome: { points, affected, signals } }: { outcome: RetentionOutcome }) {
  return (
    <Notice mood={points > 0 ? 'warn' : 'good'}>
      {points > 0
        ? `${printNumberOf(points, 'point')} of ${printNumberOf(affected, 'signal')} would go within the hour, for good.`
        : 'Nothing would go now.'}{' '}
      {printNumberOf(signals, 'signal')} would be under this rule.
    </Notice>
  );
}

function ScopeFields({
  draft,
  change,
  names,
  error,
}: {
  draft: Draft;
  change(part: Partial<Draft>): void;
  names: ReadonlyMap<string, string>;
  error: string | undefined;
}) {
  return (
    <>
      <SelectField<Kind>
        label="Signals"
        value={draft.kind}
        onChange={(kind) => change({ kind })}
        options={kinds}
        error={draft.kind === 'label' ? undefined : error}
      />
      {draft.kind === 'integration' && (
        <SelectField
          label="Integration"
          value={draft.integration}
          onChange={(integration) => change({ integration })}
          options={[...names].map(([value, text]) => ({ value, text }))}
        />
      )}
      {draft.kind === 'label' && (
        <div className="rule-label">
          <TextField label="Label" value={draft.key} onChange={(key) => change({ key })} placeholder="site" />
          <TextField
            label="Value"
            value={draft.value}
            onChange={(value) => change({ value })}
            error={error}
            placeholder="North"
          />
        </div>
      )}
    </>
  );
}

function draftOf(rule: RetentionRule | null, names: ReadonlyMap<string, string>): Draft {
  const [first = ''] = names.keys();
  return { kind: 'all', integration: first, key: '', value: '', keep: rule?.keep ?? 'P400D' };
}

function scopeOf({ kind, integration, key, value }: Draft): string {
  if (kind === 'integration') return `integration:${integration}`;
  return kind === 'label' ? `label:${key.trim()}=${value.trim()}` : 'all';
}
