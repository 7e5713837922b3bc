/** Streams of live values (N): which items a client may watch and asks for. No operation of JSON-RPC, since its answer does not end. */
import Type from 'typebox';
import { type Caller, partyOf } from '#model/caller';
import { invalidParams } from '#model/error';
import type { LiveRequest, LiveSource } from '#protocol/live';
import { mayCall } from '#protocol/permission';
import { compileReader } from '#protocol/schema';
import { screenParams } from '#protocol/screen';
import { parseResourceQuery, queryRules, resourceQuerySchema } from './resource-query.ts';
import type { MethodServices } from './services.ts';

type Services = Pick<MethodServices, 'live' | 'signals' | 'limits'>;

const method = 'service.live';

const reader = compileReader(Type.Object({ query: resourceQuerySchema }));

/** Members of a query: it comes in a URL, which is short. */
const membersMax = 1000;

/** Streams over the domain. */
export function liveSource({ live, signals, limits }: Services): LiveSource {
  const itemsOf = async ({ items, query }: LiveRequest, signal: AbortSignal): Promise<readonly string[]> => {
    if ((items === null) === (query === undefined))
      throw invalidParams({ items: ['give either items, IDs separated by commas, or query'] });
    if (items !== null) {
      const ids = [...new Set(items)];
      await live.checkItems(ids);
      return ids;
    }
    const given = { query };
    screenParams(given, { levelsMax: limits.paramsLevelsMax, membersMax, texts: true });
    const rules = queryRules('items', 50, limits.liveItemsMax, limits);
    const { records } = await signals.selectItems(
      parseResourceQuery(reader.read(given).query, 'query', rules),
      signal,
    );
    const stored = records.filter(({ calculation }) => calculation === null);
    const problem = records.length === 0 ? 'selects no item' : 'selects calculated items only (C6)';
    if (stored.length === 0) throw invalidParams({ query: [problem] });
    return stored.map(({ id }) => id);
  };
  return {
    method,
    mayWatch: (caller: Caller) => mayCall(caller, { grant: 'service', role: 'viewer' }),
    async open(caller, request, ticket, signal) {
      const items = await itemsOf(request, signal);
      await ticket.account.admit(method);
      return live.watch({ party: partyOf(caller), items, after: request.after });
    },
  };
}
