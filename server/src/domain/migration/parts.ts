/**
 * Divides the points of a group of signals into parts that fit in memory, in the order of time. Stores of several servers keep
 * months apart, so a part has few months of many signals rather than all months of a few.
 */
import { instantUsMax } from '#model/instant';
import type { Window } from '#model/window';
import type { SeriesStore } from '#storage/store';

/** About so many points are in a part. */
const pointsOfPart = 300_000;

/** The unit in which time is divided, until a signal alone has too many points in it, µs. */
const monthUs = 30 * 86_400e6;

/** Months of a part at most, unless it has no points. */
const monthsOfPart = 100;

/** Pieces into which a window is cut at a time. */
const piecesMax = 200;

/** Points of some signals in a window. */
export interface Part {
  signals: readonly number[];
  window: Window;
}

/** A part, and how many points each of its signals has in it. */
interface Counted extends Part {
  counts: readonly number[];
}

/** What divides parts. */
interface Divider {
  /** Counts points by rolling up; where it cannot, parts are not divided. */
  series: SeriesStore;
  pointsMax: number;
}

/**
 * Parts that together have all points of the signals, and all time, since another store may have points elsewhere. `counts` are
 * the points of each signal, or more.
 */
export async function* partsOf(
  series: SeriesStore,
  signals: readonly number[],
  counts: readonly number[],
  pointsMax = pointsOfPart,
): AsyncGenerator<Part> {
  const window = await extentOf(series, signals);
  for await (const part of divide({ series, pointsMax }, { signals, counts, window })) {
    const startUs = part.window.startUs === window.startUs ? Number.NEGATIVE_INFINITY : part.window.startUs;
    const endUs = part.window.endUs === window.endUs ? Number.POSITIVE_INFINITY : part.window.endUs;
    yield { signals: part.signals, window: { startUs, endUs } };
  }
}

/** From the first point of any signal to the last one, in whole months. */
async function extentOf(series: SeriesStore, signals: readonly number[]): Promise<Window> {
  const at = (us: number) => (signal: number) => ({ signals: [signal], window: { startUs: us, endUs: us } });
  const found = await series.scan({
    sources: [
      ...signals.map(at(-instantUsMax)).map((source) => ({ ...source, before: false, after: true })),
      ...signals.map(at(instantUsMax)).map((source) => ({ ...source, before: true, after: false })),
    ],
  });
  let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timesUs } of found) {
    if (timesUs.length === 0) continue;
    firstUs = Math.min(firstUs, timesUs[0]);
    lastUs = Math.max(lastUs, timesUs[0]);
  }
  if (firstUs > lastUs) return { startUs: 0, endUs: monthUs };
  return {
    startUs: Math.floor(firstUs / monthUs) * monthUs,
    endUs: (Math.floor(lastUs / monthUs) + 1) * monthUs,
  };
}

function pointsIn({ counts }: Counted): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function widthOf({ window }: Counted): number {
  return window.endUs - window.startUs;
}

function isSmall({ pointsMax }: Divider, part: Counted): boolean {
  const points = pointsIn(part);
  return points === 0 || (points <= pointsMax && widthOf(part) <= monthsOfPart * monthUs);
}

async function* divide(divider: Divider, part: Counted): AsyncGenerator<Counted> {
  const { pointsMax } = divider;
  if (isSmall(divider, part) || widthOf(part) <= 1) yield part;
  else if (widthOf(part) > monthUs) yield* divideTime(divider, part, monthUs);
  else if (part.signals.length > 1)
    for (const each of divideSignals(part, pointsMax)) yield* divide(divider, each);
  else yield* divideTime(divider, part, 1);
}

/** Cuts a part into pieces of equal length, a multiple of `unitUs`, and joins neighbours that are small together. */
async function* divideTime(divider: Divider, part: Counted, unitUs: number): AsyncGenerator<Counted> {
  const units = Math.ceil(widthOf(part) / unitUs);
  const stepUs = unitUs * Math.ceil(units / Math.min(units, piecesMax));
  let joined: Counted | null = null;
  for (const piece of await countPieces(divider.series, part, stepUs)) {
    const both: Counted = joined === null ? piece : join(joined, piece);
    if (joined === null || isSmall(divider, both)) {
      joined = both;
      continue;
    }
    yield* divide(divider, joined);
    joined = piece;
  }
  if (joined !== null) yield* divide(divider, joined);
}

function join(left: Counted, right: Counted): Counted {
  return {
    signals: left.signals,
    window: { startUs: left.window.startUs, endUs: right.window.endUs },
    counts: left.counts.map((count, i) => count + right.counts[i]),
  };
}

async function countPieces(series: SeriesStore, part: Counted, stepUs: number): Promise<Counted[]> {
  const { signals, window } = part;
  const count = Math.ceil(widthOf(part) / stepUs);
  const edgesUs = Float64Array.from({ length: count + 1 }, (_, i) => window.startUs + i * stepUs);
  const sources = signals.map((signal) => ({
    ...{ signals: [signal], window, states: [], gapUs: Number.POSITIVE_INFINITY },
    statistics: ['count'] as const,
  }));
  const rollups = (await series.rollup?.({ sources, buckets: { edgesUs, stepUs }, nowUs: 0 })) ?? [];
  return Array.from({ length: count }, (_, i) => ({
    signals,
    window: { startUs: edgesUs[i], endUs: Math.min(window.endUs, edgesUs[i + 1]) },
    counts: rollups.map(({ statistics }) => statistics.get('count')?.[i] || 0),
  }));
}

/** As many signals together as make a part; one that has more points is alone. */
function* divideSignals({ signals, counts, window }: Counted, pointsMax: number): Generator<Counted> {
  for (let from = 0; from < signals.length; ) {
    let to = from + 1;
    for (let points = counts[from]; to < signals.length && points + counts[to] <= pointsMax; to++)
      points += counts[to];
    yield { window, signals: signals.slice(from, to), counts: counts.slice(from, to) };
    from = to;
  }
}
