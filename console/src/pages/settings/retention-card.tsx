/** The retention rules, and how many points they would delete now. */
import type { RetentionOutcome, RetentionRule } from '@tidemark/client/wire';
import { type ReactNode, useMemo, useState } from 'react';
import { dash } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { menuColumn, textColumn } from '../../parts/column-kinds.tsx';
import { ConfirmDialog, useDialogCall } from '../../parts/form.tsx';
import type { MenuEntry } from '../../parts/menu.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment } from '../../platform/time/moment.tsx';
import { useIntegrationNames } from '../integrations/names.ts';
import { keepText } from './keep.ts';
import { retentionRenewed, scopeText } from './retention.ts';
import { RuleDialog } from './rule-dialog.tsx';

/** A rule, and what it would delete now if that was counted. */
interface Row extends RetentionRule {
  counted: RetentionOutcome | undefined;
}

/** The card. */
export function RetentionCard() {
  const isAdmin = useIsAdmin();
  const [dialog, setDialog] = useState<ReactNode>(null);
  const [isCounting, setCounting] = useState(false);
  const rules = useRpc('console.retention.list');
  const counts = useRpc('console.retention.preview', {}, { isEnabled: isCounting });
  const names = useIntegrationNames();
  const list = useMemo(() => {
    const countOf = (rule: RetentionRule) => counts.data?.rules.find(({ scope }) => scope === rule.scope);
    return rules.data?.rules.map((rule) => ({ ...rule, counted: countOf(rule) }));
  }, [rules.data, counts.data]);
  const edit = (rule: RetentionRule | null) => {
    const others = rules.data?.rules ?? [];
    setDialog(<RuleDialog rule={rule} others={others} names={names} onClose={() => setDialog(null)} />);
  };
  const remove = (rule: RetentionRule) =>
    setDialog(<RemoveDialog rule={rule} names={names} onClose={() => setDialog(null)} />);
  const add = isAdmin && (
    <Button icon="plus" onPress={() => edit(null)}>
      New rule
    </Button>
  );
  const count = (
    <Button
      tone="plain"
      isPending={counts.isFetching}
      onPress={() => (isCounting ? void counts.refetch() : setCounting(true))}
    >
      Count points to delete
    </Button>
  );
  const columns = columnsFor(names);
  return (
    <>
      <TableCard
        title="Retention"
        label="Retention rules"
        note="Older points are deleted about once an hour. A rule for a label overrides one for an integration, which overrides the one for all signals."
        actions={
          <>
            {count}
            {add}
          </>
        }
        name="retention"
        of={rules.error ? rules : counts}
        list={list}
        columns={isAdmin ? [...columns, ruleMenu(names, edit, remove)] : columns}
        idOf={({ scope }) => scope}
        height="360px"
        empty={
          <EmptyState icon="clock" title="All points are kept" action={add}>
            <p>Without a rule, points are kept until someone deletes them.</p>
          </EmptyState>
        }
      />
      {dialog}
    </>
  );
}

type Names = ReadonlyMap<string, string>;

function columnsFor(names: Names): Column<Row>[] {
  return [
    textColumn('scope', 'Signals', ({ scope }) => scopeText(scope, names), { isName: true, width: '2fr' }),
    { id: 'keep', title: 'Kept', width: '1.2fr', cell: ({ keep }) => keepText(keep) },
    {
      id: 'points',
      title: 'To delete now',
      isNumber: true,
      width: '140px',
      cell: ({ counted }) => (counted ? printNumberOf(counted.points, 'point') : dash),
    },
    {
      id: 'affected',
      title: 'From signals',
      isNumber: true,
      width: '120px',
      cell: ({ counted }) =>
        counted ? `${printCount(counted.affected)} of ${printCount(counted.signals)}` : dash,
    },
    {
      id: 'before',
      title: 'Older than',
      width: '1.6fr',
      cell: ({ counted }) => <Moment at={counted?.before} />,
    },
  ];
}

function ruleMenu(
  names: Names,
  edit: (rule: RetentionRule) => void,
  remove: (rule: RetentionRule) => void,
): Column<Row> {
  const entriesOf = ({ scope, keep }: Row): MenuEntry[] => [
    { text: 'Change …', icon: 'pencil', run: () => edit({ scope, keep }) },
    { text: 'Remove …', icon: 'trash', isDanger: true, run: () => remove({ scope, keep }) },
  ];
  return menuColumn(({ scope }) => scopeText(scope, names), entriesOf);
}

interface RemoveDialogProps {
  rule: RetentionRule;
  names: Names;
  onClose(): void;
}

/** Removing a rule makes the next one apply, which may keep less: its points are counted first. */
function RemoveDialog({ rule: { scope, keep }, names, onClose }: RemoveDialogProps) {
  const after = useRpc('console.retention.preview', { scope });
  const remove = useDialogCall('console.retention.remove', retentionRenewed, 'Rule removed', onClose);
  const points = after.data?.rules.reduce((sum, rule) => sum + rule.points, 0);
  return (
    <ConfirmDialog
      title="Remove the rule?"
      action="Remove rule"
      sending={{ isPending: remove.isPending, error: after.error ?? remove.error }}
      onSubmit={() => remove.mutate({ scope })}
      onClose={onClose}
    >
      <p>
        {scopeText(scope, names)} {scope === 'all' ? 'are' : 'is'} kept {keepText(keep)} now; after that the
        other rules apply.
      </p>
      <p className="quiet" aria-live="polite">
        {points === undefined
          ? 'Counting the points to delete …'
          : points === 0
            ? 'They delete no points now.'
            : `They delete ${printNumberOf(points, 'point')} within the hour.`}
      </p>
    </ConfirmDialog>
  );
}
