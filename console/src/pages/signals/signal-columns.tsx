/** The columns of signals. */
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../router/place.ts';
import type { PublishState, SignalStatus, SignalView } from '../../session/views.ts';
import { Moment } from '../../time/moment.tsx';
import { Labels, LastAge, LastValue, PublishBadge, TypeText } from './signal-cells.tsx';

/** What is known of the rows in sight beside what they say. */
export interface SignalFacts {
  statuses: ReadonlyMap<string, SignalStatus>;
  states: ReadonlyMap<string, PublishState>;
}

/** The address of a signal's page. */
export function signalHref({ id, relationships }: SignalView): string {
  return href(`/signals/${relationships.integration.data?.id ?? '-'}/${id}`);
}

const byName = () => null;

/** All columns; those that the service can sort by have a `sort`. */
export function signalColumns({ statuses, states }: SignalFacts): Column<SignalView>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: '2.4fr',
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
      width: '2fr',
      sort: byName,
      cell: ({ attributes }) => <code title={attributes.input}>{attributes.input}</code>,
    },
    {
      id: 'value',
      title: 'Last value',
      width: '1.4fr',
      isNumber: true,
      cell: ({ id, attributes }) => <LastValue status={statuses.get(id)} attributes={attributes} />,
    },
    { id: 'age', title: 'Age', width: '110px', cell: ({ id }) => <LastAge status={statuses.get(id)} /> },
    {
      id: 'published',
      title: 'Published',
      width: '140px',
      cell: ({ id }) => <PublishBadge state={states.get(id)} />,
    },
    {
      id: 'labels',
      title: 'Labels',
      width: '3fr',
      cell: ({ attributes }) => <Labels labels={attributes.labels} />,
    },
    ...extraColumns,
  ];
}

const extraColumns: readonly Column<SignalView>[] = [
  {
    id: 'valueType',
    title: 'Type',
    width: '100px',
    isExtra: true,
    sort: byName,
    cell: ({ attributes }) => <TypeText attributes={attributes} />,
  },
  {
    id: 'engUnit',
    title: 'Unit',
    width: '90px',
    isExtra: true,
    sort: byName,
    cell: ({ attributes }) => attributes.engUnit || <span className="quiet">–</span>,
  },
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
    cell: ({ attributes }) => attributes.sampleInterval ?? <span className="quiet">–</span>,
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
