/** The signals that feed an item. Items do not list them, so the signals of each integration are searched. */
import { useQuery } from '@tanstack/react-query';
import type { Signal } from '@tidemark/client/wire';
import { call } from '../../platform/rpc/rpc.ts';

interface Feeding {
  signal: Signal;
  integration: string;
  integrationName: string;
}

/** The signals that feed an item, those of the oldest integration first. */
export function useFeedingSignals(item: string) {
  const query = useQuery({
    queryKey: ['admin.selectSignals', 'of-item', item],
    queryFn: ({ signal }) => findFeeding(item, signal),
  });
  return { list: query.data, error: query.error };
}

async function findFeeding(item: string, signal: AbortSignal): Promise<Feeding[]> {
  const { integrations } = await call('console.integrations.list', {}, { signal });
  const found = await Promise.all(
    integrations
      .filter(({ items }) => items > 0)
      .map(async ({ id, name }) => {
        const params = { integration: id, query: { filter: { item }, sort: ['createdAt'], limit: 100 } };
        const { data } = await call('admin.selectSignals', params, { signal });
        return data.map((each) => ({ signal: each, integration: id, integrationName: name }));
      }),
  );
  return found.flat();
}
