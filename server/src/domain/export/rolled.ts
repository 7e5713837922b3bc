/** Rollups of an export: buckets of the calendar, computed as those of data frames, a piece of the window at a time. */
import { type BucketRule, countBucketsMax, cutBuckets } from '#model/bucket';
import { invalidParams } from '#model/error';
import type { ExportBlock, ExportColumn, ExportPosition } from '#model/export';
import type { Frame } from '#model/frame';
import { instantUsMax } from '#model/instant';
import type { Limits } from '#model/limits';
import { lowerBound } from '#model/lower-bound';
import { runSteps, type Steps } from '#model/steps';
import type { Window } from '#model/window';
import { type Column, gapUsOf, namedStates } from '../query/column.ts';
import { type Columns, computeSeries } from '../query/compute.ts';
import { intervalAt } from '../query/computed-points.ts';
import { type InputItems, noInputs } from '../query/derived.ts';
import { frameOf } from '../query/frame.ts';
import { type Plan, planAnswer } from '../query/plan.ts';
import { readPiece, readRollups } from '../query/read.ts';
import { cutPieces, type Piece } from '../query/window.ts';
import { extentOf, type PieceReader } from './raw.ts';
import type { ExportRequest } from './request.ts';
import { type ExportSource, storedBehind } from './source.ts';

/** What a rollup is computed with. */
export interface RollupReader extends PieceReader {
  nowUs: number;
  limits: Limits;
}

/** Values that are computed at one time: 16 MB, and once more for the rows that are kept. */
const cellsAtOnce = 2_000_000;

/** The columns of an export with a rollup, and what they show. */
export interface RolledColumns {
  columns: readonly Column[];
  shown: readonly ExportColumn[];
}

/** The columns of these sources over a window. Of an enum those of every state that it has there, or that has a name. */
export async function rolledColumns(
  reader: RollupReader,
  sources: readonly ExportSource[],
  request: ExportRequest,
  window: Window,
): Promise<RolledColumns> {
  const columns: Column[] = [];
  const shown: ExportColumn[] = [];
  for (const source of sources) {
    const own =
      request.statistics === null && source.attributes.valueType === 'enum'
        ? (await statesOf(reader, source, window)).map((state) => stateColumn(source, state))
        : (request.statistics ?? ['avg']).map((statistic) => statisticColumn(source, statistic));
    columns.push(...own.map(({ column }) => column));
    shown.push(...own.map(({ column, statistic, unit }) => showColumn(source, column, statistic, unit)));
  }
  return { columns, shown };
}

function statisticColumn(source: ExportSource, statistic: NonNullable<ExportRequest['statistics']>[number]) {
  const unit = statistic === 'count' ? '' : source.attributes.engUnit;
  return { column: columnOf(source, statistic, null, statistic), statistic, unit };
}

function stateColumn(source: ExportSource, state: number) {
  const statistic = `state_${state}`;
  return { column: columnOf(source, statistic, state, 'state-seconds'), statistic, unit: 's' };
}

function columnOf(
  source: ExportSource,
  suffix: string,
  state: number | null,
  aggregation: Column['aggregation'],
): Column {
  const alias = `${source.id}_${suffix}`;
  return { alias, aggregation, state, offset: 0, members: [source], groupAggregation: null };
}

function showColumn(source: ExportSource, column: Column, statistic: string, unit: string): ExportColumn {
  return { key: column.alias, id: source.id, name: source.attributes.name, unit, statistic };
}

/** Of a calculated item those that have a name (C3). */
async function statesOf(reader: RollupReader, source: ExportSource, window: Window): Promise<number[]> {
  if (source.calculation !== null) return namedStates(source);
  const place = await reader.enter();
  try {
    const { signals } = source;
    const asked = { signals, window, statistics: [], states: 'seen' as const, gapUs: gapUsOf(source) };
    const buckets = cutBuckets({ ...wholeRule, width: 'window' }, window);
    const [{ states }] = await readRollups(reader, { sources: [asked], buckets, nowUs: reader.nowUs });
    return [...new Set([...states.keys(), ...namedStates(source)])].sort((a, b) => a - b);
  } finally {
    place.leave();
  }
}

const wholeRule = { timeZone: 'UTC', firstDayOfWeek: 1, originUs: null };

/**
 * The window in which buckets can have values; null: none has. A state goes on after its newest point. The row of rollup
 * `window` is that of the window as it was asked for.
 */
export async function rolledWindow(
  reader: RollupReader,
  sources: readonly ExportSource[],
  { rollup, fromUs, beforeUs }: ExportRequest,
  asked: Window,
  inputs: InputItems = noInputs,
): Promise<Window | null> {
  const bounded = { startUs: -instantUsMax, endUs: asked.endUs };
  const extent = await extentOf(reader, storedBehind(sources, inputs), bounded);
  if (extent === null) return null;
  const hasStates = sources.some(({ attributes }) => attributes.valueType === 'enum');
  const lastUs = hasStates ? Math.max(extent.endUs, reader.nowUs) : extent.endUs;
  const window = {
    startUs: Math.max(asked.startUs, extent.startUs),
    endUs: Math.min(asked.endUs, lastUs, instantUsMax),
  };
  if (rollup === 'window' && fromUs !== null) window.startUs = asked.startUs;
  if (rollup === 'window' && beforeUs !== null) window.endUs = asked.endUs;
  return window.startUs < window.endUs ? window : null;
}

/** What rows are made of. */
export interface RolledRows extends RolledColumns {
  request: ExportRequest;
  /** What calculated items among them are computed from. */
  inputs: InputItems;
  /** The window in which they can have values. */
  window: Window;
  /** The rows before this are not wanted. */
  fromUs: number;
}

/** The rows of these columns, in the order of time; rows without any value are left out. */
export async function* rolledBlocks(
  reader: RollupReader,
  rows: RolledRows,
  endOf: (us: number) => ExportPosition,
): AsyncGenerator<ExportBlock, void, void> {
  const { shown, request, fromUs } = rows;
  const { plan, isWhole } = planOf(reader, rows);
  for await (const piece of cutPieces(plan.cutting, reader.runStep)) {
    const place = await reader.enter();
    try {
      const bucketBytes = 16 * piece.count * (plan.columns.length + 1);
      await place.memory.take(plan.derived.length > 0 ? plan.bytes : bucketBytes, reader.signal);
      const rollups = await readPiece(reader, plan, piece);
      const frame = await runSteps(rowsOf(plan, piece, rollups, request), reader.runStep, reader.signal);
      place.end();
      const first = isWhole ? lowerBound(frame.timesUs, fromUs) : 0;
      const timesUs = frame.timesUs.subarray(first);
      if (timesUs.length === 0) continue;
      const values = shown.map(({ key }) => valuesOf(frame, key).subarray(first));
      yield { columns: shown, timesUs, values, end: endOf(timesUs[timesUs.length - 1]) };
    } finally {
      place.leave();
    }
  }
}

function valuesOf({ series, timesUs }: Frame, key: string): Float64Array {
  return series.get(key) ?? new Float64Array(timesUs.length);
}

function* rowsOf(
  plan: Plan,
  piece: Piece,
  rollups: Parameters<typeof computeSeries>[2],
  { rollup }: ExportRequest,
): Steps<Frame> {
  const { edgesUs, first, count } = piece;
  const columns: Columns = yield* computeSeries(plan, piece, rollups);
  return yield* frameOf(edgesUs.subarray(first, first + count), columns, { last: 0, rollup });
}

/** The rule by which the request cuts time. */
export function ruleOf({ rollup, timeZone, firstDayOfWeek }: ExportRequest): BucketRule {
  return { width: rollup ?? 'window', timeZone, firstDayOfWeek, originUs: null };
}

/** Fails with `invalid-params` where the rows are too much to compute; reads nothing. */
export function checkRows(reader: RollupReader, rows: RolledRows): void {
  planOf(reader, rows);
}

/** Formulas that need the whole window make one piece of it, from the same start whatever part of it is wanted. */
function planOf(reader: RollupReader, rows: RolledRows): { plan: Plan; isWhole: boolean } {
  const { columns, request, window, fromUs } = rows;
  const bucketsMax = Math.max(64, Math.floor(cellsAtOnce / Math.max(1, columns.length)));
  const left = { startUs: Math.max(window.startUs, fromUs), endUs: window.endUs };
  const part = planWindow(reader, rows, left, bucketsMax);
  const { bucketsAtOnce } = part.cutting;
  if (bucketsAtOnce !== Number.POSITIVE_INFINITY) {
    const cutting = { ...part.cutting, bucketsAtOnce: bucketsMax };
    return { plan: { ...part, cutting }, isWhole: false };
  }
  const bucketCount = countBucketsMax(ruleOf(request), window);
  return { plan: planWindow(reader, rows, window, bucketCount), isWhole: true };
}

function planWindow(
  { limits }: RollupReader,
  { columns, request, inputs }: RolledRows,
  window: Window,
  bucketsMax: number,
): Plan {
  const rule = ruleOf(request);
  checkBuckets(rule, window, limits);
  const bucketCount = Math.min(bucketsMax, countBucketsMax(rule, window));
  const form = 'data-frame';
  const shape = { form, window, rule, bucketCount, rolledUpCount: 0, limits, path: 'rollup' } as const;
  return planAnswer(columns, [], null, shape, inputs);
}

/** An export may be long, but not endless. */
function checkBuckets(rule: BucketRule, window: Window, { bucketColumnsMax: max }: Limits): void {
  const count = countBucketsMax(rule, window);
  if (count <= max) return;
  throw invalidParams({
    rollup: [
      `the window has ${count} buckets, at most ${max} are allowed; choose wider buckets, or a shorter time from "from" to "to"`,
    ],
  });
}

/** The first instant after the bucket that begins at a time, or contains it. */
export function bucketEnd(rule: BucketRule, us: number, window: Window): number {
  if (rule.width === 'window') return window.endUs;
  return intervalAt(rule, us).endUs;
}
