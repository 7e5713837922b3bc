/** Reads a long window in parts that the service allows. */
import { ServiceError } from './error.ts';

/** A half-open range of time. */
export interface Window {
  startUs: number;
  endUs: number;
}

const dayUs = 86_400e6;
const fixed = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;
const calendar = /^P(?:\d+Y)?(?:\d+M)?$/i;

/** The width of a rollup; null for raw points, Infinity for months and for what cannot be read, which the service judges. */
function widthUs(rollup: string | null | undefined): number | null {
  if (rollup === undefined || rollup === null || rollup === '') return null;
  const match = calendar.test(rollup) ? null : fixed.exec(rollup);
  if (match === null) return Number.POSITIVE_INFINITY;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((text) => Number(text ?? 0));
  return ((weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds) * 1e6;
}

/** The longest window of a service with the usual limits (L2). One with shorter ones is asked for shorter parts later. */
export function longestUs(rollup: string | null | undefined, isEvaluate: boolean): number {
  const us = widthUs(rollup);
  if (us === null || us < 60e6) return 40 * dayUs;
  if (us < dayUs) return 400 * dayUs;
  return (isEvaluate || us < 30 * dayUs ? 1900 : 3660) * dayUs;
}

/** The service says that less has to be asked for at once: a shorter window, or fewer values (L2, L3). */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code !== -32602) return false;
  return Object.values(error.params)
    .flat()
    .some((text) => /must be at most [\d.]+ days long|at most \d+ are allowed/.test(text));
}

/** How a window is read. */
export interface WindowReader<T> {
  /** The longest part to begin with. */
  longestUs: number;
  read(part: Window): Promise<T>;
  /** The last time at or before this one at which the window may be divided. */
  boundary(us: number): Promise<number>;
}

/** Parts shorter than this are not divided any further. */
const shortestUs = 1e6;

/** The parts of a window in ascending order. What the service refuses as too much is read in halves. */
export async function* readParts<T>(window: Window, reader: WindowReader<T>): AsyncGenerator<T> {
  let { startUs } = window;
  let lengthUs = reader.longestUs;
  do {
    const endUs = await partEnd(startUs, lengthUs, window.endUs, reader);
    try {
      yield await reader.read({ startUs, endUs });
    } catch (error) {
      lengthUs = Math.floor(Math.min(lengthUs, endUs - startUs) / 2);
      if (!isTooMuch(error) || lengthUs < shortestUs) throw error;
      const isDivisible =
        (await partEnd(startUs, lengthUs, window.endUs, reader).catch(() => startUs)) > startUs;
      if (!isDivisible) throw error;
      continue;
    }
    startUs = endUs;
  } while (startUs < window.endUs);
}

async function partEnd<T>(
  startUs: number,
  lengthUs: number,
  endUs: number,
  reader: WindowReader<T>,
): Promise<number> {
  if (endUs - startUs <= lengthUs) return endUs;
  const us = await reader.boundary(startUs + lengthUs);
  if (us > startUs) return us;
  throw new RangeError('one bucket of the rollup is longer than the longest window that the service allows');
}
