/** A case of a `.case` file → a call of Query. */
import type { Calculation } from '#domain/formula/formula';
import {
  type Aggregated,
  type DataPaths,
  type DataQuery,
  dataQueryDefaults,
  type ItemAggregation,
  type ItemGroup,
  parseAggregation,
  parseGroupAggregation,
} from '#domain/query/request';
import { parseDuration } from '#model/duration';
import type { Frame } from '#model/frame';
import type { Limits } from '#model/limits';
import type { Item } from '#model/signal';
import { readTime } from './notation.ts';
import { type Block, ScriptError, wordsOf } from './script.ts';
import type { World } from './world.ts';

const paths: DataPaths = {
  window: 'window',
  rollup: 'rollup',
  timeZone: 'zone',
  firstDayOfWeek: 'firstDayOfWeek',
  series: 'return',
};

/** What the lines of a case ask for. */
export interface Request {
  data: DataQuery;
  items: ItemAggregation[];
  groups: ItemGroup[];
  calculations: Calculation[];
  /** The items of a data frame or of the flat form. */
  selected: Item[];
  limits: Partial<Limits>;
}

/** Asks for the default window, raw, in UTC. */
function emptyRequest(): Request {
  return {
    data: { ...dataQueryDefaults },
    items: [],
    groups: [],
    calculations: [],
    selected: [],
    limits: {},
  };
}

type Reader = (request: Request, block: Block, world: World) => void;

/** The lines that a case can have. */
const readers: Readonly<Record<string, Reader>> = {
  from: ({ data }, { text, line }) => {
    data.fromUs = readTime(text, line);
  },
  before: ({ data }, { text, line }) => {
    data.beforeUs = readTime(text, line);
  },
  rollup: ({ data }, { text }) => {
    data.rollup = text === 'window' ? 'window' : parseDuration(text);
  },
  zone: ({ data }, { text }) => {
    data.timeZone = text;
  },
  firstDayOfWeek: ({ data }, { text }) => {
    data.firstDayOfWeek = Number(text);
  },
  origin: ({ data }, { text, line }) => {
    data.originUs = readTime(text, line);
  },
  last: ({ data }, { text }) => {
    data.last = Number(text);
  },
  outsidePoints: ({ data }) => {
    data.outsidePoints = true;
  },
  return: ({ data }, { text }) => {
    data.series = wordsOf(text);
  },
  items: (request, { text, line }, world) => {
    request.selected = wordsOf(text).map((name) => itemOf(name, line, world));
  },
  item: (request, block, world) => request.items.push(readItem(block, world)),
  group: (request, block, world) => request.groups.push(readGroup(block, world)),
  calc: (request, { text, line }) => {
    const [, alias, formula] =
      /^(\S+)\s*=\s?(.*)$/.exec(text) ?? fail(line, 'meant is: calc <alias> = <formula>');
    request.calculations.push({ alias, formula });
  },
  limit: (request, { text }) => {
    const [name, value] = wordsOf(text);
    request.limits = { ...request.limits, [name]: Number(value) };
  },
};

/** Reads the lines of a case; the expectation is none of them. */
export function readRequest(blocks: readonly Block[], world: World): Request {
  const request = emptyRequest();
  for (const block of blocks) {
    const read = readers[block.command] ?? fail(block.line, `unknown word "${block.command}"`);
    read(request, block, world);
  }
  return request;
}

/** Makes the call that `form` names. */
export async function answer(form: string, request: Request, world: World): Promise<Frame> {
  const query = world.query(request.limits);
  const { data, items, groups, calculations } = request;
  const byName = data.series?.map((key) => idKey(key, request.selected)) ?? null;
  const values = request.selected.map(({ id }) => id);
  const filter = { op: 'in', path: { field: 'id' }, values } as const;
  const selected = { filter, sort: [], limit: 50, skip: 0, total: false };
  const frameRequest = { query: selected, data: { ...data, series: byName }, paths };
  if (form === 'dataframe') return (await query.dataFrame(frameRequest)).frame;
  if (form === 'selectitems') return (await query.selectData(frameRequest)).frame;
  return (await query.evaluate({ items, groups, calculations, data, paths })).frame;
}

/** `level_sum` → the item's ID and `_sum`. */
function idKey(key: string, items: readonly Item[]): string {
  const item = items.find(
    ({ attributes }) => key === attributes.name || key.startsWith(`${attributes.name}_`),
  );
  return item === undefined ? key : item.id + key.slice(item.attributes.name.length);
}

/** `<alias> = <aggregation> <item> [state n] [lead n] [lag n]`. */
function readItem({ text, line }: Block, world: World): ItemAggregation {
  const { alias, words, options } = readAlias(text, line);
  const [aggregation, name] = words;
  return { ...options, alias, ...aggregationOf(aggregation, line), id: idOf(name, line, world) };
}

/** `<alias> = <group aggregation> <aggregation> <item>… [state n] [lead n] [lag n]`. */
function readGroup({ text, line }: Block, world: World): ItemGroup {
  const { alias, words, options } = readAlias(text, line);
  const [across, aggregation, ...names] = words;
  const values = names.map((name) => idOf(name, line, world));
  const filter = { op: 'in' as const, path: { field: 'id' as const }, values };
  const query = { filter, sort: [], limit: 51, skip: 0, total: false };
  const groupAggregation =
    parseGroupAggregation(across) ?? fail(line, `unknown group aggregation "${across}"`);
  return { ...options, alias, ...aggregationOf(aggregation, line), query, groupAggregation };
}

function readAlias(text: string, line: number) {
  const [, alias, rest] = /^(\S+)\s*=\s*(.*)$/.exec(text) ?? fail(line, 'meant is: <alias> = …');
  const options: Pick<Aggregated, 'state' | 'lead' | 'lag'> = { state: null, lead: 0, lag: 0 };
  const words = wordsOf(
    rest.replaceAll(/\b(state|lead|lag) (\S+)/g, (_, name: 'state', value: string) => {
      options[name] = Number(value);
      return '';
    }),
  );
  return { alias, words, options };
}

function aggregationOf(name: string, line: number): Pick<Aggregated, 'aggregation'> {
  return { aggregation: parseAggregation(name) ?? fail(line, `unknown aggregation "${name}"`) };
}

/** The ID of an item; a name that begins with ? is an unknown ID. */
function idOf(name: string, line: number, world: World): string {
  return name.startsWith('?') ? '0'.repeat(20) : itemOf(name, line, world).id;
}

function itemOf(name: string, line: number, world: World): Item {
  return world.item(name) ?? fail(line, `no item "${name}"`);
}

function fail(line: number, message: string): never {
  throw new ScriptError(line, message);
}
