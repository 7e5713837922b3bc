/** What publishing rules did or would do: how many signals, and the first of them. */
import type { PublishRuleOutcome, PublishRuleReport } from '@tidemark/client/wire';
import type { BadgeTone } from '../../parts/badge.tsx';
import { badgeColumn, textColumn } from '../../parts/column-kinds.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { summaryOf } from './rule-outcomes-text.ts';

const actionTexts = {
  create: ['new item', 'good'],
  update: ['item changes', 'info'],
  connect: ['joins an item', 'info'],
  keep: ['no change', 'quiet'],
  conflict: ['conflict', 'warn'],
} as const satisfies Record<PublishRuleOutcome['action'], readonly [string, BadgeTone]>;

interface OutcomesCardProps {
  title: string;
  report: PublishRuleReport | undefined;
  /** Rule ID → name; absent: the column is left out. */
  names?: ReadonlyMap<string, string>;
}

/** The card. */
export function OutcomesCard({ title, report, names }: OutcomesCardProps) {
  return (
    <TableCard
      title={title}
      note={<span aria-live="polite">{report ? summaryOf(report) : 'Looking at the signals …'}</span>}
      name="rule-outcomes"
      list={report?.outcomes}
      columns={names ? [...columns.slice(0, 1), ruleColumn(names), ...columns.slice(1)] : columns}
      idOf={({ signal }) => signal.id}
      height="360px"
      empty={<p className="quiet">No signal matches.</p>}
    />
  );
}

const columns: Column<PublishRuleOutcome>[] = [
  {
    id: 'signal',
    title: 'Signal',
    width: '1.4fr',
    cell: ({ signal }) => (
      <a className="table-name" href={href(`/signals/${signal.integration}/${signal.id}`)}>
        {signal.input}
      </a>
    ),
  },
  badgeColumn('action', 'What happens', ({ action }) => actionTexts[action], { width: '140px' }),
  textColumn('item', 'Item', ({ item }) => item?.attributes.name ?? '', { width: '1.6fr' }),
  textColumn('more', 'Labels, or the conflict', ({ item, conflict }) => conflict?.message ?? labelsOf(item), {
    width: '2fr',
  }),
];

function ruleColumn(names: ReadonlyMap<string, string>): Column<PublishRuleOutcome> {
  return textColumn('rule', 'Rule', ({ rule }) => names.get(rule) ?? rule, { width: '1fr' });
}

function labelsOf(item: PublishRuleOutcome['item']): string {
  const labels = Object.entries(item?.attributes.labels ?? {});
  return labels.map(([key, values]) => `${key}: ${values.join(', ')}`).join('; ');
}
