/** The rules for attributes of a signal or item (R2), as data, and the attributes that a write results in. */
import { AppError } from '#model/error';
import type { Annotations, Attributes, SourceType, ValueType } from '#model/signal';
import { characterCount, compareText } from '#model/text';
import type { SignalChange } from './change.ts';

/** The form of an input key (interface.md, Identifier formats). */
export const inputPattern = /^[a-zA-Z0-9\-_:.#+/]{1,128}$/;

/** The form of a label's or annotation's key. */
export const keyPattern = /^[A-Za-z0-9\-_/]{1,128}$/;

/** The form of an enum value's key: 0 to 9999, as a client may write it. */
const enumKeyPattern = /^0*[0-9]{1,4}$/;

/** How long texts may be, in characters (code points). */
const textRules = {
  name: { min: 1, max: 128 },
  description: { min: 0, max: 1000 },
  engUnit: { min: 0, max: 255 },
  label: { min: 0, max: 1024 },
  enumValue: { min: 1, max: 128 },
  annotation: { min: 0, max: 4096 },
} as const;

/** How many of them a resource may have (R2c), so that each can be read, and a page of them answered. */
const countRules = { labelValues: 1000, annotations: 256 } as const;

/** What `valueType` may be; the first is the default. */
const valueTypes = ['numeric', 'enum'] as const satisfies readonly ValueType[];

/** What `sourceType` may be; the first is the default. */
const sourceTypes = ['measurement', 'aggregation', 'prediction'] as const satisfies readonly SourceType[];

/** Reports one problem: the path below the change, and what is wrong there. */
export type Report = (path: string, message: string) => void;

/** Checks a change against R2; every problem is reported. */
export function checkChange(change: SignalChange, report: Report): void {
  if (change.name !== undefined) checkText(change.name, textRules.name, 'name', report);
  checkText(change.description ?? '', textRules.description, 'description', report);
  checkText(change.engUnit ?? '', textRules.engUnit, 'engUnit', report);
  checkOneOf(change.valueType, valueTypes, 'valueType', report);
  checkOneOf(change.sourceType, sourceTypes, 'sourceType', report);
  checkInterval(change.sampleIntervalUs, 'sampleInterval', report);
  checkInterval(change.gapDetectionUs, 'gapDetection', report);
  checkLabels(change.labels ?? none, report);
  checkMap(change.enumValues ?? none, enumKeyPattern, textRules.enumValue, 'enumValues', report);
  checkDistinctKeys(change.enumValues ?? none, report);
  checkAnnotations(change.annotations ?? none, 'annotations', report);
}

/** Checks annotations to be merged; `""` is allowed: it removes. */
export function checkAnnotations(annotations: Annotations, path: string, report: Report): void {
  checkCount(annotations.size, countRules.annotations, path, report);
  if (annotations.size > countRules.annotations) return;
  checkMap(annotations, keyPattern, textRules.annotation, path, report);
}

/** The attributes that a checked change asks for; what it leaves out takes its default (R2, R8). */
export function attributesOf(change: SignalChange, nameDefault: string): Attributes {
  return {
    name: change.name ?? nameDefault,
    description: change.description ?? '',
    valueType: (change.valueType || valueTypes[0]) as ValueType,
    sourceType: (change.sourceType || sourceTypes[0]) as SourceType,
    engUnit: change.engUnit ?? '',
    sampleIntervalUs: change.sampleIntervalUs || null,
    gapDetectionUs: change.gapDetectionUs || null,
    labels: sortedLabels(change.labels ?? none),
    enumValues: sorted(withEnumKeys(change.enumValues ?? none)),
  };
}

/** The key of an enum value as it is stored: without leading zeros (R2). */
export function enumKeyOf(key: string): string {
  return key.replace(/^0+(?=.)/, '');
}

/** Entries of enum values under the keys that are stored. */
export function withEnumKeys<V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return new Map([...map].map(([key, value]) => [enumKeyOf(key), value]));
}

/**
 * Annotations after a change: merged by key, `""` removes (R8). The same object when nothing changes. `invalid-resource`
 * when that would be too many (R2c).
 */
export function mergeAnnotations(stored: Annotations, change: Annotations | undefined): Annotations {
  const entries = [...(change ?? none)].filter(([key, value]) => (stored.get(key) ?? '') !== value);
  if (entries.length === 0) return stored;
  const merged = [...new Map([...stored, ...entries])].filter(([, value]) => value !== '');
  if (merged.length > Math.max(countRules.annotations, stored.size)) throw tooManyAnnotations(merged.length);
  return sorted(new Map(merged));
}

function tooManyAnnotations(count: number): AppError {
  const problem = `must be at most ${countRules.annotations} annotations, this call would make it ${count}`;
  return new AppError('invalid-resource', `Would produce an invalid resource: ${problem}`);
}

/** Whether two sets of attributes are the same; the order of keys is no difference. */
export function sameAttributes(a: Attributes, b: Attributes): boolean {
  return (
    scalarFields.every((field) => a[field] === b[field]) &&
    sameMap(a.labels, b.labels, sameList) &&
    sameMap(a.enumValues, b.enumValues, Object.is)
  );
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

const scalarFields = [
  'name',
  'description',
  'valueType',
  'sourceType',
  'engUnit',
  'sampleIntervalUs',
  'gapDetectionUs',
] as const satisfies readonly (keyof Attributes)[];

function sorted<V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return map.size < 2 ? map : new Map([...map].sort(([a], [b]) => compareText(a, b)));
}

function sortedLabels(labels: ReadonlyMap<string, readonly string[]>): Attributes['labels'] {
  const sets = [...labels].map(([key, values]) => [key, [...new Set(values)].sort(compareText)] as const);
  return sorted(new Map(sets));
}

function sameMap<V>(
  a: ReadonlyMap<string, V>,
  b: ReadonlyMap<string, V>,
  same: (a: V, b: V) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && same(value, other);
  });
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function checkText(text: string, rule: { min: number; max: number }, path: string, report: Report): void {
  const problem = textProblem(text, rule);
  if (problem !== null) report(path, problem);
}

/** Halves of a pair and U+0000 are refused because not every database can keep them. */
function textProblem(text: string, { min, max }: { min: number; max: number }): string | null {
  if (!text.isWellFormed()) return 'must be valid Unicode text, got half of a surrogate pair';
  if (text.includes('\0')) return 'must not hold the character U+0000';
  const length = text.length <= max ? text.length : characterCount(text);
  if (length < min) return `must be at least ${min} character, got ${length}`;
  return length > max ? `must be at most ${max} characters, got ${length}` : null;
}

function checkOneOf(
  value: string | undefined,
  allowed: readonly string[],
  path: string,
  report: Report,
): void {
  if (value === undefined || value === '' || allowed.includes(value)) return;
  report(path, `must be one of ${allowed.join(', ')}, got ${JSON.stringify(value.slice(0, 40))}`);
}

function checkInterval(us: number | null | undefined, path: string, report: Report): void {
  if (us === null || us === undefined || (Number.isSafeInteger(us) && us >= 0)) return;
  report(path, 'must not be negative');
}

function checkCount(count: number, max: number, path: string, report: Report): void {
  if (count > max) report(path, `must be at most ${max}, got ${count}`);
}

function checkLabels(labels: ReadonlyMap<string, readonly string[]>, report: Report): void {
  // A key without a value is stored as well.
  const count = [...labels.values()].reduce((sum, values) => sum + Math.max(1, values.length), 0);
  checkCount(count, countRules.labelValues, 'labels', report);
  if (count > countRules.labelValues) return;
  for (const [key, values] of labels) {
    const path = `labels.${key}`;
    checkKey(key, keyPattern, path, report);
    for (const value of values) checkText(value, textRules.label, path, report);
  }
}

function checkMap(
  map: ReadonlyMap<string, string>,
  keys: RegExp,
  rule: { min: number; max: number },
  path: string,
  report: Report,
): void {
  for (const [key, value] of map) {
    checkKey(key, keys, `${path}.${key}`, report);
    checkText(value, rule, `${path}.${key}`, report);
  }
}

function checkDistinctKeys(enumValues: ReadonlyMap<string, string>, report: Report): void {
  const spellings = new Map<string, string>();
  for (const key of enumValues.keys()) {
    const first = spellings.get(enumKeyOf(key));
    if (first === undefined) spellings.set(enumKeyOf(key), key);
    else report(`enumValues.${key}`, `is the same key as ${JSON.stringify(first)}; give only one of them`);
  }
}

function checkKey(key: string, pattern: RegExp, path: string, report: Report): void {
  if (!pattern.test(key)) report(path, `the key must match ${pattern.source}`);
}
