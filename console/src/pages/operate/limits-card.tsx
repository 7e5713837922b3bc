/** What integrations have used of what their plans allow. */

import type { IntegrationFigures, Plan } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';

interface Row {
  integration: IntegrationFigures;
  plan: Plan | undefined;
}

/** From this share on it is time to look. */
const warnedShare = 0.8;

/** The card; `chosen` is one integration, or empty for all. */
export function LimitsCard({
  integrations,
  chosen,
}: {
  integrations: readonly IntegrationFigures[];
  chosen: string;
}) {
  const plans = useRpc('console.plans.list');
  const list = integrations
    .filter(({ id }) => chosen === '' || id === chosen)
    .map((integration) => ({
      integration,
      plan: plans.data?.plans.find(({ name }) => name === integration.plan),
    }));
  const rows = useLocalRows<Row>(list, columns, 'name');
  return (
    <Card
      title="Limits of plans"
      note="What is there, or was accepted today, of what the plan allows. Plans are made with the command line."
      isFlush
    >
      {plans.error && <ErrorNotice error={plans.error} />}
      <DataTable
        label="Limits of plans"
        name="limits"
        rows={rows}
        columns={columns}
        idOf={({ integration }) => integration.id}
        height="420px"
        empty={<EmptyState icon="plug" title="No integration yet" />}
      />
    </Card>
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Integration',
    width: '2fr',
    sort: ({ integration }) => integration.name,
    cell: ({ integration: { id, name } }) => (
      <a className="table-name" href={href(`/integrations/${id}`)}>
        {name}
      </a>
    ),
  },
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
  {
    id: 'signals',
    title: 'Signals',
    width: '1.5fr',
    isNumber: true,
    cell: ({ integration, plan }) => <Share used={integration.signals} max={plan?.signalsMax} />,
  },
  {
    id: 'items',
    title: 'Items',
    width: '1.5fr',
    isNumber: true,
    cell: ({ integration, plan }) => <Share used={integration.items} max={plan?.itemsMax} />,
  },
  {
    id: 'points',
    title: 'Points today',
    width: '1.6fr',
    isNumber: true,
    cell: ({ integration, plan }) => <Share used={integration.pointsToday} max={plan?.pointsPerDayMax} />,
  },
  {
    id: 'rates',
    title: 'Rates',
    width: '1.6fr',
    isExtra: true,
    cell: ({ plan }) => {
      const rates = Object.entries(plan?.rates ?? {}).map(([method, rate]) => `${method} ${rate}`);
      return <span title={rates.join('\n')}>{rates.length === 0 ? 'any' : rates.join(', ')}</span>;
    },
  },
];

function Share({ used, max }: { used: number; max: number | null | undefined }) {
  if (max === null || max === undefined)
    return (
      <>
        {printCount(used)} <span className="quiet">of any</span>
      </>
    );
  const share = max === 0 ? 1 : used / max;
  const words = `${printCount(used)} of ${printCount(max)}`;
  return share < warnedShare ? words : <Badge tone={share >= 1 ? 'bad' : 'warn'}>{words}</Badge>;
}
