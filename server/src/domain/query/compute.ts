/** Computes the series of an answer from the rollups of a piece, without reading anything more (Q9-Q12). */
import { evaluateAround, evaluateCalculations } from '#domain/formula/formula';
import { type Aggregation, isStatistic } from '#model/aggregation';
import { computed, concatenated, filled } from '#model/column-steps';
import { bug } from '#model/error';
import type { Frame } from '#model/frame';
import type { Rollup } from '#model/rollup';
import { inPieces, type Steps } from '#model/steps';
import { type Column, namedStates } from './column.ts';
import { type DerivedItem, valueAlias } from './derived.ts';
import { rollupOfValues } from './derived-rollup.ts';
import type { Plan } from './plan.ts';
import type { GroupAggregation } from './request.ts';
import { type Piece, withoutCutOff } from './window.ts';

/** Series key → values, all of one length. */
export type Columns = ReadonlyMap<string, Float64Array>;

/** The returned series over the buckets of a piece; `rollups` are those of the plan's sources, over `piece.buckets`. */
export function* computeSeries(plan: Plan, piece: Piece, rollups: readonly Rollup[]): Steps<Columns> {
  const { columns, calculations, series, sources } = plan;
  const { first, count } = piece;
  const byItem = new Map(sources.map(({ item }, i) => [item.id, rollups[i]]));
  for (const one of plan.derived) byItem.set(one.item.id, yield* computeItem(one, byItem, plan, piece));
  const values = new Map<string, Float64Array>();
  for (const column of columns) {
    for (const [key, own] of yield* valuesOf(column, byItem, piece)) values.set(key, own);
  }
  const returned = new Map<string, Float64Array>();
  for (const [key, own] of values) {
    if (series?.has(key) ?? true) returned.set(key, own.subarray(first, first + count));
  }
  for (const [alias, own] of yield* evaluateCalculations(calculations, values, piece))
    returned.set(alias, own);
  return returned;
}

/** A calculated item over all buckets of the piece and around it, from its inputs, which are there already. */
function* computeItem(
  derived: DerivedItem,
  byItem: ReadonlyMap<string, Rollup>,
  { shape }: Plan,
  piece: Piece,
): Steps<Rollup> {
  const { columns, calculations } = derived;
  const inputs = new Map<string, Float64Array>();
  for (const column of columns)
    for (const [key, own] of yield* valuesOf(column, byItem, piece)) inputs.set(key, own);
  const results = yield* evaluateAround(calculations, inputs, piece);
  const values = results.get(valueAlias) ?? bug('the value of an item was not computed');
  return yield* rollupOfValues(values, derived, piece.edgesUs, shape.window);
}

/** The values of a column over all buckets of the piece and around it, under its key or those of its states. */
function* valuesOf(
  column: Column,
  rollups: ReadonlyMap<string, Rollup>,
  piece: Piece,
): Steps<(readonly [string, Float64Array])[]> {
  const { alias, state, members, groupAggregation, offset } = column;
  const own = members.map(({ id }) => rollups.get(id) ?? bug(`item ${id} was not read`));
  const bucketCount = piece.edgesUs.length - 1;
  if (state === 'seen') {
    const states = yield* statesOf(column, own[0], bucketCount);
    return states.map(([seen, values]) => [`${alias}${seen}`, values]);
  }
  const parts: Float64Array[] = [];
  for (const rollup of own) parts.push(yield* aggregated(column, rollup, piece));
  const values = groupAggregation === null ? parts[0] : yield* combine(parts, groupAggregation, bucketCount);
  return [[alias, yield* shifted(values, offset)]];
}

function* aggregated({ aggregation, state }: Column, rollup: Rollup, piece: Piece): Steps<Float64Array> {
  const column = isStatistic(aggregation)
    ? rollup.statistics.get(aggregation)
    : rollup.states.get(state as number);
  const values = yield* withoutCutOff(column ?? bug(`${aggregation} was not read`), piece);
  return yield* scaled(values, aggregation, piece.edgesUs);
}

/** Seconds in a state → percent or rate, of the bucket's true length (Q10). */
function* scaled(values: Float64Array, aggregation: Aggregation, edgesUs: Float64Array): Steps<Float64Array> {
  if (aggregation !== 'state-percent' && aggregation !== 'state-rate') return values;
  const factor = aggregation === 'state-percent' ? 100 : 1;
  return yield* computed(values.length, (b) => (factor * values[b] * 1e6) / (edgesUs[b + 1] - edgesUs[b]));
}

function* shifted(values: Float64Array, offset: number): Steps<Float64Array> {
  const { length } = values;
  if (offset === 0) return values;
  const empty = yield* nulls(Math.min(Math.abs(offset), length));
  return yield* concatenated(
    offset > 0 ? [values.subarray(empty.length), empty] : [empty, values.subarray(0, length - empty.length)],
  );
}

/** The states that were seen, and those that have a name, ascending: 0 seconds wherever some state held (Q10). */
function* statesOf(
  { members }: Column,
  { states }: Rollup,
  bucketCount: number,
): Steps<[number, Float64Array][]> {
  const columns = new Map(states);
  const [seen] = states.values();
  const absent = seen === undefined ? yield* nulls(bucketCount) : yield* zerosWhereHeld(seen);
  for (const state of namedStates(members[0])) if (!columns.has(state)) columns.set(state, absent);
  return [...columns].sort(([a], [b]) => a - b);
}

/** The seconds in a state that never held, from those of any other state of the item: null where none held. */
function zerosWhereHeld(other: Float64Array): Steps<Float64Array> {
  return computed(other.length, (b) => (Number.isNaN(other[b]) ? Number.NaN : 0));
}

/** The values of a state that a piece of an answer has not seen, but others have (Q10a). */
export function unseenState(key: string, { timesUs, series }: Frame): Steps<Float64Array> {
  const prefix = key.slice(0, key.lastIndexOf('_') + 1);
  const other = [...series].find(([known]) => known.startsWith(prefix));
  return other === undefined ? nulls(timesUs.length) : zerosWhereHeld(other[1]);
}

/** The keys of all pieces in the order of Q7: states that were seen late come last in `found`. */
export function inOrder(columns: readonly Column[], found: readonly string[]): readonly string[] {
  if (columns.every(({ state }) => state !== 'seen')) return found;
  const byItem = Map.groupBy(found, (key) => key.slice(0, key.lastIndexOf('_') + 1));
  return columns.flatMap(({ alias, state }) => {
    if (state !== 'seen') return [alias];
    return (byItem.get(alias) ?? []).sort((a, b) => stateOf(a) - stateOf(b));
  });
}

function stateOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('_') + 1));
}

function nulls(count: number): Steps<Float64Array> {
  return filled(count, Number.NaN);
}

/** Columns of the items of a group → one, row by row (Q12). Null is skipped; a row without any value is null, count included. */
function* combine(
  parts: readonly Float64Array[],
  how: GroupAggregation,
  length: number,
): Steps<Float64Array> {
  const out = yield* nulls(length);
  if (how === 'count' || how === 'avg') return yield* counted(parts, how, out);
  const step = how === 'sum' ? addUp : how === 'min' ? lower : raise;
  for (const part of parts) yield* inPieces(length, 3, (from, to) => step(out, part, from, to));
  return out;
}

function* counted(
  parts: readonly Float64Array[],
  how: 'count' | 'avg',
  out: Float64Array,
): Steps<Float64Array> {
  const counts = new Float64Array(out.length);
  for (const part of parts) {
    yield* inPieces(part.length, 3, (from, to) => {
      for (let i = from; i < to; i++) if (!Number.isNaN(part[i])) counts[i]++;
      if (how === 'avg') addUp(out, part, from, to);
    });
  }
  yield* inPieces(out.length, 3, (from, to) => {
    for (let i = from; i < to; i++)
      if (counts[i] > 0) out[i] = how === 'avg' ? out[i] / counts[i] : counts[i];
  });
  return out;
}

function addUp(out: Float64Array, part: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++)
    if (!Number.isNaN(part[i])) out[i] = Number.isNaN(out[i]) ? part[i] : out[i] + part[i];
}

function lower(out: Float64Array, part: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) if (!(out[i] <= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}

function raise(out: Float64Array, part: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) if (!(out[i] >= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}
