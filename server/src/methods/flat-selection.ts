/** The flat form of service.selectItems: items, their signals and their data as separate members (interface.md, W10, R13, Q7). */
import Type, { type Static } from 'typebox';
import type { Filter, ResourceQuery } from '#model/filter';
import type { ProblemList } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import type { Call } from '#protocol/method';
import { closed } from '#protocol/schema';
import { flatDataPaths, flatDataQuerySchema, parseFlatDataQuery } from './data-query.ts';
import {
  flatItem,
  flatItemSchema,
  flatMap,
  flatSignal,
  flatSignalSchema,
  type ValueTypeName,
  valueTypeName,
} from './flat-view.ts';
import { readOptions } from './read-plan.ts';
import { flatQuerySchema, parseResourceQuery, queryRules, unreadQuery } from './resource-query.ts';
import { frameSchema } from './selection.ts';
import type { MethodServices } from './services.ts';

/** The parameters of the flat form. */
export const flatParams = Type.Object({
  items: Type.Optional(flatQuerySchema),
  data: Type.Optional(flatDataQuerySchema),
  signals: Type.Optional(flatQuerySchema),
});

/** The result of the flat form. Members are present if they were requested. */
export function flatResultSchema(name: ValueTypeName) {
  return closed({
    items: Type.Optional(Type.Record(Type.String(), flatItemSchema(name))),
    data: Type.Optional(frameSchema),
    signals: Type.Optional(Type.Record(Type.String(), flatSignalSchema(name))),
  });
}

type Services = Pick<MethodServices, 'signals' | 'query' | 'limits'>;

/** Selects items in the flat form. */
export async function selectFlatItems(
  services: Services,
  call: Call,
  params: Static<typeof flatParams>,
  problems: ProblemList,
) {
  const name = valueTypeName(call.version);
  const queries = parseQueries(services, params, problems);
  const { items, frame } = params.data?.include
    ? await selectData(services, call, queries, problems)
    : await selectItems(services, call, queries, problems);
  const signals = params.signals?.include
    ? await signalsOf(services, items, queries.signals, call.signal)
    : null;
  return {
    ...(params.items?.include ? { items: flatMap(items, flatItem, name) } : {}),
    ...(frame === null ? {} : { data: frame }),
    ...(signals === null ? {} : { signals: flatMap(signals, flatSignal, name) }),
  };
}

type Queries = ReturnType<typeof parseQueries>;

/** All parameters are validated before anything is read. With data fewer items are allowed (R13). */
function parseQueries(
  { limits }: Services,
  { items, data, signals }: Static<typeof flatParams>,
  problems: ProblemList,
) {
  const { selectLimitMax, itemsLimitMax } = limits;
  const itemRules = queryRules('items', 10, data?.include ? itemsLimitMax : selectLimitMax, limits);
  const signalRules = queryRules('signals', 10, selectLimitMax, limits);
  return {
    items: problems.attempt(() => parseResourceQuery(items, 'items', itemRules)) ?? unreadQuery,
    signals: problems.attempt(() => parseResourceQuery(signals, 'signals', signalRules)) ?? unreadQuery,
    data: parseFlatDataQuery(data, problems),
  };
}

async function selectItems({ signals }: Services, call: Call, { items }: Queries, problems: ProblemList) {
  problems.throwIfAny();
  return { items: (await signals.selectItems(items, () => call.signal)).records, frame: null };
}

function selectData({ query }: Services, call: Call, { items, data }: Queries, problems: ProblemList) {
  const counts = { items: 0, groups: 0, calculations: 0 };
  const options = readOptions(call, counts, data, problems);
  return query.selectData({ query: items, data, paths: flatDataPaths }, options);
}

/** The signals that feed these items and match the query; of every integration. */
async function signalsOf(
  { signals }: Services,
  items: readonly Item[],
  query: ResourceQuery,
  signal: AbortSignal,
): Promise<Signal[]> {
  if (items.length === 0) return [];
  const ids = items.map(({ id }) => id);
  const ofItems: Filter = { op: 'in', path: { field: 'item' }, values: ids };
  const filter: Filter = { op: 'and', filters: [ofItems, query.filter] };
  return (await signals.selectSignals({ ...query, filter }, null, signal)).records;
}
