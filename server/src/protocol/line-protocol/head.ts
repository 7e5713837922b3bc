/** The head of a line: measurement and tags, up to the first space that is not escaped. */
import { isUtf8 } from 'node:buffer';
import { compareText } from '#model/text';
import { backslash, comma, equals, space } from '../bytes.ts';
import { newSeries, partProblem, type RowSeries, type SeriesName } from '../series/series.ts';
import type { RowHead } from '../series/series-rows.ts';
import { LineFault } from './line-fault.ts';

/** The most tags of a line: each is looked at when its series is new. */
export const tagsMax = 256;

/** A field of a head, as a line spells it. */
export interface HeadField {
  /** Its key and `=`, as they are in lines. */
  bytes: Uint8Array;
  /** Its place among the fields of the head. */
  place: number;
  series: RowSeries;
}

/** Measurement and tags, however lines spell them. */
export interface HeadName extends RowHead {
  /** Names it among all. */
  key: string;
  name: SeriesName;
  /** Field key → its series. */
  series: Map<string, RowSeries>;
  /** Whether there is a later object for the same head. */
  isReplaced: boolean;
}

/** One spelling of a head. */
export interface Head {
  bytes: Uint8Array;
  named: HeadName;
  /** Spellings of field keys in the order of their first use; lines usually repeat that order. */
  fields: HeadField[];
  /** The same by their bytes without `=`, as latin1 text. */
  byKey: Map<string, HeadField>;
  /** The head that followed it last time, if it is remembered. */
  next: Head | null;
}

/** The position of the first byte from `at` to `end` that is one of two and not escaped; `end` if there is none. */
export function unescaped(bytes: Uint8Array, at: number, end: number, one: number, other = one): number {
  for (let i = at; i < end; i++) {
    const code = bytes[i];
    if (code === backslash) i++;
    else if (code === one || code === other) return i;
  }
  return end;
}

/** The text of a part of a line. A backslash that escapes nothing is itself. */
export function textOf(bytes: Buffer, from: number, to: number): string {
  const part = bytes.subarray(from, to);
  if (!isUtf8(part)) throw new LineFault('the text is not valid UTF-8');
  const text = part.toString('utf8');
  return text.includes('\\') ? text.replace(/\\([,= ])/g, '$1') : text;
}

/** Reads the head in `bytes[from … to)`. Fails with a {@link LineFault}. */
export function readName(bytes: Buffer, from: number, to: number): SeriesName {
  const end = unescaped(bytes, from, to, comma);
  const measurement = textOf(bytes, from, end);
  const problem = partProblem('the measurement', measurement);
  if (problem !== null) throw new LineFault(end === from ? 'missing measurement' : problem);
  const tags: [string, string][] = [];
  for (let at = end; at < to; ) {
    if (tags.length === tagsMax) throw tooManyTags();
    const next = unescaped(bytes, at + 1, to, comma);
    tags.push(readTag(bytes, at + 1, next));
    at = next;
  }
  return { measurement, tags: inOrder(tags), field: null };
}

/** The fault of a line with more than {@link tagsMax}. */
export function tooManyTags(): LineFault {
  return new LineFault(`more than ${tagsMax} tags`);
}

function readTag(bytes: Buffer, from: number, to: number): [string, string] {
  const middle = unescaped(bytes, from, to, equals);
  if (middle === from) throw new LineFault('missing tag key');
  if (middle >= to - 1) throw new LineFault('missing tag value');
  if (unescaped(bytes, middle + 1, to, equals, space) < to) throw new LineFault('invalid tag format');
  const key = textOf(bytes, from, middle);
  const value = textOf(bytes, middle + 1, to);
  const problem = partProblem('a tag key', key) ?? partProblem('a tag value', value);
  if (problem !== null) throw new LineFault(problem);
  return [key, value];
}

function inOrder(tags: [string, string][]): [string, string][] {
  const isSorted = tags.every(([key], i) => i === 0 || compareText(tags[i - 1][0], key) < 0);
  if (isSorted) return tags;
  tags.sort(([a], [b]) => compareText(a, b));
  if (tags.some(([key], i) => i > 0 && tags[i - 1][0] === key)) throw new LineFault('duplicate tags');
  return tags;
}

/** The series of a field, under the key in `bytes[from … to)`. Fails with a {@link LineFault}. */
export function seriesOf({ name, series }: HeadName, bytes: Buffer, from: number, to: number): RowSeries {
  const field = textOf(bytes, from, to);
  const problem = partProblem('a field key', field);
  if (problem !== null) throw new LineFault(from === to ? 'missing field key' : problem);
  return series.getOrInsertComputed(field, () => newSeries({ ...name, field }));
}
