/** The columns of signals, those that items have too, and the further data that they show. */

import type { Item, PublishState, Signal, SignalSize, SignalStatus } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { dash } from '../../parts/badge.tsx';
import { linkColumn, textColumn } from '../../parts/column-kinds.tsx';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { printBytes, printCount, printShort } from '../../parts/number.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { useShownColumns } from '../../parts/table-columns.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { printPeriod } from '../../platform/time/span.ts';
import type { Trend } from './half-hours.ts';
import { Labels, LastAge, LastValue, PublishBadge, TypeText } from './signal-cells.tsx';
import { useSignalTrends } from './trends.ts';

/** Further data of signals by ID; it is requested after the signals. */
interface SignalFacts {
  statuses: ReadonlyMap<string, SignalStatus | null>;
  states: ReadonlyMap<string, PublishState>;
  sizes: ReadonlyMap<string, SignalSize>;
  trends: ReadonlyMap<string, Trend>;
}

/** The address of a signal's page. */
export function signalHref({ id, relationships }: Signal): string {
  return href(`/signals/${relationships.integration.data?.id ?? '-'}/${id}`);
}

/** For columns by which the service sorts. */
const byService = () => null;

type Resource = Signal | Item;

/** A name that is a link to the page of the resource. */
export function nameColumn<T extends Resource>(hrefOf: (resource: T) => string): Column<T> {
  const nameOf = ({ attributes }: T) => attributes.name;
  const column = linkColumn('Name', nameOf, hrefOf, nameOf);
  return { ...column, isNarrow: true, width: '1.7fr', sort: byService };
}

/** The name of a signal. */
export const signalNameColumn = nameColumn(signalHref);

/** Type, unit and labels. */
export const describingColumns: readonly Column<Resource>[] = [
  {
    id: 'valueType',
    title: 'Type',
    width: '82px',
    sort: byService,
    cell: ({ attributes }) => <TypeText attributes={attributes} />,
  },
  textColumn('engUnit', 'Unit', ({ attributes }) => attributes.engUnit, { width: '64px', sort: byService }),
  {
    id: 'labels',
    title: 'Labels',
    width: '1.5fr',
    cell: ({ attributes }) => <Labels labels={attributes.labels} />,
  },
];

/** The newest value, its age, and the line of the last day. */
export function valueColumns({
  statuses,
  trends,
}: Pick<SignalFacts, 'statuses' | 'trends'>): [Column<Resource>, Column<Resource>, Column<Resource>] {
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
      cell: ({ id }) => <LastAge status={statuses.get(id)} />,
    },
    {
      id: 'trend',
      title: 'Last day',
      width: '118px',
      // Averages of states have no meaning.
      cell: ({ id, attributes }) =>
        attributes.valueType === 'numeric' ? <Sparkline values={trends.get(id) ?? []} /> : dash,
    },
  ];
}

/** Columns that are shown when they are chosen. */
export const extraColumns: readonly Column<Resource>[] = [
  textColumn('sourceType', 'Source', ({ attributes }) => attributes.sourceType, extra('120px')),
  textColumn('sampleInterval', 'Interval', ({ attributes }) => intervalOf(attributes), extra('100px')),
  textColumn('description', 'Description', ({ attributes }) => attributes.description, extra('2fr')),
  metaColumn('updatedAt', 'Changed'),
  metaColumn('createdAt', 'Created'),
  textColumn('id', 'ID', ({ id }) => id, { isCode: true, ...extra('210px') }),
];

function metaColumn(id: 'updatedAt' | 'createdAt', title: string): Column<Resource> {
  return { id, title, ...extra('180px'), cell: ({ meta }) => <Moment at={meta[id]} /> };
}

function extra(width: string) {
  return { width, isExtra: true, sort: byService };
}

function intervalOf({ sampleInterval }: Resource['attributes']): string {
  return sampleInterval === null ? '' : printPeriod(sampleInterval);
}

/** All columns of signals; those by which the service can sort have a `sort`. */
export function signalColumns(facts: SignalFacts): Column<Signal>[] {
  const [value, age, trend] = valueColumns(facts);
  return [
    signalNameColumn,
    textColumn('input', 'Input key', ({ attributes }) => attributes.input, {
      isCode: true,
      width: '1.2fr',
      sort: byService,
    }),
    ...describingColumns,
    value,
    { ...age, sort: byService },
    trend,
    sizeColumn(facts, 'points', 'Points', printPoints),
    {
      id: 'published',
      title: 'Published',
      width: '138px',
      cell: ({ id }) => <PublishBadge state={facts.states.get(id)} />,
    },
    { ...sizeColumn(facts, 'bytes', 'On disk', printBytes), isExtra: true },
    ...extraColumns,
  ];
}

function sizeColumn(
  { sizes }: SignalFacts,
  id: 'points' | 'bytes',
  title: string,
  print: (size: number) => string,
): Column<Signal> {
  return {
    id,
    title,
    width: '90px',
    isNumber: true,
    cell: (signal) => {
      const size = sizes.get(signal.id);
      return size ? <span className="figures">{print(size[id])}</span> : <span className="table-blank" />;
    },
  };
}

/** Large numbers are shortened; the page of the signal shows them exactly. */
function printPoints(points: number): string {
  return points < 1e6 ? printCount(points) : printShort(points);
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** Which columns are shown by default, whatever data there is. */
const signalColumnDefaults = signalColumns({
  statuses: nothing,
  states: nothing,
  sizes: nothing,
  trends: nothing,
});

const statusMs = 5000;
/** For data that programs may change while the page is open. */
const slowMs = 30_000;

/** The facts of the visible signals; requested only if a column shows them. */
export function useSignalFacts(ids: readonly string[]): SignalFacts {
  const idsFor = useShownColumns('signals', signalColumnDefaults, ids);
  const statuses = useFactsInSight('console.signals.status', idsFor('value', 'age'), statusMs);
  const states = useFactsInSight('console.publish.status', idsFor('published'), slowMs);
  const sizes = useFactsInSight('console.signals.sizes', idsFor('points', 'bytes'), slowMs);
  const trends = useSignalTrends(idsFor('trend'));
  return useMemo(() => ({ statuses, states, sizes, trends }), [statuses, states, sizes, trends]);
}
