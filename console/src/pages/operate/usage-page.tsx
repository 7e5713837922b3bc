/** What integrations used, day by day. */
import type { UsageRow } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { Bars } from '../../parts/bars.tsx';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { numberColumn } from '../../parts/column-kinds.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Answer, EmptyState } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { Segments } from '../../parts/tabs.tsx';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { useIntegrationNames } from '../integrations/names.ts';
import { LargestCard } from './largest-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { byDay, byIntegration, type Tally, toCsv, type UsageSum } from './usage.ts';

const spans = ['7', '30', '90'] as const;

/** The page. */
export default function UsagePage() {
  const [search, change] = usePlaceState();
  const days = search.get('days') ?? '30';
  const integration = search.get('integration') ?? '';
  const params = { days: Number(days), ...(integration === '' ? {} : { integration }) };
  const usage = useRpc('console.usage', params, { keepPrevious: true });
  const list = useRpc('console.integrations.list');
  const names = useIntegrationNames();
  const rows = usage.data?.rows ?? [];
  const save = () => download(`usage-${days}-days.csv`, toCsv(rows, names), 'text/csv');
  return (
    <Page
      title="Usage"
      lead="Usage of every integration by UTC day, with or without limits."
      actions={
        <Button icon="download" isDisabled={rows.length === 0 || list.isPending} onPress={save}>
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
      <Answer of={usage}>
        {() => <UsageReport rows={rows} days={Number(days)} names={list.data && names} />}
      </Answer>
      {list.data && <LimitsCard integrations={list.data.integrations} chosen={integration} />}
      <LargestCard names={names} chosen={integration} />
    </Page>
  );
}

interface UsageReportProps {
  rows: readonly UsageRow[];
  days: number;
  /** Undefined until the service has answered; what is not among them then is deleted. */
  names: ReadonlyMap<string, string> | undefined;
}

function UsageReport({ rows, days, names }: UsageReportProps) {
  const sums = useMemo(() => byIntegration(rows), [rows]);
  const columns = useMemo(() => columnsFor(names), [names]);
  if (rows.length === 0)
    return (
      <Card>
        <EmptyState icon="meter" title="No usage in these days">
          <p>Usage is recorded from the first call of an integration on.</p>
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
          bars={bars.map(({ day, points }) => ({ label: day.slice(8), name: day, value: points }))}
        />
      </Card>
      <TableCard
        title="By integration"
        label="Usage by integration"
        note={`Total of ${days} days`}
        name="usage"
        list={sums}
        sort="-points"
        columns={columns}
        idOf={({ integration }) => integration}
      />
    </>
  );
}

function columnsFor(names: UsageReportProps['names']): Column<UsageSum>[] {
  const number = (id: keyof Tally, title: string, print = printCount) =>
    numberColumn<UsageSum>(id, title, ({ tally }) => tally[id], print);
  const name = (id: string) => names?.get(id) ?? id;
  return [
    {
      id: 'integration',
      title: 'Integration',
      width: '2fr',
      sort: ({ integration }) => name(integration),
      cell: ({ integration }) =>
        names?.has(integration) ? (
          <a className="table-name" href={href(`/integrations/${integration}`)}>
            {name(integration)}
          </a>
        ) : (
          <span className="quiet">{names ? `${integration} (deleted)` : integration}</span>
        ),
    },
    number('points', 'Points'),
    number('requests', 'Calls'),
    number('bytesIn', 'Received', printBytes),
    { ...number('signals', 'New signals'), width: '120px' },
    number('items', 'New items'),
    number('rejected', 'Refused'),
    { ...number('pointsOver', 'Points over plan'), width: '140px', isExtra: true },
    { ...number('requestsOver', 'Calls over plan'), width: '140px', isExtra: true },
  ];
}
