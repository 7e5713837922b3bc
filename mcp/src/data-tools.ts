/** Tools that read data and compute with it. */
import { boundFrame, type Frame, valuesMax } from './bounded.ts';
import { filterOf, numberOf, selectItems } from './item-tools.ts';
import { ArgumentError, type Arguments, type Session, type Tool } from './tool.ts';

/** Reads points or rollups. */
export const readData: Tool = {
  name: 'read_data',
  title: 'Read data',
  description: `Returns the data of items in a time range, raw or rolled up. An answer has at most ${valuesMax} values: of more you get figures and a hint how to ask for less.`,
  isWrite: false,
  input: (methods) =>
    methods.input({
      query: methods.schema('service.dataFrame', 'query'),
      data: methods.schema('service.dataFrame', 'data'),
    }),
  run: (session, { query, data }) => readFrame(session, 'service.dataFrame', { query, data }),
};

/** Evaluates formulas. */
export const evaluate: Tool = {
  name: 'evaluate',
  title: 'Evaluate formulas',
  description: `Aggregates items over time and evaluates formulas over the aggregates, such as "(a - b) / a". An answer has at most ${valuesMax} values.`,
  isWrite: false,
  input: (methods) => {
    const param = (name: string) => methods.schema('service.evaluate', name);
    return methods.input({
      ...{
        items: param('items'),
        groups: param('groups'),
        calculations: param('calculations'),
        data: param('data'),
      },
    });
  },
  run: (session, { items, groups, calculations, data }) =>
    readFrame(session, 'service.evaluate', { items, groups, calculations, data }),
};

/** Compares two time ranges. */
export const comparePeriods: Tool = {
  name: 'compare_periods',
  title: 'Compare two periods',
  description:
    'Aggregates items over two time ranges and returns both values, their difference, and the change in percent.',
  isWrite: false,
  input: (methods) => {
    const times = methods.schema('service.evaluate', 'data', 'filter', 'times');
    const items = methods.schema('service.evaluate', 'items');
    return methods.input({ items, first: times, second: times }, ['items', 'first', 'second']);
  },
  async run(session, { items, first, second }) {
    if (!Array.isArray(items)) throw new ArgumentError('items: must be a list');
    const values = async (times: unknown) => {
      const { series } = await frameOf(session, 'service.evaluate', {
        ...{ items, data: { filter: { times }, rollup: 'window' } },
      });
      return series;
    };
    const [before, after] = [await values(first), await values(second)];
    return {
      comparisons: Object.keys(before).map((alias) => compare(alias, before[alias][0], after[alias]?.[0])),
    };
  },
};

function compare(alias: string, first: number | null, second: number | null = null) {
  if (first === null || second === null) return { alias, first, second, difference: null, percent: null };
  const difference = second - first;
  return {
    alias,
    first,
    second,
    difference,
    percent: first === 0 ? null : (100 * difference) / Math.abs(first),
  };
}

const statesMax = 50;

/** Lists items with states. */
export const listStates: Tool = {
  name: 'list_states',
  title: 'List states',
  description: `Lists items whose values are states, such as open and closed, with the names of the states and the seconds in each of them in a time range. At most ${statesMax} items.`,
  isWrite: false,
  input: (methods) =>
    methods.input({
      filter: methods.schema('service.selectItems', 'query', 'filter'),
      times: methods.schema('service.dataFrame', 'data', 'filter', 'times'),
    }),
  async run(session, args) {
    const filter = { $and: [filterOf({ filter: args.filter }), { valueType: 'enum' }] };
    const query = { filter, limit: statesMax, total: true };
    const { meta, data } = await selectItems(session.client, query, session.signal);
    const window = {
      ...(args.times === undefined ? {} : { filter: { times: args.times } }),
      rollup: 'window',
    };
    const ids = data.map(({ id }) => id);
    const { series } = await frameOf(session, 'service.dataFrame', {
      ...{ query: { filter: { id: { $in: ids } }, limit: statesMax }, data: window },
    });
    const items = data.map(({ id, attributes: { name, enumValues } }) => ({
      ...{ id, name, states: statesOf(id, enumValues, series) },
    }));
    const more = meta.total > items.length ? { hint: 'there are more: narrow the filter' } : {};
    return { total: meta.total, items, ...more };
  },
};

function statesOf(id: string, names: Record<string, string>, series: Frame['series']) {
  const prefix = `${id}_state_`;
  const found = Object.keys(series).filter((key) => key.startsWith(prefix));
  const states = new Set([...Object.keys(names), ...found.map((key) => key.slice(prefix.length))]);
  return [...states].map((state) => ({
    ...{
      state: Number(state),
      name: names[state] ?? null,
      seconds: numberOf(series[prefix + state]?.[0] ?? undefined),
    },
  }));
}

type Method = 'service.dataFrame' | 'service.evaluate';

async function readFrame(session: Session, method: Method, params: Arguments): Promise<object> {
  return boundFrame(await frameOf(session, method, params));
}

async function frameOf({ client, signal }: Session, method: Method, params: Arguments): Promise<Frame> {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  const { data } = (await client.callAny(method, given, { signal })) as { data: Frame };
  return data;
}
