/** Time ranges that may be unbounded on either side. */
import type { Window } from '#model/window';

/** `[fromUs, beforeUs)`; null: unbounded on that side. */
export interface OpenWindow {
  fromUs: number | null;
  beforeUs: number | null;
}

/** Instants lie within ±2^53 µs (R3). */
const instantUsMax = 2 ** 53;

/** The window that covers every instant of an open one. */
export function windowOf({ fromUs, beforeUs }: OpenWindow): Window {
  return { startUs: fromUs ?? -instantUsMax, endUs: beforeUs ?? instantUsMax + 2 };
}
