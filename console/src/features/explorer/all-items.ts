/** Every item that matches a text, however many there are. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRested } from '../../parts/in-sight.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { type Item, readItem, searchFilter } from './item.ts';

/** The number of items that the service lists in one call. */
const pageMax = 1000;

interface Loading {
  count: number;
  total: number;
}

/** All items that match; `loading` is null once they are there. */
export function useAllItems(text: string) {
  const settled = useRested(text);
  const [progress, setProgress] = useState<Loading>({ count: 0, total: 0 });
  const query = useQuery({
    queryKey: ['explorer-all-items', settled],
    queryFn: ({ signal }) => loadAllItems(searchFilter(settled), signal, setProgress),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    structuralSharing: false,
  });
  return { items: query.data ?? [], error: query.error, loading: query.isFetching ? progress : null };
}

/** Page by page in the order of IDs, so that items that are created or deleted meanwhile do not shift the others. */
async function loadAllItems(
  filter: Record<string, unknown>,
  signal: AbortSignal,
  onProgress: (loading: Loading) => void,
): Promise<Item[]> {
  const items: Item[] = [];
  let total = 0;
  for (;;) {
    const after = { id: { $gt: items.at(-1)?.id ?? '' } };
    const query = { filter: { $and: [filter, after] }, sort: ['id'], limit: pageMax, total: total === 0 };
    const { meta, data } = await call('service.selectItems', { query }, { signal });
    items.push(...data.map(readItem));
    total = Math.max(total, meta.total, items.length);
    onProgress({ count: items.length, total });
    if (data.length < pageMax) return items;
  }
}
