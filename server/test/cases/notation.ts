/** The compact notations of `.case` files: times, series, expected values. */
import { parseDuration } from '#model/duration';
import { parseInstant } from '#model/instant';
import { ScriptError } from './script.ts';

/** `2024-01-01`, `2024-01-01T05`, `2024-01-01T05:30`, with seconds and an offset where wanted (UTC without) → µs. */
export function readTime(text: string, line: number): number {
  const match = /^(\d{4}-\d\d-\d\d)(?:T(\d\d)(:\d\d)?(:\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (match === null) throw new ScriptError(line, `not a time: ${text}`);
  const [, date, hour = '00', minute = ':00', second = ':00', offset = 'Z'] = match;
  return parseInstant(`${date}T${hour}${minute}${second}${offset}`);
}

/** A duration of fixed length → µs. */
export function readWidth(text: string, line: number): number {
  const duration = parseDuration(text);
  if (duration.kind !== 'fixed') throw new ScriptError(line, `not a fixed duration: ${text}`);
  return duration.us;
}

/** `1 _ 3x2 0+2x3` → 1, null, 3, 3, 0, 2, 4. */
export function readValues(words: readonly string[], line: number): (number | null)[] {
  return words.flatMap((word) => readRun(word, line));
}

function readRun(word: string, line: number): (number | null)[] {
  const number = String.raw`-?\d+(?:\.\d+)?(?:e-?\d+)?`;
  const match = new RegExp(`^(?:(_)|(${number})(?:([+-])(${number}))?)(?:x(\\d+))?$`).exec(word);
  if (match === null) throw new ScriptError(line, `not a value: ${word}`);
  const [, gap, start, sign, step = '0', times = '1'] = match;
  const rise = sign === '-' ? -Number(step) : Number(step);
  return Array.from({ length: Number(times) }, (_, i) =>
    gap === undefined ? Number(start) + i * rise : null,
  );
}

/**
 * Whether an answered value is what a case expects: `_` is null, `1.33~` agrees to the digits written, any other number to
 * 1e-9 of its size (the order of additions may differ from store to store).
 */
export function isExpected(got: number, expected: string): boolean {
  if (expected === '_') return Number.isNaN(got);
  const [text, rough] = expected.endsWith('~') ? [expected.slice(0, -1), true] : [expected, false];
  const number = Number(text);
  const decimals = /\.(\d+)/.exec(text)?.[1].length ?? 0;
  const tolerance = rough ? 0.5000001 * 10 ** -decimals : 1e-9 * Math.abs(number);
  return Math.abs(got - number) <= tolerance;
}
