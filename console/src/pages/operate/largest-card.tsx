/** The signals that use the most disk space. */
import type { StoreSizes } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { linkColumn, numberColumn, textColumn } from '../../parts/column-kinds.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { printBytes } from '../../parts/number.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { useSizes } from './sizes.ts';

type Row = StoreSizes['largest'][number];

/** The card; `chosen` is one integration, or empty for all. */
export function LargestCard({ names, chosen }: { names: ReadonlyMap<string, string>; chosen: string }) {
  const sizes = useSizes();
  const columns = useMemo(() => columnsFor(names), [names]);
  const list = useMemo(
    () => sizes.data?.largest.filter(({ integration }) => chosen === '' || integration === chosen),
    [sizes.data, chosen],
  );
  return (
    <TableCard
      title="Largest signals"
      note="The twenty signals that use the most disk space, updated every five minutes. Recent points are estimated."
      name="largest"
      of={sizes}
      list={list}
      sort="-bytes"
      columns={columns}
      idOf={({ id }) => id}
      empty={<EmptyState icon="wave" title="No points stored yet" />}
    />
  );
}

function columnsFor(names: ReadonlyMap<string, string>): Column<Row>[] {
  const ownerOf = ({ integration }: Row) => names.get(integration) ?? integration;
  return [
    linkColumn(
      'Signal',
      ({ name }) => name,
      ({ id, integration }) => href(`/signals/${integration}/${id}`),
      ({ input }) => input,
    ),
    textColumn('integration', 'Integration', ownerOf, { width: '1.6fr', sort: ownerOf }),
    numberColumn('points', 'Points', ({ points }) => points),
    numberColumn('bytes', 'On disk', ({ bytes }) => bytes, printBytes),
    {
      ...numberColumn<Row>(
        'each',
        'Bytes per point',
        ({ points, bytes }) => bytes / points,
        (each) => each.toFixed(2),
      ),
      width: '130px',
    },
  ];
}
