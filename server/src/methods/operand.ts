/** Operands of comparisons: JSON values → what stores compare (R14): text, µs of a duration, ms of a date, a truth value. */
import { instantProblem, parseInstant } from '#model/instant';
import { type ProblemList, quote } from '#model/problem-list';
import type { FieldKind } from './field-path.ts';
import { parseFixedDuration } from './interval.ts';

/** Which way a date between two milliseconds is rounded: stored dates are whole milliseconds (R3). */
export type Rounding = 'down' | 'up';

/** Reads an operand of a field, null excluded. Undefined when it is of the wrong type; the problem is noted at `path`. */
export function parseOperand(
  value: unknown,
  kind: FieldKind,
  rounding: Rounding,
  path: string,
  problems: ProblemList,
): string | number | boolean | undefined {
  const read = readers[kind](value, rounding);
  if (typeof read !== 'object') return read;
  problems.add([path], read.problem);
  return undefined;
}

type Read = string | number | boolean | { problem: string };

const readers: Record<FieldKind, (value: unknown, rounding: Rounding) => Read> = {
  text: (value) => (typeof value === 'string' ? value : { problem: `must be a string, got ${quote(value)}` }),
  flag: (value) =>
    typeof value === 'boolean' ? value : { problem: `must be true or false, got ${quote(value)}` },
  duration: readDuration,
  date: readDate,
};

function readDuration(value: unknown): Read {
  if (typeof value === 'string') return parseFixedDuration(value);
  return { problem: `must be a duration such as PT15M, got ${quote(value)}` };
}

function readDate(value: unknown, rounding: Rounding): Read {
  const us = parseInstant(value);
  if (Number.isNaN(us)) return { problem: instantProblem(value) };
  return rounding === 'up' ? Math.ceil(us / 1000) : Math.floor(us / 1000);
}
