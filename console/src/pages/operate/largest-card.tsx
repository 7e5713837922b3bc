/** The signals that use the most disk space. */

import type { StoreSizes } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { href } from '../../platform/router/place.ts';
import { useSizes } from './sizes.ts';

/** The card; `chosen` is one integration, or empty for all. */
export function LargestCard({ names, chosen }: { names: ReadonlyMap<string, string>; chosen: string }) {
  const sizes = useSizes();
  const columns = useMemo(() => columnsFor(names), [names]);
  const list = useMemo(
    () => sizes.data?.largest.filter(({ integration }) => chosen === '' || integration === chosen),
    [sizes.data, chosen],
  );
  const rows = useLocalRows(list, columns, '-bytes');
  return (
    <Card
      title="Largest signals"
      note="The twenty that take most room; those of the last moments are estimated. Counted every five minutes."
      isFlush
    >
      {sizes.error && <ErrorNotice error={sizes.error} />}
      <DataTable
        label="Largest signals"
        name="largest"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        height="420px"
        empty={<EmptyState icon="wave" title="Nothing is stored yet" />}
      />
    </Card>
  );
}

function columnsFor(names: ReadonlyMap<string, string>): Column<StoreSizes['largest'][number]>[] {
  return [
    {
      id: 'name',
      title: 'Signal',
      width: '2fr',
      sort: ({ name }) => name,
      cell: ({ id, integration, name, input }) => (
        <a className="table-name" href={href(`/signals/${integration}/${id}`)} title={input}>
          {name}
        </a>
      ),
    },
    {
      id: 'integration',
      title: 'Integration',
      width: '1.6fr',
      sort: ({ integration }) => names.get(integration) ?? integration,
      cell: ({ integration }) => names.get(integration) ?? integration,
    },
    {
      id: 'points',
      title: 'Points',
      isNumber: true,
      sort: ({ points }) => points,
      cell: ({ points }) => printCount(points),
    },
    {
      id: 'bytes',
      title: 'On disk',
      isNumber: true,
      sort: ({ bytes }) => bytes,
      cell: ({ bytes }) => printBytes(bytes),
    },
    {
      id: 'each',
      title: 'A point',
      isNumber: true,
      sort: ({ points, bytes }) => bytes / points,
      cell: ({ points, bytes }) => `${(bytes / points).toFixed(2)} B`,
    },
  ];
}
