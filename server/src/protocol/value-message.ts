/** The payload of a single value (M2): a number, `{"value", "time"}`, or an array of these. */
import { type AppError, invalidParams } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import { ProblemList, quote } from '#model/problem-list';

/** One value, and when it was measured: µs, NaN for the time of arrival. */
export interface TimedValue {
  timeUs: number;
  value: number;
}

/** Values of one payload. */
const valuesMax = 10_000;

/**
 * Reads a payload. The error is returned, not thrown, since it becomes that of the call: `parse` when it is not JSON,
 * `invalid-params` with paths that begin with `value`.
 */
export function readTimedValues(payload: Buffer): readonly TimedValue[] | AppError {
  let json: unknown;
  try {
    json = JSON.parse(payload.toString('utf8'));
  } catch {
    return invalidParams({
      value: [`must be a number, or JSON such as {"value": 21.5}, got ${quoteBytes(payload)}`],
    });
  }
  if (typeof json === 'number' && Number.isFinite(json)) return [{ timeUs: Number.NaN, value: json }];
  return readAll(json);
}

function readAll(json: unknown): readonly TimedValue[] | AppError {
  const problems = new ProblemList();
  const isList = Array.isArray(json);
  const list: readonly unknown[] = isList ? json : [json];
  if (list.length > valuesMax)
    return invalidParams({ value: [`must have at most ${valuesMax} entries, got ${list.length}`] });
  const values = list.map((entry, at) =>
    readOne(entry, isList ? ['value', String(at)] : ['value'], problems),
  );
  return problems.isEmpty ? values : problems.toError();
}

function readOne(entry: unknown, path: readonly string[], problems: ProblemList): TimedValue {
  if (typeof entry === 'number' || typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { timeUs: Number.NaN, value: readNumber(entry, path, problems) };
  const { value, time, ...others } = entry as Record<string, unknown>;
  for (const name of Object.keys(others))
    problems.add([...path, name], 'unknown member; "value" and "time" are known');
  return {
    timeUs: time === undefined ? Number.NaN : readTime(time, [...path, 'time'], problems),
    value: readNumber(value, [...path, 'value'], problems),
  };
}

function readNumber(value: unknown, path: readonly string[], problems: ProblemList): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  problems.add([...path], `must be a finite number, got ${quote(value)}`);
  return Number.NaN;
}

function readTime(time: unknown, path: readonly string[], problems: ProblemList): number {
  const timeUs = parseInstant(time);
  if (Number.isNaN(timeUs)) problems.add([...path], instantProblem(time));
  return timeUs;
}

function quoteBytes(bytes: Buffer): string {
  return quote(bytes.toString('utf8', 0, 64));
}
