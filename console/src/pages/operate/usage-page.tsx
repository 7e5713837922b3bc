/** What integrations used, day by day. */

import type { UsageRow } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { Bars } from '../../parts/bars.tsx';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { SelectField } from '../../parts/field.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { Segments } from '../../parts/tabs.tsx';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { LargestCard } from './largest-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { byDay, byIntegration, type Tally, toCsv, type UsageSum } from './usage.ts';
import './operate.css';

const spans = ['7', '30', '90'] as const;

/** The page. */
export default function UsagePage() {
  const [search, change] = usePlaceState();
  const days = search.get('days') ?? '30';
  const integration = search.get('integration') ?? '';
  const params = { days: Number(days), ...(integration === '' ? {} : { integration }) };
  const usage = useRpc('console.usage', params, { keepPrevious: true });
  const list = useRpc('console.integrations.list');
  const names = useMemo(
    () => new Map(list.data?.integrations.map(({ id, name }) => [id, name])),
    [list.data],
  );
  const rows = usage.data?.rows ?? [];
  const save = () => download(`usage-${days}-days.csv`, toCsv(rows, names), 'text/csv');
  return (
    <Page
      title="Usage"
      lead="Metered for every integration by UTC day, whether its plan limits it or not."
      actions={
        <Button icon="download" isDisabled={rows.length === 0} onPress={save}>
          CSV
        </Button>
      }
    >
      <div className="tools">
        <SelectField
          label="Integration"
          value={integration === '' ? 'all' : integration}
          onChange={(id) => change({ integration: id === 'all' ? null : id })}
          options={[{ value: 'all', text: 'All' }, ...[...names].map(([value, text]) => ({ value, text }))]}
        />
        <Segments
          label="Days"
          value={days}
          onChange={(value) => change({ days: value === '30' ? null : value })}
          options={spans.map((value) => ({ value, text: `${value} days` }))}
        />
      </div>
      {usage.error && <ErrorNotice error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isPending && <Waiting />}
      {usage.data && <UsageReport rows={rows} days={Number(days)} names={names} />}
      {list.data && <LimitsCard integrations={list.data.integrations} chosen={integration} />}
      <LargestCard names={names} chosen={integration} />
    </Page>
  );
}

function UsageReport({
  rows,
  days,
  names,
}: {
  rows: readonly UsageRow[];
  days: number;
  names: ReadonlyMap<string, string>;
}) {
  const sums = useMemo(() => byIntegration(rows), [rows]);
  const columns = useMemo(() => columnsFor(names), [names]);
  const table = useLocalRows(sums, columns, '-points');
  if (rows.length === 0)
    return (
      <Card>
        <EmptyState icon="meter" title="Nothing was used in these days">
          <p>Usage appears with the first call of an integration.</p>
        </EmptyState>
      </Card>
    );
  const bars = byDay(rows, days, nowMs());
  return (
    <>
      <Card title="Points by day" note={`The last ${days} days, in UTC`}>
        <Bars
          label="Points by day"
          unit="point"
          bars={bars.map(({ day, tally }) => ({ label: day.slice(8), name: day, value: tally.points }))}
        />
      </Card>
      <Card title="By integration" note={`${days} days together`} isFlush>
        <DataTable
          label="Usage by integration"
          name="usage"
          rows={table}
          columns={columns}
          idOf={({ integration }) => integration}
          height="420px"
          empty={null}
        />
      </Card>
    </>
  );
}

function columnsFor(names: ReadonlyMap<string, string>): Column<UsageSum>[] {
  const number = (id: keyof Tally, title: string, print = printCount): Column<UsageSum> => ({
    id,
    title,
    isNumber: true,
    sort: ({ tally }) => tally[id],
    cell: ({ tally }) => print(tally[id]),
  });
  const name = (id: string) => names.get(id) ?? id;
  return [
    {
      id: 'integration',
      title: 'Integration',
      width: '2fr',
      sort: ({ integration }) => name(integration),
      cell: ({ integration }) =>
        names.has(integration) ? (
          <a className="table-name" href={href(`/integrations/${integration}`)}>
            {name(integration)}
          </a>
        ) : (
          <span className="quiet">{integration} (deleted)</span>
        ),
    },
    number('points', 'Points'),
    number('requests', 'Calls'),
    number('bytesIn', 'Received', printBytes),
    number('signals', 'New signals'),
    number('items', 'New items'),
    number('rejected', 'Refused'),
    { ...number('pointsOver', 'Points over plan'), width: '140px', isExtra: true },
    { ...number('requestsOver', 'Calls over plan'), width: '140px', isExtra: true },
  ];
}
