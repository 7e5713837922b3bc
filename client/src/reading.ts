/** Reads past the limits of one call: pages of items, parts of windows, groups of items; joined, and never silently short. */
import { ServiceError } from './error.ts';
import { type Columns, parseTimeUs, printTimeUs, toColumns, type WireFrame } from './frame.ts';
import { completeStates, joinColumns, keepLast } from './join-columns.ts';
import { longestUs, readParts, type Window } from './windows.ts';
import type { DataQuery, Item, Wire } from './wire.ts';

/** Reads Arrow streams: the module `@tidemark/client/arrow`. */
export interface ArrowReader {
  readArrow(stream: Uint8Array): Columns;
}

/** How a read differs from the usual. */
export interface ReadOptions {
  /** Ends the read; it then fails with the signal's reason. */
  signal?: AbortSignal;
  /** How long one attempt of one call may take, ms. */
  timeoutMs?: number;
  /** Frames are asked for as Arrow streams, which are smaller and faster to read. */
  arrow?: ArrowReader;
}

/** Which items. */
export interface ItemsQuery {
  /** As in the query of `service.selectItems`; without it all items. */
  filter?: Record<string, unknown>;
}

/** The parameters of `service.dataFrame` that can be read in parts. A window without both bounds is the service's default one. */
export interface FramesQuery {
  query?: ItemsQuery;
  data?: Omit<DataQuery, 'last' | 'outsidePoints'>;
}

/** The parameters of `service.evaluate` that make columns. */
export type EvaluateQuery = Pick<
  Wire['1.2']['service.evaluate']['params'],
  'items' | 'groups' | 'calculations' | 'data'
>;

/** What reading uses of a client in version 1.2. */
export interface Calls {
  callAny(method: string, params: object, options: ReadOptions): Promise<unknown>;
  callForArrow(
    method: 'service.dataFrame' | 'service.evaluate',
    params: object,
    options: ReadOptions,
  ): Promise<Uint8Array>;
}

const pageItems = 1000;
const callItems = 50;

/** All items that match, by ascending ID. Items that are created meanwhile may or may not be among them. */
export async function* readItems(
  calls: Calls,
  { filter = {} }: ItemsQuery,
  options: ReadOptions,
): AsyncGenerator<Item> {
  for (let last: string | null = null; ; ) {
    const after: object = last === null ? filter : { $and: [filter, { id: { $gt: last } }] };
    const query = { filter: after, sort: ['id'], limit: pageItems };
    const { data } = (await calls.callAny('service.selectItems', { query }, options)) as { data: Item[] };
    yield* data;
    if (data.length < pageItems) return;
    last = data[data.length - 1].id;
  }
}

/** The data of all items that match: parts of the window in ascending order, each with the series of all items. */
export async function* readFrames(
  calls: Calls,
  params: FramesQuery,
  options: ReadOptions,
): AsyncGenerator<Columns> {
  const { query = {}, data = {} } = params;
  const ids: string[] = [];
  for await (const { id } of readItems(calls, query, options)) ids.push(id);
  const groups: string[][] = [];
  for (let i = 0; i < ids.length; i += callItems) groups.push(ids.slice(i, i + callItems));
  const read = async (part: Window | null) => {
    const frames: Columns[] = [];
    for (const group of groups) {
      const items = { filter: { id: { $in: group } }, limit: callItems };
      frames.push(
        await readFrame(calls, 'service.dataFrame', { query: items, data: within(data, part) }, options),
      );
    }
    return joinColumns(frames);
  };
  if (groups.length > 0) yield* readWindow(calls, data, false, read, options);
}

/** As {@link readFrames}, joined. */
export async function readWholeFrame(
  calls: Calls,
  params: FramesQuery,
  options: ReadOptions,
): Promise<Columns> {
  const parts: Columns[] = [];
  for await (const part of readFrames(calls, params, options)) parts.push(part);
  return joinColumns(completeStates(parts));
}

/**
 * The columns of an evaluation. A window that is read in parts should begin and end between two buckets: a formula that looks at a
 * bucket which the window cuts sees all of it from the other parts. Throws `RangeError` where the window is too long for one call and a
 * formula needs it whole.
 */
export async function readEvaluation(
  calls: Calls,
  params: EvaluateQuery,
  options: ReadOptions,
): Promise<Columns> {
  const { data = {}, ...rest } = params;
  let count = 0;
  const read = (part: Window | null) => {
    if (++count > 1 || isPart(part, data)) checkDivisible(params);
    return readFrame(calls, 'service.evaluate', { ...rest, data: within(data, part) }, options);
  };
  const parts: Columns[] = [];
  for await (const part of readWindow(calls, data, true, read, options)) parts.push(part);
  const joined = joinColumns(parts);
  return parts.length > 1 && data.last !== undefined && data.last > 0 ? keepLast(joined, data.last) : joined;
}

function isPart(part: Window | null, data: DataQuery): boolean {
  const whole = windowOf(data);
  return part !== null && whole !== null && part.endUs < whole.endUs;
}

/** These functions look at the whole window, however far apart its buckets are (F4a, L3a). */
function checkDivisible({ calculations = [] }: EvaluateQuery): void {
  for (const { formula, alias } of calculations) {
    const [, name] = /\b(gapfill|interpolate|cumsum)\s*\(/.exec(formula) ?? [];
    if (name !== undefined)
      throw new RangeError(
        `the calculation ${alias} has ${name}(), which needs the whole window, and the window is too long for one call: ask for a shorter window or a wider rollup`,
      );
  }
}

/** One call where the window is short enough, unbounded, or a single bucket; else its parts. */
async function* readWindow(
  calls: Calls,
  data: DataQuery,
  isEvaluate: boolean,
  read: (part: Window | null) => Promise<Columns>,
  options: ReadOptions,
): AsyncGenerator<Columns> {
  const window = windowOf(data);
  const rollup = data.rollup || (isEvaluate ? 'window' : undefined);
  if (window === null || rollup === 'window') yield await read(null);
  else {
    const boundary = async (us: number) =>
      rollup === undefined ? us : bucketStart(calls, data, us, options);
    yield* readParts(window, { longestUs: longestUs(rollup, isEvaluate), read, boundary });
  }
}

/** The start of the bucket that contains a time, by the service's calendar. */
async function bucketStart(calls: Calls, data: DataQuery, us: number, options: ReadOptions): Promise<number> {
  const { rollup, timeZone, firstDayOfWeek, origin } = data;
  const times = { $gte: printTimeUs(us), $lt: printTimeUs(us + 1) };
  const params = {
    calculations: [{ formula: 'time_seconds', alias: 'start' }],
    data: { rollup, timeZone, firstDayOfWeek, origin, filter: { times } },
  };
  const { timesUs } = await readFrame(calls, 'service.evaluate', params, { ...options, arrow: undefined });
  return timesUs[0];
}

function windowOf({ filter }: DataQuery): Window | null {
  const { $gte, $lt } = filter?.times ?? {};
  if ($gte === undefined || $lt === undefined) return null;
  return { startUs: parseTimeUs($gte), endUs: parseTimeUs($lt) };
}

function within(data: DataQuery, part: Window | null): DataQuery {
  if (part === null) return data;
  const times = { $gte: printTimeUs(part.startUs), $lt: printTimeUs(part.endUs) };
  return { ...data, filter: { ...data.filter, times } };
}

async function readFrame(
  calls: Calls,
  method: 'service.dataFrame' | 'service.evaluate',
  params: object,
  { arrow, ...options }: ReadOptions,
): Promise<Columns> {
  if (arrow !== undefined) {
    try {
      return arrow.readArrow(await calls.callForArrow(method, params, options));
    } catch (error) {
      // A service, or a frame, that has no Arrow form.
      if (!(error instanceof ServiceError) || error.kind !== 'form') throw error;
    }
  }
  const { data } = (await calls.callAny(method, params, options)) as { data: WireFrame };
  return toColumns(data);
}
