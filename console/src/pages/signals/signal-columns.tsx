/** The columns of signals. */

import type { Signal, SignalSize } from '@tidemark/client/wire';
import { printBytes, printCount, printShort } from '../../parts/number.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { printPeriod } from '../../platform/time/span.ts';
import { Labels, LastAge, LastValue, PublishBadge, TypeText } from './signal-cells.tsx';
import type { SignalFacts } from './signal-known.ts';
import type { Trend } from './signal-trends.ts';

/** The address of a signal's page. */
export function signalHref({ id, relationships }: Signal): string {
  return href(`/signals/${relationships.integration.data?.id ?? '-'}/${id}`);
}

const byName = () => null;

/** All columns; those that the service can sort by have a `sort`. */
export function signalColumns(facts: SignalFacts): Column<Signal>[] {
  return [...namingColumns, ...knownColumns(facts), ...extraColumns(facts)];
}

const namingColumns: readonly Column<Signal>[] = [
  {
    id: 'name',
    isNarrow: true,
    title: 'Name',
    width: '1.7fr',
    sort: byName,
    cell: (signal) => (
      <a className="table-name" href={signalHref(signal)} title={signal.attributes.name}>
        {signal.attributes.name}
      </a>
    ),
  },
  {
    id: 'input',
    title: 'Input key',
    width: '1.2fr',
    sort: byName,
    cell: ({ attributes }) => <code title={attributes.input}>{attributes.input}</code>,
  },
  {
    id: 'valueType',
    title: 'Type',
    width: '78px',
    sort: byName,
    cell: ({ attributes }) => <TypeText attributes={attributes} />,
  },
  {
    id: 'engUnit',
    title: 'Unit',
    width: '62px',
    sort: byName,
    cell: ({ attributes }) => attributes.engUnit || <span className="quiet">–</span>,
  },
  {
    id: 'labels',
    title: 'Labels',
    width: '1.5fr',
    cell: ({ attributes }) => <Labels labels={attributes.labels} />,
  },
];

function knownColumns({ statuses, states, sizes, trends }: SignalFacts): Column<Signal>[] {
  return [
    {
      id: 'value',
      isNarrow: true,
      title: 'Last value',
      width: '1.25fr',
      isNumber: true,
      cell: ({ id, attributes }) => <LastValue status={statuses.get(id)} attributes={attributes} />,
    },
    {
      id: 'age',
      isNarrow: true,
      title: 'Age',
      width: '84px',
      sort: byName,
      cell: ({ id }) => <LastAge status={statuses.get(id)} />,
    },
    {
      id: 'trend',
      title: 'Last day',
      width: '116px',
      cell: ({ id, attributes }) => <TrendCell trend={trends.get(id)} type={attributes.valueType} />,
    },
    {
      id: 'points',
      title: 'Points',
      width: '84px',
      isNumber: true,
      cell: ({ id }) => <SizeCell size={sizes.get(id)} print={({ points }) => printPoints(points)} />,
    },
    {
      id: 'published',
      title: 'Published',
      width: '138px',
      cell: ({ id }) => <PublishBadge state={states.get(id)} />,
    },
  ];
}

/** Averages of states mean nothing: there is no line. */
function TrendCell({ trend, type }: { trend: Trend | undefined; type: 'numeric' | 'enum' }) {
  return type === 'numeric' ? <Sparkline values={trend ?? []} /> : <span className="quiet">–</span>;
}

/** Large numbers shortly; the page of the signal has them whole. */
function printPoints(points: number): string {
  return points < 1e6 ? printCount(points) : printShort(points);
}

function SizeCell({ size, print }: { size: SignalSize | undefined; print(size: SignalSize): string }) {
  return size ? <span className="figures">{print(size)}</span> : <span className="table-blank" />;
}

function extraColumns({ sizes }: SignalFacts): Column<Signal>[] {
  return [
    {
      id: 'bytes',
      title: 'On disk',
      width: '100px',
      isNumber: true,
      isExtra: true,
      cell: ({ id }) => <SizeCell size={sizes.get(id)} print={({ bytes }) => printBytes(bytes)} />,
    },
    ...describingColumns,
  ];
}

const describingColumns: readonly Column<Signal>[] = [
  {
    id: 'sourceType',
    title: 'Source',
    width: '120px',
    isExtra: true,
    sort: byName,
    cell: ({ attributes }) => attributes.sourceType,
  },
  {
    id: 'sampleInterval',
    title: 'Interval',
    width: '100px',
    isExtra: true,
    sort: byName,
    cell: ({ attributes }) =>
      attributes.sampleInterval ? printPeriod(attributes.sampleInterval) : <span className="quiet">–</span>,
  },
  {
    id: 'description',
    title: 'Description',
    width: '2fr',
    isExtra: true,
    sort: byName,
    cell: ({ attributes }) => <span title={attributes.description}>{attributes.description}</span>,
  },
  {
    id: 'updatedAt',
    title: 'Changed',
    width: '180px',
    isExtra: true,
    sort: byName,
    cell: ({ meta }) => <Moment at={meta.updatedAt} />,
  },
  {
    id: 'createdAt',
    title: 'Created',
    width: '180px',
    isExtra: true,
    sort: byName,
    cell: ({ meta }) => <Moment at={meta.createdAt} />,
  },
  { id: 'id', title: 'ID', width: '210px', isExtra: true, sort: byName, cell: ({ id }) => <code>{id}</code> },
];

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** What the columns are called and which are shown at first, whatever is known. */
export const signalColumnNames = signalColumns({
  statuses: nothing,
  states: nothing,
  sizes: nothing,
  trends: nothing,
}).map(({ id, isExtra = false, isNarrow = false }) => ({ id, isExtra, isNarrow }));
