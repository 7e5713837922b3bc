/** Tools that find and describe items. */
import type { Client } from '@tidemark/client';
import type { Item } from '@tidemark/client/wire';
import { ArgumentError, type Arguments, type Session, type Tool, textsOf } from './tool.ts';

const findMax = 50;
const describeMax = 20;
const wordsMax = 10;

/** Finds items by words, labels, or a filter. */
export const findItems: Tool = {
  name: 'find_items',
  title: 'Find items',
  description: `Finds items (published time series) by words in their names and descriptions, by labels, or by a filter. Returns at most ${findMax}, with the number of all matches.`,
  isWrite: false,
  input: (methods) => {
    const query = (name: string) => methods.schema('service.selectItems', 'query', name);
    return methods.input({
      words: {
        type: 'string',
        description: 'Words that all occur in the name or the description; case is ignored.',
      },
      labels: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Label key to a value that the item has.',
      },
      ...{ filter: query('filter'), sort: query('sort'), limit: query('limit'), skip: query('skip') },
    });
  },
  async run({ client, signal }, args) {
    const limit = typeof args.limit === 'number' && args.limit > 0 ? Math.min(args.limit, findMax) : 20;
    const query = { filter: filterOf(args), sort: args.sort, limit, skip: args.skip ?? 0, total: true };
    const { meta, data } = await selectItems(client, query, signal);
    const shown = Number(query.skip) + data.length;
    const more =
      meta.total > shown
        ? { hint: `there are more: call again with skip ${shown}, or narrow the search` }
        : {};
    return { total: meta.total, items: data.map(shortOf), ...more };
  },
};

/** Describes items, with figures of the last days. */
export const describeItems: Tool = {
  name: 'describe_items',
  title: 'Describe items',
  description: `Returns all fields of up to ${describeMax} items, and figures of their data in the last seven days.`,
  isWrite: false,
  input: (methods) =>
    methods.input(
      {
        ids: {
          type: 'array',
          items: methods.element('service.evaluate', 'items', 'id'),
          maxItems: describeMax,
        },
      },
      ['ids'],
    ),
  run: (session, args) => describe(session, textsOf(args, 'ids', describeMax)),
};

/** The fields of items, and figures of their recent data. Unknown ones are named. */
export async function describe({ client, signal }: Session, ids: readonly string[]) {
  const query = { filter: { id: { $in: ids } }, limit: describeMax };
  const { data } = await selectItems(client, query, signal);
  const aggregations = ['count', 'min', 'max', 'avg', 'last'] as const;
  const items = data.flatMap(({ id }, i) =>
    aggregations.map((aggregation) => ({ id, aggregation, alias: `${aggregation}_${i}` })),
  );
  const { series } = await client.evaluate({ items, data: { rollup: 'window' } }, { signal });
  const recent = (i: number) =>
    Object.fromEntries(aggregations.map((name) => [name, numberOf(series.get(`${name}_${i}`)?.[0])]));
  const missing = ids.filter((id) => !data.some((item) => item.id === id));
  const described = data.map(({ id, attributes, meta }, i) => ({
    id,
    ...attributes,
    annotations: meta.annotations,
    lastSevenDays: recent(i),
  }));
  return missing.length === 0 ? { items: described } : { items: described, notFound: missing };
}

/** A number for JSON: NaN is null. */
export function numberOf(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** A page of items, in the form of lists. */
export function selectItems(client: Client, query: object, signal: AbortSignal) {
  type Answer = { meta: { total: number }; data: Item[] };
  return client.callAny('service.selectItems', { query }, { signal }) as Promise<Answer>;
}

function shortOf({ id, attributes }: Item) {
  const { name, description, valueType, engUnit, labels, visible } = attributes;
  return { id, name, description, valueType, engUnit, labels, visible };
}

/** The filter of the service for words, labels and a filter together. Throws {@link ArgumentError}. */
export function filterOf({ words = '', labels = {}, filter = {} }: Arguments): object {
  if (typeof words !== 'string') throw new ArgumentError('words: must be a text');
  if (typeof labels !== 'object' || labels === null) throw new ArgumentError('labels: must be an object');
  const list = words.split(/\s+/).filter((word) => word !== '');
  if (list.length > wordsMax)
    throw new ArgumentError(`words: must be at most ${wordsMax}, got ${list.length}`);
  const parts = list.map((word) => {
    const $regex = `(?i)${word.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`;
    return { $or: [{ name: { $regex } }, { description: { $regex } }] };
  });
  const labelled = Object.entries(labels).map(([key, value]) => ({ [`labels.${key}`]: value }));
  return { $and: [...parts, ...labelled, filter] };
}
