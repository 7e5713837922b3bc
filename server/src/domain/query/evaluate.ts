/** service.evaluate: check → look up items → plan → one read → compute → frame (Q9-Q12, F). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BucketRun,
  type CalculationPlan,
  evaluateCalculations,
  planCalculations,
  type Reach,
} from '#domain/formula/formula';
import { countBucketsMax } from '#model/bucket';
import { bug } from '#model/error';
import type { Window } from '#model/window';
import { bucketUsMin, type Cutting, checkCutting, cutWindow } from './cutting.ts';
import { checkEvaluate } from './evaluate-check.ts';
import { type Column, columnsAsked, itemsBehind } from './evaluate-items.ts';
import { columnValues, countColumns, itemReads, reachOf, toSource, widest } from './evaluate-read.ts';
import { emptyFrame } from './raw.ts';
import { readRollups } from './read.ts';
import type { Reading } from './reading.ts';
import type { EvaluateRequest, Evaluation, Width } from './request.ts';
import { frameOf } from './rows.ts';
import { gapUsOf, sourcesOfItems } from './sources.ts';
import { isEmpty, resolveWindow, windowProblem } from './windows.ts';
import { checkEstimate, checkRows, explainRefusal, type Work } from './work-limit.ts';

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
  const columns = await columnsAsked(reading.meta, request, reading.limits);
  const work = workOf(reading, request, window);
  checkEstimate(work, data.timeZone);
  const plan = planOf(reading, request, columns, work);
  const items = itemsBehind(columns);
  if (isEmpty(window)) return { frame: emptyFrame(returnedAliases(request)), items };
  return { frame: await compute(reading, request, columns, plan, work, signal), items };
}

function returnedAliases({ items, groups, calculations, data }: EvaluateRequest): string[] {
  const aliases = [...items, ...groups, ...calculations].map(({ alias }) => alias);
  if (data.series === null) return aliases;
  const returned = new Set(data.series);
  return aliases.filter((alias) => returned.has(alias));
}

function workOf({ limits }: Reading, request: EvaluateRequest, window: Window): Work {
  const seriesCount = returnedAliases(request).length;
  return {
    window,
    width: request.data.rollup,
    form: 'evaluate',
    seriesCount,
    rolledUpCount: seriesCount,
    limits,
    path: request.paths.rollup,
  };
}

function planOf(
  { limits }: Reading,
  { calculations, data }: EvaluateRequest,
  columns: readonly Column[],
  { window, width }: Work,
): CalculationPlan {
  const rule = { width: width as Width, timeZone: data.timeZone, firstDayOfWeek: 1, originUs: null };
  return planCalculations(calculations, {
    signals: new Map(columns.map((column) => [column.alias, { gapUs: gapOf(column) }])),
    returned: data.series === null ? null : new Set(data.series),
    bucketCount: isEmpty(window) ? 0 : countBucketsMax(rule, window),
    bucketUsMin: bucketUsMin(width as Width),
    limits,
  });
}

/** How far gapfill carries a value (F4); in a group as far as in that of its items where it is furthest. */
function gapOf({ members }: Column): number {
  return members.reduce((gapUs, item) => Math.max(gapUs, gapUsOf(item)), 0);
}

async function compute(
  reading: Reading,
  request: EvaluateRequest,
  columns: readonly Column[],
  plan: CalculationPlan,
  work: Work,
  signal?: AbortSignal,
) {
  const returned = returnedAliases(request);
  const isReturned = new Set(returned);
  const needed = columns.filter(({ alias }) => plan.needs.has(alias) || isReturned.has(alias));
  const values = await readColumns(reading, request, needed, plan, work, signal);
  const { cutting, byAlias } = values;
  const options = { signal, pause: async () => void (await nextTurn()) };
  const calculated = await evaluateCalculations(plan, byAlias, runOf(cutting), options);
  const { first, count } = cutting;
  const series = returned.map((alias): [string, Float64Array] => {
    const column = byAlias.get(alias)?.subarray(first, first + count) ?? calculated.get(alias);
    return [alias, column ?? bug(`${alias} was not computed`)];
  });
  return frameOf(cutting.edgesUs.subarray(first, first + count), new Map(series), request.data);
}

function runOf({ edgesUs, first, count }: Cutting): BucketRun {
  return { edgesUs, first, count };
}

const valueBytes = 8;

/** The one read: the values of the needed items and groups over all buckets, those outside the window included. */
async function readColumns(
  { meta, series, clock, limits, place, tell }: Reading,
  { data }: EvaluateRequest,
  columns: readonly Column[],
  plan: CalculationPlan,
  asked: Work,
  signal?: AbortSignal,
): Promise<{ cutting: Cutting; byAlias: Map<string, Float64Array> }> {
  const reaches = columns.map((column) => reachOf(column, plan.needs.get(column.alias)));
  const { back, ahead } = reaches.reduce<Reach>(widest, plan.reach);
  const reads = itemReads(columns, reaches);
  const work = { ...asked, seriesCount: Math.max(asked.seriesCount, countColumns(reads), columns.length) };
  checkEstimate(work, data.timeZone, back + ahead);
  const cutting = cutWindow(data, work.window, back, ahead);
  checkRows(work, cutting.count);
  await place.take(
    cutting.count * valueBytes * (work.seriesCount + columns.length + plan.columnsMax),
    signal,
  );
  const signals = await sourcesOfItems(
    meta,
    reads.map(({ item }) => item),
  );
  const sources = reads.map((read, i) => toSource(read, signals[i], work.window, cutting));
  const request = {
    sources,
    buckets: cutting.buckets,
    nowUs: clock.nowUs(),
    valuesMax: limits.answerValuesMax,
  };
  const rollups = await readRollups({ series, tell }, request, signal).catch((error) => {
    throw explainRefusal(work, error);
  });
  const byItem = new Map(reads.map(({ item }, i) => [item.id, rollups[i]]));
  return {
    cutting,
    byAlias: new Map(columns.map((column) => [column.alias, columnValues(column, byItem, cutting)])),
  };
}
