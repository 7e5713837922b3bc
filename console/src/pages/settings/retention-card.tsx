/** The rules that say how long points are kept, and what would go by them now. */

import type { RetentionOutcome, RetentionRule } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { tell } from '../../parts/toast.tsx';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment } from '../../platform/time/moment.tsx';
import { keepText } from './keep.ts';
import { retentionRenewed, scopeText } from './retention.ts';
import { RuleDialog } from './rule-dialog.tsx';

type Doing = { what: 'edit'; rule: RetentionRule | null } | { what: 'remove'; rule: RetentionRule };

/** A rule, and what would go by it where that was counted. */
interface Row extends RetentionRule {
  counted: RetentionOutcome | undefined;
}

/** The card. */
export function RetentionCard() {
  const isAdmin = useIsAdmin();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [isCounting, setCounting] = useState(false);
  const rules = useRpc('console.retention.list');
  const counts = useRpc('console.retention.preview', {}, { isEnabled: isCounting });
  const names = useIntegrationNames();
  const columns = useMemo(() => columnsFor(names, isAdmin, setDoing), [names, isAdmin]);
  const list = rules.data?.rules.map((rule) => ({
    ...rule,
    counted: counts.data?.rules.find(({ scope }) => scope === rule.scope),
  }));
  const rows = useLocalRows<Row>(list, columns);
  const add = isAdmin && (
    <Button icon="plus" onPress={() => setDoing({ what: 'edit', rule: null })}>
      New rule
    </Button>
  );
  const count = (
    <Button
      tone="plain"
      isPending={counts.isFetching}
      onPress={() => (isCounting ? void counts.refetch() : setCounting(true))}
    >
      Count what would go
    </Button>
  );
  return (
    <Card
      title="Retention"
      note="Older points are deleted, about every hour. A rule for a label overrides one for an integration, which overrides that for all."
      actions={
        rows.total > 0 && (
          <>
            {count}
            {add}
          </>
        )
      }
      isFlush
    >
      {(rules.error ?? counts.error) && <ErrorNotice error={rules.error ?? counts.error} />}
      <DataTable
        label="Rules of retention"
        name="retention"
        rows={rows}
        columns={columns}
        idOf={({ scope }) => scope}
        height="360px"
        empty={
          <EmptyState icon="clock" title="Everything is kept" action={add}>
            <p>Without a rule, points are kept until they are deleted by hand.</p>
          </EmptyState>
        }
      />
      {doing?.what === 'edit' && (
        <RuleDialog
          rule={doing.rule}
          others={rules.data?.rules ?? []}
          names={names}
          onClose={() => setDoing(null)}
        />
      )}
      {doing?.what === 'remove' && (
        <RemoveDialog rule={doing.rule} names={names} onClose={() => setDoing(null)} />
      )}
    </Card>
  );
}

function useIntegrationNames(): ReadonlyMap<string, string> {
  const { data } = useRpc('console.integrations.list');
  return useMemo(() => new Map(data?.integrations.map(({ id, name }) => [id, name])), [data]);
}

function columnsFor(
  names: ReadonlyMap<string, string>,
  isAdmin: boolean,
  act: (doing: Doing) => void,
): Column<Row>[] {
  const columns: Column<Row>[] = [
    {
      id: 'scope',
      title: 'Signals',
      width: '2fr',
      cell: ({ scope }) => <span className="table-name">{scopeText(scope, names)}</span>,
    },
    { id: 'keep', title: 'Kept', width: '1.2fr', cell: ({ keep }) => keepText(keep) },
    {
      id: 'points',
      title: 'Would go now',
      isNumber: true,
      width: '1.2fr',
      cell: ({ counted }) =>
        counted === undefined ? <span className="quiet">–</span> : printNumberOf(counted.points, 'point'),
    },
    {
      id: 'affected',
      title: 'Of signals',
      isNumber: true,
      cell: ({ counted }) =>
        counted === undefined ? (
          <span className="quiet">–</span>
        ) : (
          `${printCount(counted.affected)} of ${printCount(counted.signals)}`
        ),
    },
    {
      id: 'before',
      title: 'Before',
      width: '1.6fr',
      cell: ({ counted }) =>
        counted?.before ? <Moment at={counted.before} /> : <span className="quiet">–</span>,
    },
  ];
  if (!isAdmin) return columns;
  const cell = ({ scope, keep }: Row) => (
    <RowActions>
      <Menu
        label={`Actions for ${scopeText(scope, names)}`}
        isTiny
        entries={[
          { text: 'Change …', icon: 'pencil', run: () => act({ what: 'edit', rule: { scope, keep } }) },
          {
            text: 'Remove …',
            icon: 'trash',
            isDanger: true,
            run: () => act({ what: 'remove', rule: { scope, keep } }),
          },
        ]}
      />
    </RowActions>
  );
  return [...columns, { id: 'actions', title: 'Actions', isTitleHidden: true, width: '60px', cell }];
}

/** Without a rule the next one holds, which may keep less: what goes then is counted first. */
function RemoveDialog({
  rule: { scope, keep },
  names,
  onClose,
}: {
  rule: RetentionRule;
  names: ReadonlyMap<string, string>;
  onClose(): void;
}) {
  const after = useRpc('console.retention.preview', { scope });
  const remove = useRpcChange('console.retention.remove', retentionRenewed);
  const points = after.data?.rules.reduce((sum, rule) => sum + rule.points, 0);
  const confirm = () =>
    remove.mutate(
      { scope },
      {
        onSuccess: () => {
          tell('Rule removed');
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title="Remove the rule?"
      action="Remove rule"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={remove.isPending}
      error={after.error ?? remove.error}
    >
      <p>
        {scopeText(scope, names)} {scope === 'all' ? 'are' : 'is'} kept {keepText(keep)} now; then the other
        rules hold.
      </p>
      <p className="quiet" aria-live="polite">
        {points === undefined
          ? 'Counting what would go …'
          : points === 0
            ? 'By them nothing goes now.'
            : `By them ${printNumberOf(points, 'point')} would go within the hour.`}
      </p>
    </ConfirmDialog>
  );
}
