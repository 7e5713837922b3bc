/**
 * Series as other time-series databases name them, by a measurement (or metric), tags (or labels) and a field, and the input key
 * that each becomes (I1): `measurement/tag:value/…#field`, tags in the order of their keys, without `#field` for a metric, which has
 * none. Bytes that the parts of a key may not have are written as `+XX`, so different series have different keys.
 */
import { hash } from 'node:crypto';

/** A series as its source names it. */
export interface SeriesName {
  measurement: string;
  /** By key, ascending bytewise, each key once. */
  tags: readonly (readonly [key: string, value: string])[];
  /** Null: the source has no fields. */
  field: string | null;
}

/** What a new signal gets from the name of its series. */
export interface SeriesDescription {
  name: string;
  labels: ReadonlyMap<string, readonly string[]>;
}

/** A series with the key of its signal. */
export interface Series {
  /** Unique within the process, for quick comparison of lists. */
  id: number;
  input: string;
  name: SeriesName;
}

/** A series, and its place in the body that it occurred in last. */
export interface RowSeries extends Series {
  body: number;
  /** Among the series of its head in that body. */
  column: number;
}

/** The most characters of an input key. */
const inputMax = 128;

/** Begins the digest at the end of the key of a series whose whole key would be too long; an escape has hexadecimal digits here. */
const digestMark = '+-';

/** The length of a SHA-256 digest in base64url. */
const digestLength = 43;

/** The most characters of a part of a name: what a label may have (R2). */
const partMax = 1024;

/** The most characters of a signal's name, and of a label's key (R2). */
const shortMax = 128;

/** The labels that hold the measurement and the field, under the names that InfluxDB reserves for them. */
const measurementLabel = '_measurement';
const fieldLabel = '_field';

let seriesCount = 0;

/** A series by its name. */
export function newSeries(name: SeriesName): RowSeries {
  return { id: ++seriesCount, input: inputOf(name), name, body: 0, column: 0 };
}

/** Why a part of a name cannot be that of a signal; null: it can. */
export function partProblem(what: string, text: string): string | null {
  if (text === '') return `${what} is empty`;
  if (text.length > partMax) return `${what} has more than ${partMax} characters`;
  if (text.includes('\0')) return `${what} holds the character U+0000`;
  return text.isWellFormed() ? null : `${what} is not valid Unicode text`;
}

/** The input key of a series (I1). A longer one is cut, and ends in the digest of the whole. */
export function inputOf({ measurement, tags, field }: SeriesName): string {
  const tagged = tags.map(([key, value]) => `/${escaped(key)}:${escaped(value)}`).join('');
  const whole = `${escaped(measurement)}${tagged}${field === null ? '' : `#${escaped(field)}`}`;
  if (whole.length <= inputMax) return whole;
  const start = whole.slice(0, inputMax - digestMark.length - digestLength);
  return `${start}${digestMark}${hash('sha256', whole, 'base64url')}`;
}

function escaped(text: string): string {
  if (/^[A-Za-z0-9_.-]*$/.test(text)) return text;
  return text.replace(/[^A-Za-z0-9_.-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `+${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/**
 * Name and labels of a new signal (I1a): each tag is a label; characters that the key of a label may not have become `_`, and
 * tags whose keys become the same share a label.
 */
export function describeSeries({ measurement, tags, field }: SeriesName): SeriesDescription {
  const labels = new Map<string, string[]>([[measurementLabel, [measurement]]]);
  const add = (key: string, value: string) => labels.getOrInsertComputed(key, () => []).push(value);
  if (field !== null) add(fieldLabel, field);
  for (const [key, value] of tags) add(labelKey(key), value);
  const name = field === null ? measurement : `${measurement} ${field}`;
  return { name: [...name].slice(0, shortMax).join(''), labels };
}

function labelKey(key: string): string {
  return key.replace(/[^A-Za-z0-9\-_/]/gu, '_').slice(0, shortMax);
}
