/** Enum items as bands: which state holds from when to when. */
import type { Column, Rows } from './frame.ts';

/** A part of a band. Where buckets have several states, each takes its share of the height. */
export interface StateSpan {
  fromMs: number;
  toMs: number;
  state: number;
  /** Where it begins and ends in the height of the band, 0 to 1. */
  low: number;
  high: number;
}

/** What bounds a band that is made of points. */
export interface Hold {
  /** How long a value holds without another point, ms; null: until the next. */
  gapMs: number | null;
  /** Until when the last value holds: the end of the window or now. */
  endMs: number;
}

/** The band of points: each holds until the next one, and at most as long as the gap detection (Q10). */
export function bandOfPoints(
  timesMs: ArrayLike<number>,
  column: Column,
  { gapMs, endMs }: Hold,
): StateSpan[] {
  const spans: StateSpan[] = [];
  const longest = gapMs ?? Number.POSITIVE_INFINITY;
  let open = -1;
  const close = (untilMs: number) => {
    if (open < 0) return;
    const toMs = Math.min(untilMs, timesMs[open]! + longest);
    append(spans, { fromMs: timesMs[open]!, toMs, state: column[open]!, low: 0, high: 1 });
  };
  for (let row = 0; row < column.length; row++) {
    if (column[row] === undefined) continue;
    close(timesMs[row]!);
    open = isState(column[row]!) ? row : -1;
  }
  close(endMs);
  return spans;
}

/** How buckets were cut. */
export interface Cut {
  /** The usual width, ms: the clocks may make a bucket an hour longer or shorter. */
  widthMs: number;
  /** The window's start, before which nothing counts. */
  startMs: number;
  /** The window's end or now, after which nothing counts. */
  endMs: number;
}

/** The band of buckets: seconds in each state, `<id>_state_<n>`, stacked from the lowest state up (Q7). */
export function bandOfBuckets(rows: Rows, id: string, cut: Cut): StateSpan[] {
  const prefix = `${id}_state_`;
  const states = [...rows.columns]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, column]) => ({ state: Number(key.slice(prefix.length)), column }))
    .sort((a, b) => a.state - b.state);
  const spans: StateSpan[] = [];
  for (let row = 0; row < rows.timesMs.length; row++) {
    const [fromMs, toMs] = bucketAt(rows.timesMs, row, cut);
    let low = 0;
    for (const { state, column } of states) {
      const seconds = column[row] ?? 0;
      if (seconds <= 0) continue;
      const high = Math.min(1, low + (seconds * 1000) / Math.max(1, toMs - fromMs));
      append(spans, { fromMs, toMs, state, low, high });
      low = high;
    }
  }
  return spans;
}

/** The part of the band with the state that holds longest at an instant; null where none does. */
export function partAt(spans: readonly StateSpan[], atMs: number): StateSpan | null {
  let best: StateSpan | null = null;
  // Spans are in the order of their starts; a bucket has few.
  for (const span of spans) {
    if (span.fromMs > atMs) break;
    if (atMs < span.toMs && (best === null || span.high - span.low > best.high - best.low)) best = span;
  }
  return best;
}

/** The seconds in each state of the band, from most to least. */
export function stateSeconds(spans: readonly StateSpan[]): [state: number, seconds: number][] {
  const sums = new Map<number, number>();
  for (const { state, fromMs, toMs, low, high } of spans) {
    sums.set(state, (sums.get(state) ?? 0) + ((toMs - fromMs) / 1000) * (high - low));
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** A bucket ends where the next begins, unless rows without data were left out in between. */
function bucketAt(
  timesMs: ArrayLike<number>,
  row: number,
  { widthMs, startMs, endMs }: Cut,
): [number, number] {
  const start = timesMs[row]!;
  const next = timesMs[row + 1] ?? Number.POSITIVE_INFINITY;
  const end = next - start < widthMs * 1.6 ? next : start + widthMs;
  return [Math.max(start, startMs), Math.min(end, endMs)];
}

/** Joins what is one state from top to bottom with the same before it. */
function append(spans: StateSpan[], span: StateSpan): void {
  if (span.toMs <= span.fromMs) return;
  const last = spans.at(-1);
  const isNext = last?.state === span.state && last.toMs === span.fromMs;
  if (isNext && isWhole(last) && isWhole(span)) last.toMs = span.toMs;
  else spans.push({ ...span, high: isWhole(span) ? 1 : span.high });
}

function isWhole({ low, high }: StateSpan): boolean {
  return low === 0 && high > 0.999;
}

/** Q10: a whole number from 0 to 9999. */
function isState(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 9999;
}
