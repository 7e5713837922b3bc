/** Pages of the signals of an integration. */
import type { Signal } from '@tidemark/client/wire';
import type { FilterJson } from '../../parts/filter/terms.ts';
import type { PageOf } from '../../parts/table-rows.ts';
import { call, type ParamsOf } from '../../platform/rpc/rpc.ts';
import { type AgeChoice, ageParams, isByAge } from './age-filter.ts';

/** The fields that a search text is compared with. */
export const signalSearchPaths = ['name', 'input'];

/** One page, by a filter, and by age if the order or `age` asks for it. */
export async function loadSignals(
  integration: string,
  { filter, sort, age = 'any' }: { filter: FilterJson; sort: string; age?: AgeChoice },
  skip: number,
  limit: number,
  signal?: AbortSignal,
): Promise<PageOf<Signal>> {
  if (isByAge(age, sort))
    return loadByAge({ ...ageParams(integration, { filter, sort, age }), skip, limit }, signal);
  const query = { filter, sort: sort === '' ? [] : [sort], skip, limit, total: true };
  const answer = await call('admin.selectSignals', { integration, query }, signal ? { signal } : {});
  return { rows: answer.data, total: answer.meta.total };
}

/** A page of signals by age, with all their data. Signals that have been deleted since are omitted. */
async function loadByAge(
  params: ParamsOf<'console.signals.byAge'> & { integration: string },
  signal?: AbortSignal,
): Promise<PageOf<Signal>> {
  const options = signal ? { signal } : {};
  const { signals, total } = await call('console.signals.byAge', params, options);
  if (signals.length === 0) return { rows: [], total };
  const ids = signals.map(({ id }) => id);
  const query = { filter: { id: { $in: ids } }, limit: ids.length };
  const { data } = await call('admin.selectSignals', { integration: params.integration, query }, options);
  const byId = new Map(data.map((each) => [each.id, each]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total };
}
