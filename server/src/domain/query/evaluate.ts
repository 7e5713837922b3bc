/** service.evaluate: check → look up items → plan → read and compute, a piece of the window at a time → frame (Q9-Q12, F). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CalculationPlan,
  evaluateCalculations,
  planCalculations,
  type Reach,
} from '#domain/formula/formula';
import { countBucketsMax } from '#model/bucket';
import { bug, invalidParams } from '#model/error';
import type { Frame } from '#model/frame';
import type { Source } from '#storage/store';
import { bucketUsMin, type Cutting, checkCutting, cutPieces, ruleOf } from './cutting.ts';
import { checkEvaluate } from './evaluate-check.ts';
import { type Column, columnsAsked, itemsBehind } from './evaluate-items.ts';
import {
  columnValues,
  countColumns,
  type ItemRead,
  itemReads,
  reachOf,
  toSource,
  widest,
} from './evaluate-read.ts';
import { FrameBuilder } from './frame-builder.ts';
import { emptyFrame } from './raw.ts';
import { readRollups } from './read.ts';
import type { Reading } from './reading.ts';
import type { EvaluateRequest, Evaluation } from './request.ts';
import { gapUsOf, sourcesOfItems } from './sources.ts';
import { isEmpty, resolveWindow, windowProblem } from './windows.ts';
import { bucketsAtOnce, checkBuckets, explainRefusal, tooManyValues, type Work } from './work-limit.ts';

/** What an evaluation reads and computes; built and checked once, before anything is read. */
interface Plan {
  work: Work;
  /** Aliases of the series in the answer. */
  returned: readonly string[];
  /** The items and groups that are returned or that calculations need. */
  columns: readonly Column[];
  calculations: CalculationPlan;
  reads: readonly ItemRead[];
  /** Buckets around the window that are read as well. */
  reach: Reach;
  /** Buckets that are computed at one time. */
  bucketsAtOnce: number;
  /** What the columns of these take. */
  bytes: number;
}

/** Evaluates. Fails with `invalid-params` by path. */
export async function evaluate(
  reading: Reading,
  request: EvaluateRequest,
  signal?: AbortSignal,
): Promise<Evaluation> {
  const { data, paths } = request;
  checkEvaluate(request, reading.limits);
  checkCutting(data, paths);
  const window = resolveWindow(data, 'evaluate', reading.clock.nowUs());
  const problem = windowProblem(window, data.rollup, 'evaluate', reading.limits, paths.window);
  if (problem !== null) throw problem;
  const returned = returnedAliases(request);
  const work: Work = {
    window,
    width: data.rollup,
    form: 'evaluate',
    rolledUpCount: returned.length,
    limits: reading.limits,
    path: paths.rollup,
  };
  if (!isEmpty(window)) checkBuckets(work, data, 1);
  const columns = await columnsAsked(reading.meta, request, reading.limits, signal);
  const plan = planOf(request, columns, returned, work);
  const items = itemsBehind(columns);
  if (isEmpty(window)) return { frame: emptyFrame(returned), items };
  return { frame: await compute(reading, request, plan, signal), items };
}

function returnedAliases({ items, groups, calculations, data }: EvaluateRequest): string[] {
  const aliases = [...items, ...groups, ...calculations].map(({ alias }) => alias);
  if (data.series === null) return aliases;
  const returned = new Set(data.series);
  return aliases.filter((alias) => returned.has(alias));
}

function planOf(
  { calculations: formulas, data }: EvaluateRequest,
  asked: readonly Column[],
  returned: readonly string[],
  work: Work,
): Plan {
  const { window, limits } = work;
  const bucketCountMax = isEmpty(window) ? 0 : countBucketsMax(ruleOf(data), window);
  const calculations = planCalculations(formulas, {
    signals: new Map(asked.map((column) => [column.alias, { gapUs: gapOf(column) }])),
    returned: data.series === null ? null : new Set(data.series),
    bucketCount: bucketCountMax,
    bucketUsMin: data.rollup === null ? null : bucketUsMin(data.rollup),
    limits,
  });
  const isReturned = new Set(returned);
  const columns = asked.filter(({ alias }) => calculations.needs.has(alias) || isReturned.has(alias));
  const reaches = columns.map((column) => reachOf(column, calculations.needs.get(column.alias)));
  const reads = itemReads(columns, reaches);
  const readCount = Math.max(returned.length, countColumns(reads), columns.length);
  if (!isEmpty(window)) checkBuckets(work, data, readCount);
  const columnCount = readCount + columns.length + calculations.columnsMax;
  checkWhole(calculations, bucketCountMax * columnCount, work);
  const atOnce = calculations.needsWhole ? Number.POSITIVE_INFINITY : bucketsAtOnce(columnCount);
  return {
    work,
    returned,
    columns,
    calculations,
    reads,
    reach: reaches.reduce<Reach>(widest, calculations.reach),
    bucketsAtOnce: atOnce,
    bytes: 8 * columnCount * Math.min(bucketCountMax, atOnce),
  };
}

/** Functions that look at the whole window need all of it in memory. */
function checkWhole({ needsWhole }: CalculationPlan, values: number, { limits }: Work): void {
  const max = limits.formulaValuesMax;
  if (!needsWhole || values <= max) return;
  throw invalidParams({
    calculations: [
      `gapfill, interpolate and cumsum need the whole window at one time: at most ${max} values, these would be ${values}; use wider buckets or a shorter window`,
    ],
  });
}

/** How far gapfill carries a value (F4); in a group as far as in that of its items where it is furthest. */
function gapOf({ members }: Column): number {
  return members.reduce((gapUs, item) => Math.max(gapUs, gapUsOf(item)), 0);
}

async function compute(
  reading: Reading,
  { data }: EvaluateRequest,
  plan: Plan,
  signal?: AbortSignal,
): Promise<Frame> {
  const { work, reach } = plan;
  await reading.place.take(plan.bytes, signal);
  const signals = await sourcesOfItems(
    reading.meta,
    plan.reads.map(({ item }) => item),
  );
  const builder = new FrameBuilder({
    data,
    valuesMax: work.limits.answerValuesMax,
    refuse: (rows, series) => tooManyValues(work, rows, series),
    missing: (key) => bug(`a piece without ${key}`),
  });
  const nowUs = reading.clock.nowUs();
  for (const cutting of cutPieces(data, work.window, plan.bucketsAtOnce, reach.back, reach.ahead)) {
    const columns = await readColumns(reading, plan, signals, cutting, nowUs, signal);
    const options = { signal, pause: async () => void (await nextTurn()) };
    const calculated = await evaluateCalculations(plan.calculations, columns, cutting, options);
    const { edgesUs, first, count } = cutting;
    const series = plan.returned.map((alias): [string, Float64Array] => {
      const column = columns.get(alias)?.subarray(first, first + count) ?? calculated.get(alias);
      return [alias, column ?? bug(`${alias} was not computed`)];
    });
    builder.add(edgesUs.subarray(first, first + count), new Map(series));
  }
  return builder.finish();
}

/** The values of the needed items and groups over the buckets of a piece, those around it included; by alias. */
async function readColumns(
  { series, tell }: Reading,
  { reads, columns, work }: Plan,
  signals: readonly Source[],
  cutting: Cutting,
  nowUs: number,
  signal?: AbortSignal,
): Promise<Map<string, Float64Array>> {
  const sources = reads.map((read, i) => toSource(read, signals[i], cutting));
  const request = { sources, buckets: cutting.buckets, nowUs };
  const rollups = await readRollups({ series, tell }, request, signal).catch((error) => {
    throw explainRefusal(work, error);
  });
  const byItem = new Map(reads.map(({ item }, i) => [item.id, rollups[i]]));
  return new Map(columns.map((column) => [column.alias, columnValues(column, byItem, cutting)]));
}
