/** Points that a stream has brought, and how they are added to rows that were loaded. */

import type { LiveEvent } from '@tidemark/client';
import { isCalculated } from '../calculated/note.ts';
import { needsCount } from './every-point.ts';
import { type Column, type Point, type Rows, timeMs } from './frame.ts';
import type { Item } from './item.ts';
import type { Loaded } from './plot.ts';
import type { Span } from './range.ts';
import type { View } from './view.ts';
import { reduce } from './width.ts';

/** Whether new points are drawn as they come: where every point is shown. Buckets are loaded again instead. */
export function isStreamed(view: View, items: readonly Item[], span: Span, pixels: number): boolean {
  if (!view.isLive || view.compares !== '' || items.length === 0 || pixels === 0) return false;
  // Calculated items have no stream: they are loaded again.
  if (items.some(({ annotations }) => isCalculated(annotations))) return false;
  if (view.rollup === 'raw') return !needsCount(items, span);
  const intervalsMs = items.map(({ intervalMs }) => intervalMs);
  const width = reduce({ spanMs: span.toMs - span.fromMs, pixels, intervalsMs });
  return view.rollup === 'auto' && width === null;
}

interface LivePoint {
  value: number;
  /** When it came, ms. */
  atMs: number;
}

/** More points than this are not kept: what they belong to is loaded again. */
export const livePointsMax = 200_000;

/** The points of a stream, by item and time; of equal times the last one counts. */
export class LivePoints {
  readonly #items = new Map<string, Map<number, LivePoint>>();
  #count = 0;

  /** An upper bound of how many there are. */
  get count(): number {
    return this.#count;
  }

  /** Adds an insert that came at `atMs`. */
  add(event: Extract<LiveEvent, { kind: 'points' }>, atMs: number): void {
    for (const [item, { times, values }] of Object.entries(event.items)) {
      const points = this.#items.get(item) ?? new Map<number, LivePoint>();
      this.#items.set(item, points);
      for (const [i, time] of times.entries()) points.set(timeMs(time), { value: values[i]!, atMs });
      this.#count += times.length;
    }
  }

  /** Forgets what came before an instant, since it has been loaded. */
  forget(beforeMs: number): void {
    this.#count = 0;
    for (const points of this.#items.values()) {
      for (const [ms, { atMs }] of points) if (atMs < beforeMs) points.delete(ms);
      this.#count += points.size;
    }
  }

  /** Item → its points within a span, in the order of time. */
  within({ fromMs, toMs }: Span): Map<string, Point[]> {
    const found = new Map<string, Point[]>();
    for (const [item, points] of this.#items) {
      const some = [...points].filter(([ms]) => ms >= fromMs && ms < toMs);
      const sorted = some.map(([ms, { value }]) => ({ ms, value })).sort((a, b) => a.ms - b.ms);
      if (sorted.length > 0) found.set(item, sorted);
    }
    return found;
  }
}

/** Loaded data of every point with those of a stream, for a window that has moved on. O(rows × series). */
export function withLive(
  loaded: Loaded,
  points: ReadonlyMap<string, readonly Point[]>,
  present: Pick<Loaded, 'span' | 'nowMs'>,
): Loaded {
  if (points.size === 0) return { ...loaded, ...present };
  const last = new Map(loaded.last);
  for (const [item, some] of points) {
    const newest = some.at(-1)!;
    if (newest.ms >= (last.get(item)?.ms ?? Number.NEGATIVE_INFINITY)) last.set(item, newest);
  }
  return { ...loaded, ...present, last, rows: mergeRows(loaded.rows, points) };
}

function mergeRows({ timesMs, columns }: Rows, points: ReadonlyMap<string, readonly Point[]>): Rows {
  const added = [...points.values()].flatMap((some) => some.map(({ ms }) => ms));
  const all = Float64Array.from(new Set([...Array.from(timesMs), ...added])).sort();
  const places = new Map<number, number>();
  for (const [row, ms] of all.entries()) places.set(ms, row);
  const merged = new Map<string, Column>();
  for (const key of new Set([...columns.keys(), ...points.keys()])) {
    const column = new Array<number | undefined>(all.length).fill(undefined);
    const known = columns.get(key) ?? [];
    for (let row = 0; row < known.length; row++) column[places.get(timesMs[row]!)!] = known[row];
    for (const { ms, value } of points.get(key) ?? []) column[places.get(ms)!] = value;
    merged.set(key, column);
  }
  return { timesMs: all, columns: merged };
}
