/** Data frames as columns: times as microseconds, values as doubles, NaN where there is none. */

import type { DataFrame } from './wire.ts';

/** A data frame as it goes over the wire. */
export interface WireFrame {
  /** RFC 3339, or UNIX seconds. */
  times: readonly (string | number)[];
  series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** A data frame in columns. */
export interface Columns {
  /** Microseconds since 1970-01-01T00:00:00Z, exact. */
  timesUs: Float64Array;
  /** By series key; each as long as `timesUs`. */
  series: Map<string, Float64Array>;
}

/** The columns of a frame. Throws `RangeError` at a time that is none, or a series of another length. */
export function toColumns({ times, series }: WireFrame): Columns {
  const timesUs = Float64Array.from(times, parseTimeUs);
  const columns = Object.entries(series).map(([key, values]): [string, Float64Array] => {
    if (values.length !== times.length)
      throw new RangeError(`series "${key}" has ${values.length} values for ${times.length} times`);
    return [key, Float64Array.from(values, (value) => value ?? Number.NaN)];
  });
  return { timesUs, series: new Map(columns) };
}

/** The frame of columns, to be inserted: whatever is no number in it leaves what is stored. */
export function fromColumns({ timesUs, series }: Columns): DataFrame {
  const columns = [...series].map(([key, values]) => [
    key,
    Array.from(values, (value) => (Number.isFinite(value) ? value : null)),
  ]);
  return { times: Array.from(timesUs, printTimeUs), series: Object.fromEntries(columns) };
}

/** The times as dates, which have milliseconds: what is finer is cut off. */
export function toDates(timesUs: Float64Array): Date[] {
  return Array.from(timesUs, (us) => new Date(Math.floor(us / 1000)));
}

const utcForm = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})\d*)?Z$/;

/** Microseconds of a time: RFC 3339, or UNIX seconds. Throws `RangeError` when it is none. */
export function parseTimeUs(time: string | number): number {
  if (typeof time === 'number') return time * 1e6;
  const match = utcForm.exec(time);
  const us = match === null ? parseAnyUs(time) : utcUs(match);
  if (Number.isNaN(us)) throw new RangeError(`not a time: ${JSON.stringify(time.slice(0, 64))}`);
  return us;
}

/** The form in which the service answers. */
function utcUs([, year, month, day, hour, minute, second, fraction]: RegExpExecArray): number {
  const ms = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  return ms * 1000 + (fraction === undefined ? 0 : Number(fraction.padEnd(6, '0')));
}

/** With an offset, or in lower case: the runtime parses milliseconds, the further digits are added. */
function parseAnyUs(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1].slice(0, 6).padEnd(6, '0') ?? '0';
  return Date.parse(text.toUpperCase().replace(/\.\d+/, '')) * 1000 + Number(fraction);
}

/** RFC 3339 in UTC, with a fraction only where there is one. Throws `RangeError` for what no date can hold. */
export function printTimeUs(us: number): string {
  const wholeUs = Math.floor(us);
  const subsecondUs = ((wholeUs % 1e6) + 1e6) % 1e6;
  const seconds = new Date((wholeUs - subsecondUs) / 1000).toISOString().slice(0, 19);
  const fraction = subsecondUs === 0 ? '' : `.${String(subsecondUs).padStart(6, '0').replace(/0+$/, '')}`;
  return `${seconds}${fraction}Z`;
}
