/**
 * Exports: data of any length, in the order of time or of IDs, read a bounded piece at a time. Nothing is read before it is
 * asked for, so a slow client holds the memory of one piece, and a client that leaves ends the read.
 */
import type { Clock } from '#model/environment';
import { bug, invalidParams, withPaths } from '#model/error';
import type { ExportBlock, ExportColumn, ExportResource } from '#model/export';
import { matchAll } from '#model/filter';
import { instantUsMax } from '#model/instant';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Window } from '#model/window';
import { zoneProblem } from '#model/zone';
import type { SeriesStore } from '#storage/store';
import { inputsFirst } from '../calculations/graph.ts';
import { intervalAt, intervalRule, valueColumn, wholeIntervals } from '../query/computed-points.ts';
import type { InputItems } from '../query/derived.ts';
import { lookUpInputs } from '../query/inputs.ts';
import { endUsMax, extentOf, longBlocks, wideBlocks } from './raw.ts';
import type { ExportOptions, ExportRequest } from './request.ts';
import {
  bucketEnd,
  checkRows,
  type RolledRows,
  type RollupReader,
  rolledBlocks,
  rolledColumns,
  rolledWindow,
  ruleOf,
} from './rolled.ts';
import {
  calculatedSources,
  type ExportMeta,
  type ExportSource,
  sourcePages,
  storedBehind,
  wideSources,
} from './source.ts';

/** The parts that exports work with. */
export interface ExportParts {
  meta: ExportMeta;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
}

/** An export that has been checked, and may be read once. */
export interface OpenExport {
  /** Of the wide form; null in the long form, where they come with the blocks. */
  columns: readonly ExportColumn[] | null;
  /** Reads as it is iterated. A block is valid until the next one is asked for. */
  blocks: AsyncGenerator<ExportBlock, void, void>;
}

/** Opens exports. */
export class Export {
  readonly #parts: ExportParts;

  constructor(parts: ExportParts) {
    this.#parts = parts;
  }

  /** Checks the request and looks up what it names. Fails with `invalid-params` by the names of its parameters. */
  async open(request: ExportRequest, options: ExportOptions): Promise<OpenExport> {
    const { series, clock, limits, meta } = this.#parts;
    check(request);
    const reader: RollupReader = { ...options, series, limits, nowUs: clock.nowUs() };
    const window = { startUs: request.fromUs ?? -instantUsMax, endUs: request.beforeUs ?? endUsMax };
    if (request.form === 'long') return { columns: null, blocks: await this.#long(reader, request, window) };
    const sources = await wideSources(meta, request, limits.exportColumnsMax, options.signal);
    if (request.rollup === null) return rawWide(reader, sources, request, window);
    const inputs = await lookUpInputs(sources, { meta, limits, path: request.subject });
    return rolledWide(reader, sources, inputs, request, window);
  }

  /** The first page is looked up at once, so that unknown IDs are reported before anything is answered. */
  async #long(reader: RollupReader, request: ExportRequest, window: Window) {
    const pages = sourcePages(this.#parts.meta, request, request.after?.id ?? '', reader.signal);
    const first = await pages.next();
    const run = { reader, request, window, meta: this.#parts.meta };
    if (request.rollup === null && request.after === null) await checkComputed(run);
    return longPages(run, first.done ? [] : first.value, pages);
  }
}

function check({ timeZone, firstDayOfWeek, after, form, rollup }: ExportRequest): void {
  const problems = new ProblemList();
  const zone = zoneProblem(timeZone);
  if (zone !== null) problems.add(['timeZone'], zone);
  if (!Number.isInteger(firstDayOfWeek) || firstDayOfWeek < 1 || firstDayOfWeek > 7)
    problems.add(['firstDayOfWeek'], `must be from 1 (Monday) to 7 (Sunday), got ${firstDayOfWeek}`);
  if (rollup !== null && rollup !== 'window' && rollup.kind === 'fixed' && rollup.us <= 0)
    problems.add(['rollup'], 'must be longer than zero');
  if (after !== null && (after.id === null) !== (form === 'wide'))
    problems.add(['after'], `is not a position in the ${form} form: leave the other parameters as they were`);
  problems.throwIfAny();
}

/** An export in the long form. */
interface LongRun {
  reader: RollupReader;
  request: ExportRequest;
  window: Window;
  meta: ExportMeta;
}

async function* longPages(
  run: LongRun,
  first: readonly ExportSource[],
  rest: AsyncIterable<readonly ExportSource[]>,
): AsyncGenerator<ExportBlock, void, void> {
  const { request, window } = run;
  const { after } = request;
  const resumed = first.filter(({ id }) => id === after?.id);
  const others = first.filter(({ id }) => id !== after?.id);
  yield* longPage(run, resumed, restOf(window, request));
  for await (const page of chained(others, rest)) {
    if (request.hasMetadata && page.length > 0) yield await describe(run.meta, page);
    yield* longPage(run, page, window);
  }
  if (isWhole(request)) yield* calculatedItems(run.meta);
}

/** Whether a request is for all signals with their metadata, from which an instance can be restored. */
function isWhole({ subject, ids, filter, hasMetadata }: ExportRequest): boolean {
  return hasMetadata && subject === 'signals' && ids === null && filter === matchAll;
}

/** Blocks that describe the calculated items with their versions, each after those that it uses (X4c). */
async function* calculatedItems(meta: ExportMeta): AsyncGenerator<ExportBlock, void, void> {
  for (const item of inputsFirst(await meta.items.calculated())) {
    const versions = await meta.calculationVersions.ofItem(item.id);
    yield descriptionOf(item.id, [{ resource: item, item: null, versions }]);
  }
}

async function* chained<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  yield first;
  yield* rest;
}

/** A block that describes the resources of a page. */
async function describe(meta: ExportMeta, sources: readonly ExportSource[]): Promise<ExportBlock> {
  const published = new Set(sources.flatMap(({ signal }) => signal?.item ?? []));
  const items = new Map((await meta.items.byId([...published])).map((item) => [item.id, item]));
  const resources = sources.map((source) => {
    const { signal } = source;
    return { resource: signal ?? source, item: items.get(signal?.item ?? '') ?? null };
  });
  return descriptionOf(sources[0].id, resources);
}

function descriptionOf(id: string, resources: readonly ExportResource[]): ExportBlock {
  return { columns: [], timesUs: new Float64Array(0), values: [], end: { id, us: 0 }, resources };
}

/** What is left of a window after the position of the request. */
function restOf(window: Window, request: ExportRequest): Window {
  const { after, rollup } = request;
  if (after === null) return window;
  const startUs = rollup === null ? nextUs(after.us) : bucketEnd(ruleOf(request), after.us, window);
  return { startUs: Math.max(window.startUs, startUs), endUs: window.endUs };
}

/** The timestamp after this one; above the largest there is none. */
function nextUs(us: number): number {
  return us >= instantUsMax ? endUsMax : us + 1;
}

/** `left` is the part of the window that is to be read. */
async function* longPage(
  run: LongRun,
  sources: readonly ExportSource[],
  left: Window,
): AsyncGenerator<ExportBlock, void, void> {
  const { reader, request, window, meta } = run;
  if (sources.length === 0 || left.startUs >= left.endUs) return;
  if (request.rollup === null) return yield* rawPage(run, sources, left);
  for (const source of sources) {
    const inputs = await lookUpInputs([source], { meta, limits: reader.limits, path: request.subject });
    const used = await rolledWindow(reader, [source], request, rolledBounds(window), inputs);
    if (used === null) continue;
    const columns = await rolledColumns(reader, [source], request, used);
    const rows = { ...columns, request, inputs, window: used, fromUs: left.startUs };
    if (left.startUs < used.endUs) yield* rolledBlocks(reader, rows, (us) => ({ id: source.id, us }));
  }
}

/** Points as they are stored, and the values of calculated items, in the order of the sources. */
async function* rawPage(
  run: LongRun,
  sources: readonly ExportSource[],
  left: Window,
): AsyncGenerator<ExportBlock, void, void> {
  const { reader } = run;
  for (let start = 0; start < sources.length; ) {
    const rest = sources.slice(start);
    const next = rest.findIndex(({ calculation }) => calculation !== null);
    const stored = next < 0 ? rest : rest.slice(0, next);
    yield* longBlocks(reader, stored, left, rawColumn);
    if (next >= 0) yield* computedBlocks(run, rest[next], left.startUs);
    start += stored.length + 1;
  }
}

/** The values of a calculated item: one for each of its intervals between the first and the last point of its inputs (C4). */
async function* computedBlocks(
  run: LongRun,
  source: ExportSource,
  fromUs: number,
): AsyncGenerator<ExportBlock, void, void> {
  const rows = await computedRows(run, source, fromUs);
  if (rows !== null) yield* rolledBlocks(run.reader, rows, (us) => ({ id: source.id, us }));
}

/** Null: it has no value. */
async function computedRows(
  { reader, request, window, meta }: LongRun,
  source: ExportSource,
  fromUs: number,
): Promise<RolledRows | null> {
  const { intervalUs } = source.calculation ?? bug(`item ${source.id} is not calculated`);
  const inputs = await lookUpInputs([source], { meta, limits: reader.limits, path: request.subject });
  const extent = await extentOf(reader, storedBehind([source], inputs), window);
  if (extent === null) return null;
  const rule = intervalRule(intervalUs);
  const { startUs, endUs } = wholeIntervals(rule, {
    startUs: Math.max(window.startUs, intervalAt(rule, extent.startUs).startUs),
    endUs: Math.min(extent.endUs, instantUsMax),
  });
  const left = wholeIntervals(rule, { startUs: Math.max(startUs, fromUs), endUs });
  if (left.startUs >= left.endUs) return null;
  return {
    ...{ columns: [valueColumn(source)], shown: [rawColumn(source)], inputs, fromUs: left.startUs },
    ...{ request: { ...request, ...rule, rollup: rule.width }, window: { startUs, endUs } },
  };
}

/**
 * Refuses an export of points with a calculated item that cannot be computed over all of it, before anything is answered: later
 * it could only break off. `invalid-params`, with the first such item.
 */
async function checkComputed(run: LongRun): Promise<void> {
  const { meta, request, reader, window } = run;
  for (const source of await calculatedSources(meta, request, reader.signal)) {
    try {
      const rows = await computedRows(run, source, window.startUs);
      if (rows !== null) checkRows(reader, rows);
    } catch (error) {
      throw withPaths(error, (path) => `${request.subject}.${source.id}.${path}`);
    }
  }
}

function rolledBounds({ startUs, endUs }: Window): Window {
  return { startUs, endUs: Math.min(endUs, instantUsMax) };
}

function rawWide(
  reader: RollupReader,
  sources: readonly ExportSource[],
  request: ExportRequest,
  window: Window,
): OpenExport {
  const calculated = sources.find(({ calculation }) => calculation !== null);
  if (calculated !== undefined)
    throw invalidParams({
      [request.subject]: [
        `${calculated.id} is a calculated item, which has no points of its own: choose a rollup, or form=long`,
      ],
    });
  const columns = sources.map(rawColumn);
  return { columns, blocks: wideBlocks(reader, sources, restOf(window, request), columns) };
}

async function rolledWide(
  reader: RollupReader,
  sources: readonly ExportSource[],
  inputs: InputItems,
  request: ExportRequest,
  asked: Window,
): Promise<OpenExport> {
  const window = await rolledWindow(reader, sources, request, rolledBounds(asked), inputs);
  const used = window ?? { startUs: 0, endUs: 1 };
  const columns = await rolledColumns(reader, sources, request, used);
  requireFewColumns(columns.shown.length, reader.limits);
  const left = window && restOf(window, request);
  const isEmpty = window === null || left === null || left.startUs >= left.endUs;
  const blocks = isEmpty
    ? noBlocks()
    : rolledBlocks(reader, { ...columns, request, inputs, window, fromUs: left.startUs }, (us) => ({
        id: null,
        us,
      }));
  return { columns: columns.shown, blocks };
}

async function* noBlocks(): AsyncGenerator<ExportBlock, void, void> {}

function requireFewColumns(count: number, { exportColumnsMax: max }: Limits): void {
  if (count <= max) return;
  throw invalidParams({
    statistics: [`the wide form has at most ${max} columns, got ${count}; choose form=long, or fewer`],
  });
}

function rawColumn({ id, attributes }: ExportSource): ExportColumn {
  return { key: id, id, name: attributes.name, unit: attributes.engUnit, statistic: null };
}
