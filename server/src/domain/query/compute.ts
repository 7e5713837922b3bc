/** Computes the series of an answer from the rollups of a piece, without reading anything more (Q9-Q12). */
import { evaluateAround, evaluateCalculations } from '#domain/formula/formula';
import { type Aggregation, isStatistic } from '#model/aggregation';
import { bug } from '#model/error';
import type { Frame } from '#model/frame';
import type { Rollup } from '#model/rollup';
import type { Steps } from '#model/steps';
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
  const { first, count, edgesUs } = piece;
  const byItem = new Map(sources.map(({ item }, i) => [item.id, rollups[i]]));
  for (const one of plan.derived) byItem.set(one.item.id, yield* computeItem(one, byItem, plan, piece));
  const values = new Map<string, Float64Array>();
  for (const column of columns) {
    for (const [key, own] of valuesOf(column, byItem, piece)) values.set(key, own);
    yield edgesUs.length * (column.groupAggregation === null ? 1 : 3 * column.members.length);
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
  const { columns, calculations, statistics, states } = derived;
  const inputs = new Map(columns.flatMap((column) => valuesOf(column, byItem, piece)));
  yield piece.edgesUs.length * columns.length;
  const results = yield* evaluateAround(calculations, inputs, piece);
  const values = results.get(valueAlias) ?? bug('the value of an item was not computed');
  yield piece.edgesUs.length * (statistics.length + states.length);
  return rollupOfValues(values, derived, piece.edgesUs, shape.window);
}

/** The values of a column over all buckets of the piece and around it, under its key or those of its states. */
function valuesOf(
  column: Column,
  rollups: ReadonlyMap<string, Rollup>,
  piece: Piece,
): (readonly [string, Float64Array])[] {
  const { alias, state, members, groupAggregation, offset } = column;
  const own = members.map(({ id }) => rollups.get(id) ?? bug(`item ${id} was not read`));
  const bucketCount = piece.edgesUs.length - 1;
  if (state === 'seen')
    return statesOf(column, own[0], bucketCount).map(([seen, values]) => [`${alias}${seen}`, values]);
  const parts = own.map((rollup) => aggregated(column, rollup, piece));
  const values = groupAggregation === null ? parts[0] : combine(parts, groupAggregation, bucketCount);
  return [[alias, shifted(values, offset)]];
}

function aggregated({ aggregation, state }: Column, rollup: Rollup, piece: Piece): Float64Array {
  const column = isStatistic(aggregation)
    ? rollup.statistics.get(aggregation)
    : rollup.states.get(state as number);
  const values = withoutCutOff(column ?? bug(`${aggregation} was not read`), piece);
  return scaled(values, aggregation, piece.edgesUs);
}

/** Seconds in a state → percent or rate, of the bucket's true length (Q10). */
function scaled(values: Float64Array, aggregation: Aggregation, edgesUs: Float64Array): Float64Array {
  if (aggregation !== 'state-percent' && aggregation !== 'state-rate') return values;
  const factor = aggregation === 'state-percent' ? 100 : 1;
  return values.map((seconds, b) => (factor * seconds * 1e6) / (edgesUs[b + 1] - edgesUs[b]));
}

function shifted(values: Float64Array, offset: number): Float64Array {
  if (offset === 0) return values;
  const out = nulls(values.length);
  if (offset > 0) out.set(values.subarray(Math.min(offset, values.length)));
  else out.set(values.subarray(0, Math.max(0, values.length + offset)), Math.min(-offset, values.length));
  return out;
}

/** The states that were seen, and those that have a name, ascending: 0 seconds wherever some state held (Q10). */
function statesOf({ members }: Column, { states }: Rollup, bucketCount: number): [number, Float64Array][] {
  const columns = new Map(states);
  const [seen] = states.values();
  const absent = seen === undefined ? nulls(bucketCount) : zerosWhereHeld(seen);
  for (const state of namedStates(members[0])) if (!columns.has(state)) columns.set(state, absent);
  return [...columns].sort(([a], [b]) => a - b);
}

/** The seconds in a state that never held, from those of any other state of the item: null where none held. */
function zerosWhereHeld(other: Float64Array): Float64Array {
  return other.map((seconds) => (Number.isNaN(seconds) ? seconds : 0));
}

/** The values of a state that a piece of an answer has not seen, but others have (Q10a). */
export function unseenState(key: string, { timesUs, series }: Frame): Float64Array {
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

function nulls(count: number): Float64Array {
  return new Float64Array(count).fill(Number.NaN);
}

/** Columns of the items of a group → one, row by row (Q12). Null is skipped; a row without any value is null, count included. */
function combine(parts: readonly Float64Array[], how: GroupAggregation, length: number): Float64Array {
  const out = nulls(length);
  if (how === 'count' || how === 'avg') return counted(parts, how, out);
  const step = how === 'sum' ? addUp : how === 'min' ? lower : raise;
  for (const part of parts) step(out, part);
  return out;
}
function counted(parts: readonly Float64Array[], how: 'count' | 'avg', out: Float64Array): Float64Array {
  const counts = new Float64Array(out.length);
  for (const part of parts) {
    for (let i = 0; i < part.length; i++) if (!Number.isNaN(part[i])) counts[i]++;
    if (how === 'avg') addUp(out, part);
  }
  for (let i = 0; i < out.length; i++) {
    if (counts[i] > 0) out[i] = how === 'avg' ? out[i] / counts[i] : counts[i];
  }
  return out;
}

function addUp(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    if (!Number.isNaN(part[i])) out[i] = Number.isNaN(out[i]) ? part[i] : out[i] + part[i];
  }
}

function lower(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) if (!(out[i] <= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}

function raise(out: Float64Array, part: Float64Array): void {
  for (let i = 0; i < out.length; i++) if (!(out[i] >= part[i]) && !Number.isNaN(part[i])) out[i] = part[i];
}
