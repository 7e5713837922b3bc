/** Time zones of the TZ database (Q3) as tables of numbers. The only file that knows the calendar library. */
import { Temporal } from 'temporal-polyfill';
import { AppError } from './error.ts';
import { lowerBound } from './lower-bound.ts';
import { LruCache } from './lru-cache.ts';

/** Maximum number of cached zones; the least recently used is evicted. */
const zonesMax = 64;
/** Tables grow by multiples of this, about 18 years, since finding a transition is slow without a native Temporal. */
const chunkUs = 2 ** 49;
/** More than the largest offset from UTC. */
const marginUs = 2 * 86_400_000_000;
/** Tables end beyond the range of timestamps (R3); their first and last offsets continue. */
const reachUsMax = 2 ** 53 + chunkUs;

/** The offsets of a zone in a time range: `offsetsUs[i]` holds in `[changesUs[i], changesUs[i + 1])`, the last one to the end. */
export interface ZoneTable {
  /** Instants, µs, ascending; the first one is -Infinity, so that the first offset also holds before the table. */
  changesUs: Float64Array;
  /** What is added to an instant to get local time, µs. */
  offsetsUs: Float64Array;
}

interface Entry {
  table: ZoneTable;
  fromUs: number;
  untilUs: number;
}

const entries = new LruCache<string, Entry>(zonesMax);

/**
 * The table of a zone that covers `[fromUs, untilUs]` and two days around it, as far as timestamps reach. Cheap when the
 * zone was used recently.
 * Fails with `invalid-params` (a message, no path) when the zone is unknown.
 */
export function zoneTable(name: string, fromUs: number, untilUs: number): ZoneTable {
  const startUs = Math.max(fromUs - marginUs, -reachUsMax);
  const endUs = Math.min(untilUs + marginUs, reachUsMax);
  const known = entries.get(name);
  if (known !== undefined && known.fromUs <= startUs && known.untilUs >= endUs) return known.table;
  checkZone(name);
  const from = Math.min(Math.floor(startUs / chunkUs) * chunkUs, known?.fromUs ?? Number.POSITIVE_INFINITY);
  const until = Math.max(Math.ceil(endUs / chunkUs) * chunkUs, known?.untilUs ?? Number.NEGATIVE_INFINITY);
  const table = readTable(name, from, until);
  entries.set(name, { table, fromUs: from, untilUs: until });
  return table;
}

/** Why a name is not a zone of the TZ database; null: it is. Offsets such as `+01:00` are not accepted. */
export function zoneProblem(name: string): string | null {
  if (entries.has(name)) return null;
  const problem = `must be a TZ database name such as UTC or Europe/Berlin, got ${JSON.stringify(name.slice(0, 64))}`;
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return problem;
  try {
    zoned(name, 0);
    return null;
  } catch {
    return problem;
  }
}

/** Fails with `invalid-params` (a message, no path) where {@link zoneProblem} finds a problem. */
export function checkZone(name: string): void {
  const problem = zoneProblem(name);
  if (problem !== null) throw new AppError('invalid-params', problem);
}

function zoned(name: string, us: number): Temporal.ZonedDateTime {
  return new Temporal.ZonedDateTime(BigInt(us) * 1000n, name);
}

function readTable(name: string, fromUs: number, untilUs: number): ZoneTable {
  const changesUs = [Number.NEGATIVE_INFINITY];
  let at: Temporal.ZonedDateTime | null = zoned(name, fromUs);
  const offsetsUs = [at.offsetNanoseconds / 1000];
  while (true) {
    at = at.getTimeZoneTransition('next');
    if (at === null) break;
    const us = Number(at.epochNanoseconds / 1000n);
    if (us > untilUs) break;
    changesUs.push(us);
    offsetsUs.push(at.offsetNanoseconds / 1000);
  }
  return { changesUs: Float64Array.from(changesUs), offsetsUs: Float64Array.from(offsetsUs) };
}

/** The local time of an instant in the table, as µs since 1970-01-01T00:00:00 of the local clock. */
export function localUs(table: ZoneTable, us: number): number {
  const { changesUs, offsetsUs } = table;
  return us + offsetsUs[lowerBound(changesUs, us + 1) - 1];
}

/**
 * Converts ascending local times to instants, in place (Q3). A local time that occurs twice becomes its first instant; one that
 * does not exist becomes the first instant after the gap. The result ascends, but not strictly.
 */
export function localsToInstants(table: ZoneTable, localsUs: Float64Array): void {
  const { changesUs, offsetsUs } = table;
  const last = changesUs.length - 1;
  let at = 0;
  for (let i = 0; i < localsUs.length; i++) {
    while (at < last && localsUs[i] >= changesUs[at + 1] + offsetsUs[at]) at++;
    localsUs[i] = Math.max(localsUs[i] - offsetsUs[at], changesUs[at]);
  }
}
