/** What integrations have used of what their plans allow. */
import type { IntegrationFigures, Plan } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { linkColumn } from '../../parts/column-kinds.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';

interface Row {
  integration: IntegrationFigures;
  plan: Plan | undefined;
}

/** The share of a limit from which it is marked. */
const warnedShare = 0.8;

interface LimitsCardProps {
  integrations: readonly IntegrationFigures[];
  chosen: string;
}

/** The card; `chosen` is one integration, or empty for all. */
export function LimitsCard({ integrations, chosen }: LimitsCardProps) {
  const plans = useRpc('console.plans.list');
  const list = integrations
    .filter(({ id }) => chosen === '' || id === chosen)
    .map((integration) => ({
      integration,
      plan: plans.data?.plans.find(({ name }) => name === integration.plan),
    }));
  return (
    <TableCard
      title="Limits of plans"
      note="What exists, or was accepted today, compared with what the plan allows. Plans are managed with the command line."
      name="limits"
      of={plans}
      list={list}
      sort="name"
      columns={columns}
      idOf={({ integration }) => integration.id}
      empty={<EmptyState icon="plug" title="No integration yet" />}
    />
  );
}

const columns: readonly Column<Row>[] = [
  linkColumn(
    'Integration',
    ({ integration }) => integration.name,
    ({ integration }) => href(`/integrations/${integration.id}`),
  ),
  {
    id: 'plan',
    title: 'Plan',
    width: '1.2fr',
    sort: ({ integration }) => integration.plan,
    cell: ({ integration, plan }) => (
      <>
        {integration.plan}
        {plan?.isHard === false && <Badge>soft</Badge>}
      </>
    ),
  },
  shareColumn('signals', 'Signals', ({ integration, plan }) => [integration.signals, plan?.signalsMax]),
  shareColumn('items', 'Items', ({ integration, plan }) => [integration.items, plan?.itemsMax]),
  shareColumn('points', 'Points today', ({ integration, plan }) => [
    integration.pointsToday,
    plan?.pointsPerDayMax,
  ]),
  {
    id: 'rates',
    title: 'Rates',
    width: '1.6fr',
    isExtra: true,
    cell: ({ plan }) => {
      const rates = Object.entries(plan?.rates ?? {}).map(([method, rate]) => `${method} ${rate}`);
      return <span title={rates.join('\n')}>{rates.length === 0 ? 'no limit' : rates.join(', ')}</span>;
    },
  },
];

/** What is used, and the limit; null and undefined: there is none. */
type UsedAndMax = readonly [number, number | null | undefined];

function shareColumn(id: string, title: string, of: (row: Row) => UsedAndMax): Column<Row> {
  return { id, title, width: '1.5fr', isNumber: true, cell: (row) => <Share of={of(row)} /> };
}

function Share({ of: [used, max] }: { of: UsedAndMax }) {
  if (max === null || max === undefined)
    return (
      <>
        {printCount(used)} <span className="quiet">(no limit)</span>
      </>
    );
  const share = max === 0 ? 1 : used / max;
  const words = `${printCount(used)} of ${printCount(max)}`;
  return share < warnedShare ? words : <Badge tone={share >= 1 ? 'bad' : 'warn'}>{words}</Badge>;
}
