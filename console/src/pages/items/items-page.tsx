/** The items: what readers see. */
import { useMemo, useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { itemFields } from '../../parts/filter/fields.ts';
import { usePlaceFilter } from '../../parts/filter/place-filter.ts';
import { ResourceList } from '../../parts/filter/resource-list.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { usePagedRows } from '../../parts/table-rows.ts';
import { href, navigate } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { ListActions } from '../signals/list-actions.tsx';
import { itemColumns, itemHref, useItemFacts } from './item-columns.tsx';

const searchPaths = ['name', 'description'];

const chartMax = 50;

/** The list. */
export default function ItemsPage() {
  const place = usePlaceFilter(searchPaths, 'name');
  const { whole, sort, setSort } = place;
  const load = async (skip: number, limit: number, signal?: AbortSignal) => {
    const query = { filter: whole, sort: sort === '' ? [] : [sort], skip, limit, total: true };
    const answer = await call('service.selectItems', { query }, signal ? { signal } : {});
    return { rows: answer.data, total: answer.meta.total };
  };
  const rows = usePagedRows({ key: ['service.selectItems', whole, sort], load, sort, onSort: setSort });
  const facts = useItemFacts(rows.ids);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => itemColumns(facts), [facts]);
  const chart = () => navigate(href('/explorer', { items: [...ids].join('.') }));
  return (
    <Page title="Items" lead="Published signals, as readers, charts and formulas see them." isWide>
      <ResourceList
        place={place}
        fields={itemFields}
        searchLabel="Name or description"
        noun="item"
        label="Items"
        name="items"
        rows={rows}
        columns={columns}
        linkOf={itemHref}
        selection={{ ids, onChange: setIds }}
        empty={<NoItems isFiltered={Object.keys(whole).length > 0} />}
      >
        <ListActions
          target={{ kind: 'items' }}
          total={rows.total}
          ids={ids}
          onClear={() => setIds(new Set())}
          filter={whole}
          load={load}
          file="items.csv"
        >
          <Button isTiny tone="primary" icon="chart" isDisabled={ids.size > chartMax} onPress={chart}>
            {ids.size > chartMax ? `At most ${chartMax} items in a chart` : 'Open in explorer'}
          </Button>
        </ListActions>
      </ResourceList>
    </Page>
  );
}

function NoItems({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState icon="filter" title="No item matches" />;
  return (
    <EmptyState
      icon="box"
      title="Nothing is published yet"
      action={
        <LinkButton to={href('/publish')} tone="primary" icon="publish">
          Publish signals
        </LinkButton>
      }
    >
      <p>An item is a published signal, with metadata for its readers. Choose signals and publish them.</p>
    </EmptyState>
  );
}
