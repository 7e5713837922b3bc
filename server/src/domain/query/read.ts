/** What a query reads: its items with the signals that feed them, then once, or once for each piece, the series store. */

import type { ReadMemory } from '#load/read-memory';
import type { Ending } from '#model/ending';
import type { Points } from '#model/frame';
import { instantUsMax } from '#model/instant';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { type Rollup, rollUp } from '#model/rollup';
import type { Item } from '#model/signal';
import type { RunStep } from '#model/steps';
import type { FedItem, MetaReads } from '#storage/meta-store';
import type {
  RollupRequest,
  RollupSource,
  ScanRequest,
  ScanSource,
  SeriesStore,
  Source,
} from '#storage/store';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import { explainRefusal } from './check.ts';
import { type Column, gapUsOf, type ItemSource } from './column.ts';
import { type Plan, pieceStatesMax } from './plan.ts';
import type { Aggregated, EvaluateRequest, GroupAggregation, ItemGroup, ReadOptions } from './request.ts';
import type { Piece } from './window.ts';

/** How many groups are looked up concurrently. */
const groupsAtOnce = 4;

/** What looking up needs. */
export interface LookUp {
  meta: Pick<MetaReads, 'signals' | 'items'>;
  limits: Limits;
  signal: Ending | undefined;
}

/**
 * Looks up the items and groups, with the signals that feed them: one column for each, in the order asked. Fails with
 * `invalid-params` by path when an item does not exist, or when they are too many.
 */
export async function lookUpColumns(request: EvaluateRequest, lookUp: LookUp): Promise<Column[]> {
  const { meta, limits } = lookUp;
  const problems = new ProblemList();
  const ids = [...new Set(request.items.map(({ id }) => id))];
  checkCount(ids.length, 'items', limits, problems);
  problems.throwIfAny();
  const [found, groups] = await Promise.all([
    ids.length === 0 ? [] : meta.items.fedById(ids),
    lookUpGroups(request.groups, new Set(ids), lookUp, problems),
  ]);
  const items = new Map(found.map((item) => [item.id, item]));
  const unknown = ids.filter((id) => !items.has(id));
  const described = unknown.length === 0 ? null : await describeUnknownItems(meta, unknown);
  const columns: Column[] = [];
  request.items.forEach((asked, i) => {
    const item = items.get(asked.id);
    if (item === undefined) problems.add(['items', i, 'id'], described?.get(asked.id) ?? '');
    else columns.push(columnOf(asked, [item], null));
  });
  problems.throwIfAny();
  return [...columns, ...groups];
}

function columnOf(
  { alias, aggregation, state, lead, lag }: Aggregated,
  members: readonly FedItem[],
  groupAggregation: GroupAggregation | null,
): Column {
  return { alias, aggregation, state, offset: lead - lag, members, groupAggregation };
}

/** Adds the items of the groups to `ids`; stops at the first group with which there are too many. */
async function lookUpGroups(
  groups: readonly ItemGroup[],
  ids: Set<string>,
  { meta, limits, signal }: LookUp,
  problems: ProblemList,
): Promise<Column[]> {
  const columns: Column[] = [];
  for (let start = 0; start < groups.length && problems.isEmpty; start += groupsAtOnce) {
    const some = groups.slice(start, start + groupsAtOnce);
    const selected = await Promise.all(some.map(({ query }) => meta.items.selectFed(query, signal)));
    selected.forEach(({ records }, i) => {
      const isCut = some[i].query.limit > limits.itemsLimitMax && records.length === some[i].query.limit;
      for (const { id } of records) ids.add(id);
      if (problems.isEmpty) checkCount(ids.size, `groups.${start + i}`, limits, problems, isCut);
      columns.push(columnOf(some[i], records, some[i].groupAggregation));
    });
  }
  return columns;
}

/** `isCut`: a search that was to find one item too many has found it, so there may be any number more. */
function checkCount(count: number, path: string, limits: Limits, problems: ProblemList, isCut = false): void {
  const max = limits.itemsLimitMax;
  if (count <= max) return;
  const got = isCut ? `more than ${max}` : count;
  problems.add([path], `all items and groups together must reference at most ${max} items, got ${got}`);
}

/** Every item behind these columns, each once, by ID ascending. */
export function itemsBehind(columns: readonly Column[]): Item[] {
  const items = new Map(columns.flatMap(({ members }) => members.map((item) => [item.id, item])));
  return [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The store that is read, and how. */
export type Reader = { series: SeriesStore } & Pick<ReadOptions, 'signal' | 'onFacts'>;

/** What one call reads with. */
export interface CallReader extends Reader {
  memory: ReadMemory;
  runStep: RunStep;
  /** The time of the call, µs. */
  nowUs: number;
}

/** The rollups of a plan's sources over a piece of the window. Fails with `invalid-params` when there are too many states. */
export async function readPiece(
  reader: Reader & { nowUs: number },
  { sources, shape }: Plan,
  piece: Piece,
): Promise<Rollup[]> {
  const request = {
    sources: sources.map((source) => toSource(source, piece)),
    buckets: piece.buckets,
    nowUs: reader.nowUs,
    valuesMax: pieceStatesMax,
  };
  try {
    return await readRollups(reader, request);
  } catch (error) {
    throw explainRefusal(shape, error);
  }
}

/** Aggregates: by the store where it can, else from its points; the answer is the same. */
export function readRollups(
  { series, signal, onFacts }: Reader,
  { sources, ...request }: RollupRequest,
): Promise<Rollup[]> {
  const { buckets, nowUs, valuesMax } = request;
  onFacts?.({ signals: countSignals(sources), buckets: buckets.edgesUs.length - 1 });
  const finish = (points: Points, source: RollupSource) => rollUp(points, source, buckets, nowUs, valuesMax);
  return readFed(
    sources,
    async (fed) => {
      if (series.rollup !== undefined) return series.rollup({ ...request, sources: fed }, signal, onFacts);
      const points = await series.scan({ sources: fed.map(toScan) }, signal, onFacts);
      return points.map((one, i) => finish(one, fed[i]));
    },
    (source) => finish(noPoints(), source),
  );
}

/** The points from which a rollup can be computed. */
function toScan({ signals, window, states }: RollupSource): ScanSource {
  return { signals, window, before: states.length > 0, after: states.length > 0 };
}

/** Raw points. */
export function readPoints(
  { series, signal, onFacts }: Reader,
  { sources, valuesMax }: ScanRequest,
): Promise<Points[]> {
  onFacts?.({ signals: countSignals(sources) });
  return readFed(sources, (fed) => series.scan({ sources: fed, valuesMax }, signal, onFacts), noPoints);
}

/** Asks for the sources that have signals, if there are any; the answers for the others are `empty`. */
async function readFed<S extends { signals: Source }, T>(
  sources: readonly S[],
  read: (fed: readonly S[]) => Promise<T[]>,
  empty: (source: S) => T,
): Promise<T[]> {
  const fed = sources.filter(({ signals }) => signals.length > 0);
  const answers = fed.length === 0 ? [] : await read(fed);
  let next = 0;
  return sources.map((source) => (source.signals.length > 0 ? answers[next++] : empty(source)));
}

function noPoints(): Points {
  return { timesUs: new Float64Array(0), values: new Float64Array(0) };
}

function countSignals(sources: readonly { signals: Source }[]): number {
  return sources.reduce((sum, { signals }) => sum + signals.length, 0);
}

/** What is read of an item for a piece: only the buckets that its columns need, as far as timestamps reach (R3). */
function toSource({ item, statistics, states, reach }: ItemSource, piece: Piece): RollupSource {
  const { window, edgesUs, first, count } = piece;
  const { back, ahead } = reach;
  return {
    signals: item.signals,
    window: {
      startUs: back > 0 ? Math.max(edgesUs[first - back], -instantUsMax) : window.startUs,
      endUs: ahead > 0 ? Math.min(edgesUs[first + count + ahead], instantUsMax) : window.endUs,
    },
    statistics,
    states,
    gapUs: gapUsOf(item),
  };
}
