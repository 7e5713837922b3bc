/** The columns of items. */

import type { Item } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { copyAndTell } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { printPeriod } from '../../platform/time/span.ts';
import { Labels, LastAge, LastValue, TypeText } from '../signals/signal-cells.tsx';
import type { ItemFacts } from './item-known.ts';

/** The address of an item's page. */
export function itemHref({ id }: Item): string {
  return href(`/items/${id}`);
}

const byService = () => null;

/** All columns; those that the service can sort by have a `sort`. */
export function itemColumns(facts: ItemFacts): Column<Item>[] {
  return [...namingColumns, ...knownColumns(facts), ...otherColumns];
}

const namingColumns: readonly Column<Item>[] = [
  {
    id: 'name',
    isNarrow: true,
    title: 'Name',
    width: '2.2fr',
    sort: byService,
    cell: (item) => (
      <a className="table-name" href={itemHref(item)} title={item.attributes.name}>
        {item.attributes.name}
      </a>
    ),
  },
  {
    id: 'valueType',
    title: 'Type',
    width: '86px',
    sort: byService,
    cell: ({ attributes }) => <TypeText attributes={attributes} />,
  },
  {
    id: 'engUnit',
    title: 'Unit',
    width: '68px',
    sort: byService,
    cell: ({ attributes }) => attributes.engUnit || <span className="quiet">–</span>,
  },
  {
    id: 'labels',
    title: 'Labels',
    width: '2fr',
    cell: ({ attributes }) => <Labels labels={attributes.labels} />,
  },
];

function knownColumns({ statuses, trends }: ItemFacts): Column<Item>[] {
  return [
    {
      id: 'value',
      isNarrow: true,
      title: 'Last value',
      width: '1.2fr',
      isNumber: true,
      cell: ({ id, attributes }) => <LastValue status={statuses.get(id)} attributes={attributes} />,
    },
    {
      id: 'age',
      isNarrow: true,
      title: 'Age',
      width: '76px',
      cell: ({ id }) => <LastAge status={statuses.get(id)} />,
    },
    {
      id: 'trend',
      title: 'Last day',
      width: '120px',
      cell: ({ id, attributes }) =>
        attributes.valueType === 'numeric' ? (
          <Sparkline values={trends.get(id) ?? []} />
        ) : (
          <span className="quiet">–</span>
        ),
    },
  ];
}

const otherColumns: readonly Column<Item>[] = [
  {
    id: 'visible',
    title: 'Visible',
    width: '100px',
    sort: byService,
    cell: ({ attributes }) =>
      attributes.visible ? <Badge tone="good">visible</Badge> : <Badge>hidden</Badge>,
  },
  {
    id: 'updatedAt',
    title: 'Changed',
    width: '180px',
    sort: byService,
    isExtra: true,
    cell: ({ meta }) => <Moment at={meta.updatedAt} />,
  },
  {
    id: 'createdAt',
    title: 'Created',
    width: '180px',
    isExtra: true,
    sort: byService,
    cell: ({ meta }) => <Moment at={meta.createdAt} />,
  },
  {
    id: 'sourceType',
    title: 'Source',
    width: '120px',
    isExtra: true,
    sort: byService,
    cell: ({ attributes }) => attributes.sourceType,
  },
  {
    id: 'sampleInterval',
    title: 'Interval',
    width: '100px',
    isExtra: true,
    sort: byService,
    cell: ({ attributes }) =>
      attributes.sampleInterval ? printPeriod(attributes.sampleInterval) : <span className="quiet">–</span>,
  },
  {
    id: 'description',
    title: 'Description',
    width: '2fr',
    isExtra: true,
    sort: byService,
    cell: ({ attributes }) => <span title={attributes.description}>{attributes.description}</span>,
  },
  {
    id: 'id',
    title: 'ID',
    width: '210px',
    isExtra: true,
    sort: byService,
    cell: ({ id }) => <code>{id}</code>,
  },
  { id: 'actions', title: 'Actions', width: '80px', cell: (item) => <ItemMenu item={item} /> },
];

function ItemMenu({ item: { id, attributes } }: { item: Item }) {
  return (
    <RowActions>
      <Menu
        label={`Actions for ${attributes.name}`}
        isTiny
        entries={[
          { text: 'Open in explorer', icon: 'chart', to: href('/explorer', { items: id }) },
          { text: 'Copy ID', icon: 'copy', run: () => void copyAndTell(id, 'Item ID') },
        ]}
      />
    </RowActions>
  );
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** What the columns are called and which are shown at first, whatever is known. */
export const itemColumnNames = itemColumns({ statuses: nothing, trends: nothing }).map(
  ({ id, isExtra = false, isNarrow = false }) => ({ id, isExtra, isNarrow }),
);
