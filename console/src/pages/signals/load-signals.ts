/** Pages of the signals of an integration. */
import type { Signal } from '@tidemark/client/wire';
import type { FilterJson } from '../../parts/filter/terms.ts';
import type { PageOf } from '../../parts/table-rows.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { type AgeChoice, ageParams, isByAge, loadByAge } from './age-filter.ts';

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
