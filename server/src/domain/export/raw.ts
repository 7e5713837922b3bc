/** Raw points of an export: windows whose length follows the density of the points, so that each read has a bounded size. */
import { AppError, bug } from '#model/error';
import type { ExportBlock, ExportColumn } from '#model/export';
import type { Points } from '#model/frame';
import { freeMemory } from '#model/free-memory';
import { instantUsMax } from '#model/instant';
import { runSteps, type Steps } from '#model/steps';
import type { Window } from '#model/window';
import type { SeriesStore } from '#storage/store';
import { alignTo, haveSameTimes, unionTimes } from '../query/frame.ts';
import { readPoints } from '../query/read.ts';
import type { ExportOptions } from './request.ts';
import type { ExportSource } from './source.ts';

/** What the pieces of an export are read with. */
export interface PieceReader extends ExportOptions {
  series: SeriesStore;
}

/** Points of the first piece, which is a small read, and of the others. */
const pointsFirst = 20_000;
const pointsAtOnce = 250_000;
/** Values of the rows of a piece in the wide form, those that are empty included. */
const cellsMax = 2_000_000;
/** A time and a value. */
const pointBytes = 16;
/** Resources that are read together while they have few points. */
const groupMax = 64;

/** The end of the longest window: the last timestamp is inside. */
export const endUsMax = instantUsMax + 2;

/** The memory of a read of so many points in `columnCount` columns. */
function bytesOf(pointsMax: number, columnCount: number): number {
  if (columnCount === 1) return pointsMax * pointBytes;
  return pointsMax * 2 * pointBytes + 8 * Math.min(cellsMax, pointsMax * (columnCount + 1));
}

/** A piece that was read; `free` gives its memory back, after which its arrays are empty. */
interface Piece<T> {
  value: T;
  /** The part of the budget that it took, 0 to 1. */
  fill: number;
  free(): void;
}

/** How many points the next read may have. */
interface Budget {
  pointsMax: number;
}

/** Reads in a place of its own among the reads; null when there are more points than the budget allows. */
async function readPiece<T>(
  reader: PieceReader,
  sources: readonly ExportSource[],
  window: Window,
  { pointsMax }: Budget,
  shape: (points: readonly Points[]) => Steps<T | null>,
): Promise<Piece<T> | null> {
  const { signal, runStep } = reader;
  const place = await reader.enter();
  let isKept = false;
  try {
    signal.throwIfAborted();
    await place.memory.take(bytesOf(pointsMax, sources.length), signal);
    const points = await scan(reader, sources, window, pointsMax);
    const value = points && (await runSteps(shape(points), runStep, signal));
    if (points === null || value === null) return null;
    isKept = true;
    const fill = fillOf(points, pointsMax);
    const free = () => {
      place.leave();
      if (reader.series.givesArraysAlone)
        freeArrays(points.flatMap(({ timesUs, values }) => [timesUs, values]));
    };
    return { value, fill, free };
  } finally {
    if (isKept) place.end();
    else place.leave();
  }
}

function freeArrays(arrays: readonly Float64Array[]): void {
  for (const array of arrays) freeMemory(array);
}

/** How much of the budget these points took, or may have taken in rows that only one of them has. */
function fillOf(points: readonly Points[], pointsMax: number): number {
  const count = countPoints(points);
  const rowsMin = points.reduce((most, { timesUs }) => Math.max(most, timesUs.length), 0);
  return Math.max(count / pointsMax, points.length === 1 ? 0 : (rowsMin * points.length) / cellsMax);
}

function countPoints(points: readonly Points[]): number {
  return points.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
}

/** Null: there are more points. */
async function scan(
  reader: PieceReader,
  sources: readonly ExportSource[],
  window: Window,
  pointsMax: number,
): Promise<Points[] | null> {
  const asked = sources.map(({ signals }) => ({ signals, window, before: false, after: false }));
  try {
    const points = await readPoints(reader, { sources: asked, valuesMax: pointsMax });
    return countPoints(points) > pointsMax ? null : points;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid-params') return null;
    throw error;
  }
}

/** The part of a window in which these sources have points; null: none has any there. */
export async function extentOf(
  reader: PieceReader,
  sources: readonly Pick<ExportSource, 'signals'>[],
  window: Window,
): Promise<Window | null> {
  const fed = sources.filter(({ signals }) => signals.length > 0);
  if (fed.length === 0) return null;
  const place = await reader.enter();
  try {
    const at = (us: number) => ({ startUs: us, endUs: us });
    const first = { window: at(window.startUs), before: false, after: true };
    const last = { window: at(window.endUs), before: true, after: false };
    const asked = fed.flatMap(({ signals }) => [
      { signals, ...first },
      { signals, ...last },
    ]);
    const ends = (await readPoints(reader, { sources: asked })).flatMap(({ timesUs }) => [...timesUs]);
    const inside = ends.filter((us) => us >= window.startUs && us < window.endUs);
    if (inside.length === 0) return null;
    const startUs = inside.reduce((a, b) => Math.min(a, b));
    const lastUs = inside.reduce((a, b) => Math.max(a, b));
    return { startUs, endUs: Math.min(window.endUs, endAfter(lastUs)) };
  } finally {
    place.leave();
  }
}

/** The end of a window whose last timestamp is this one. */
function endAfter(us: number): number {
  return us === instantUsMax ? endUsMax : us + 1;
}

/**
 * The long form: the points of each resource in turn. Resources with few points are read together. The caller takes a block
 * before the next one is read; its memory is given back then, and its arrays are empty.
 */
export async function* longBlocks(
  reader: PieceReader,
  sources: readonly ExportSource[],
  window: Window,
  columnOf: (source: ExportSource) => ExportColumn,
): AsyncGenerator<ExportBlock, void, void> {
  let groupSize = 8;
  for (let start = 0; start < sources.length; ) {
    const group = sources.slice(start, start + groupSize);
    const piece = await readPiece(reader, group, window, { pointsMax: pointsFirst }, asTheyAre);
    if (piece === null && group.length > 1) {
      groupSize = Math.ceil(group.length / 4);
      continue;
    }
    if (piece === null) yield* densePoints(reader, group[0], window, columnOf);
    else yield* blocksOf(piece, group, columnOf);
    start += group.length;
    groupSize = Math.min(groupMax, 2 * groupSize);
  }
}

function* asTheyAre(points: readonly Points[]): Steps<readonly Points[]> {
  yield 0;
  return points;
}

function* blocksOf(
  { value, free }: Piece<readonly Points[]>,
  sources: readonly ExportSource[],
  columnOf: (source: ExportSource) => ExportColumn,
): Generator<ExportBlock> {
  try {
    for (const [i, { timesUs, values }] of value.entries()) {
      if (timesUs.length === 0) continue;
      const end = { id: sources[i].id, us: timesUs[timesUs.length - 1] };
      yield { columns: [columnOf(sources[i])], timesUs, values: [values], end };
    }
  } finally {
    free();
  }
}

async function* densePoints(
  reader: PieceReader,
  source: ExportSource,
  window: Window,
  columnOf: (source: ExportSource) => ExportColumn,
): AsyncGenerator<ExportBlock, void, void> {
  for await (const piece of pieces(reader, [source], window, asTheyAre))
    yield* blocksOf(piece, [source], columnOf);
}

/** The wide form: one row for each time at which one of the sources has a point. */
export async function* wideBlocks(
  reader: PieceReader,
  sources: readonly ExportSource[],
  window: Window,
  columns: readonly ExportColumn[],
): AsyncGenerator<ExportBlock, void, void> {
  for await (const { value, free } of pieces(reader, sources, window, align)) {
    try {
      const { timesUs } = value;
      if (timesUs.length > 0) yield { columns, ...value, end: { id: null, us: timesUs[timesUs.length - 1] } };
    } finally {
      free();
      if (reader.series.givesArraysAlone) freeArrays([value.timesUs, ...value.values]);
    }
  }
}

/** Null when the rows would have too many cells. */
function* align(points: readonly Points[]): Steps<Pick<ExportBlock, 'timesUs' | 'values'> | null> {
  yield* haveSameTimes(points);
  const timesUs = yield* unionTimes(points);
  if (timesUs.length > 1 && timesUs.length * points.length > cellsMax) return null;
  const values: Float64Array[] = [];
  for (const one of points) values.push(yield* alignTo(timesUs, one));
  return { timesUs, values };
}

/** Reads a window in pieces whose length follows from how many points the last one had. */
async function* pieces<T>(
  reader: PieceReader,
  sources: readonly ExportSource[],
  whole: Window,
  shape: (points: readonly Points[]) => Steps<T | null>,
): AsyncGenerator<Piece<T>, void, void> {
  const window = await extentOf(reader, sources, whole);
  if (window === null) return;
  const budget: Budget = { pointsMax: pointsFirst };
  let spanUs = window.endUs - window.startUs;
  for (let startUs = window.startUs; startUs < window.endUs; ) {
    const part = { startUs, endUs: Math.min(window.endUs, startUs + spanUs) };
    const piece = await readPiece(reader, sources, part, budget, shape);
    if (piece === null) {
      if (part.endUs - startUs <= 2 && budget.pointsMax === pointsAtOnce)
        bug('one timestamp has too many points');
      spanUs = Math.max(1, Math.floor((part.endUs - startUs) / 4));
      budget.pointsMax = pointsAtOnce;
      continue;
    }
    yield piece;
    startUs = part.endUs;
    budget.pointsMax = pointsAtOnce;
    spanUs = Math.ceil(spanUs * Math.min(4, Math.max(0.5, 0.8 / piece.fill)));
  }
}
