/**
 * Reads the arrays of a data frame into typed columns. These are the hot loops of the service: a request may have a million
 * values, so they are validated here in a single pass and not by a schema.
 */
import { invalidParams, type ParamProblems } from '#model/error';
import { Columns } from '#model/frame';
import { instantProblem, parseInstant } from '#model/instant';

/** The arrays of a frame as a client sent them; nothing in them is checked yet. */
export interface RawFrame {
  times: readonly unknown[];
  series: Readonly<Record<string, unknown>>;
}

/** Maximum number of invalid elements reported for one array. */
const problemsPerArrayMax = 3;

/** Reads a frame; `invalid-params` has a path for each wrong part. Memory is allocated only for values that were sent. */
export function readFrame(frame: RawFrame): Columns {
  const keys = Object.keys(frame.series);
  const problems: ParamProblems = {};
  const timesUs = readTimes(frame.times, problems);
  const fits = checkLengths(frame, problems);
  const values = new Float64Array(fits ? keys.length * timesUs.length : 0);
  let pointCount = 0;
  for (let k = 0; fits && k < keys.length; k++) {
    const series = frame.series[keys[k]] as readonly unknown[];
    pointCount += readValues(keys[k], series, values, k * timesUs.length, problems);
  }
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
  return new Columns(timesUs, keys, values, pointCount);
}

/** Row times in µs, in the order given. Adds a problem at `data.times.<row>` for each that is no timestamp of R3. */
export function readTimes(times: readonly unknown[], problems: ParamProblems): Float64Array {
  const timesUs = new Float64Array(times.length);
  let wrong = 0;
  for (let row = 0; row < times.length; row++) {
    const timeUs = parseInstant(times[row]);
    timesUs[row] = timeUs;
    if (Number.isNaN(timeUs) && wrong++ < problemsPerArrayMax) {
      problems[`data.times.${row}`] = [instantProblem(times[row])];
    }
  }
  noteMore(problems, 'data.times', wrong);
  return timesUs;
}

/** Whether each series is an array as long as `times`; a problem at `data.series.<key>` for each that is not. */
export function checkLengths({ times, series }: RawFrame, problems: ParamProblems): boolean {
  let ok = true;
  for (const key of Object.keys(series)) {
    const values = series[key];
    if (Array.isArray(values) && values.length === times.length) continue;
    ok = false;
    problems[`data.series.${key}`] = Array.isArray(values)
      ? ['not same length as times']
      : [`must be an array of numbers and nulls, got ${describe(values)}`];
  }
  return ok;
}

/**
 * The values of one series into `into` from index `from` on, NaN for null; how many are not null. Adds problems
 * below `data.series.<key>`.
 */
export function readValues(
  key: string,
  values: readonly unknown[],
  into: Float64Array,
  from: number,
  problems: ParamProblems,
): number {
  let points = 0;
  let wrong = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    // x - x is 0 for every finite number and NaN for ±Infinity (what JSON.parse makes of 1e400).
    if (typeof value === 'number' && value - value === 0) {
      into[from + row] = value;
      points++;
    } else if (value === null) into[from + row] = Number.NaN;
    else if (wrong++ < problemsPerArrayMax) {
      problems[`data.series.${key}.${row}`] = [`must be a finite number or null, got ${describe(value)}`];
    }
  }
  if (wrong > 0) noteMore(problems, `data.series.${key}`, wrong);
  return points;
}

function noteMore(problems: ParamProblems, path: string, wrong: number): void {
  if (wrong > problemsPerArrayMax) problems[path] = [`${wrong} elements are wrong, the first are listed`];
}

function describe(value: unknown): string {
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : 'a number beyond the range of a double';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
