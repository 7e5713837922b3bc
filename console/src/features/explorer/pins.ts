/** Pinned instants: up to eight, each with a letter, whose values stay in sight and are compared with each other. */
import { nearestRow } from './frame.ts';
import type { Loaded } from './plot.ts';
import { type Cursor, cursorAt } from './reading.ts';
import { pinsMax } from './view.ts';

/** A pinned instant. */
export interface Pin {
  /** `A` to `H`, in the order of time. */
  letter: string;
  atMs: number;
  /** Where it is in the loaded rows; null: outside of the window. */
  cursor: Cursor | null;
}

/** The pins of a view, in the order of time. */
export function placePins(pins: readonly number[], loaded: Loaded): Pin[] {
  return [...pins]
    .sort((a, b) => a - b)
    .map((atMs, i) => ({
      letter: String.fromCharCode(65 + i),
      atMs,
      cursor: cursorAt(loaded, atMs),
    }));
}

/** The pins with one more, or without the one that is there; of too many the oldest goes. */
export function togglePin(pins: readonly number[], atMs: number, timesMs: ArrayLike<number>): number[] {
  const row = nearestRow(timesMs, atMs);
  const others = pins.filter((each) => nearestRow(timesMs, each) !== row);
  if (others.length < pins.length) return others;
  return [...pins, Math.round(atMs)].slice(-pinsMax);
}

/** The pins without the one nearest to an instant, else without the last. */
export function removeNear(pins: readonly number[], atMs: number | null): number[] {
  if (atMs === null) return pins.slice(0, -1);
  const away = (each: number) => Math.abs(each - atMs);
  const nearest = [...pins].sort((a, b) => away(a) - away(b))[0];
  return pins.filter((each) => each !== nearest);
}
