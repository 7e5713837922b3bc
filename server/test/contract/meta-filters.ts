/** Filters and orders with the inputs that they must find: four signals that differ in every field, one case a line. */
import type { Comparison, FieldPath, Filter, SortKey } from '#model/filter';
import type { NewSignal } from '#storage/meta-store';
import { attributes, signal } from '../support/resources.ts';

const minuteUs = 60_000_000;

/** The signals `a` to `d` of an integration. */
export function filteredSignals(integration: string): NewSignal[] {
  return [
    signal(integration, 'a', {
      id: `${integration.slice(1)}a`,
      attributes: attributes({
        name: 'alpha',
        engUnit: '°C',
        sampleIntervalUs: minuteUs,
        labels: new Map([
          ['site', ['x', 'y']],
          ['kind', ['temp']],
        ]),
      }),
      annotations: new Map([['app/key', '1']]),
      createdAtMs: 1000,
      updatedAtMs: 1000,
    }),
    signal(integration, 'b', {
      id: `${integration.slice(1)}b`,
      attributes: attributes({
        name: 'beta',
        description: 'Second',
        valueType: 'enum',
        sourceType: 'aggregation',
        gapDetectionUs: 60 * minuteUs,
        labels: new Map([['site', ['y']]]),
        enumValues: new Map([
          ['0', 'off'],
          ['1', 'on'],
        ]),
      }),
      annotations: new Map([['app/key', '2']]),
      item: 'cbpmaq6rpn52969vfl01',
      createdAtMs: 2000,
      updatedAtMs: 2500,
    }),
    signal(integration, 'c', {
      id: `${integration.slice(1)}c`,
      attributes: attributes({
        name: 'Gamma',
        sourceType: 'prediction',
        engUnit: 'kWh',
        sampleIntervalUs: minuteUs / 2,
        enumValues: new Map([
          ['0', 'stop'],
          ['10', 'on'],
        ]),
      }),
      item: 'cbpmaq6rpn52969vfl02',
      createdAtMs: 3000,
      updatedAtMs: 3000,
    }),
    signal(integration, 'd', {
      id: `${integration.slice(1)}d`,
      attributes: attributes({
        name: `日本 50%_"it's" \u{1f600}`,
        description: 'Second floor\nnew line',
        labels: new Map([
          ['__proto__', ['p']],
          ['site', ['z']],
        ]),
      }),
      annotations: new Map([['__proto__', 'q']]),
      createdAtMs: 4000,
      updatedAtMs: 4000,
    }),
  ];
}

function path(text: string): FieldPath {
  const [field, ...key] = text.split('.');
  return (key.length === 0 ? { field } : { field, key: key.join('.') }) as FieldPath;
}

function is(field: string, op: Comparison['op'], operand: unknown): Filter {
  const member = op === 'in' || op === 'nin' ? 'values' : op === 'regex' ? 'pattern' : 'value';
  return { op, path: path(field), [member]: operand } as Comparison;
}

function and(...filters: Filter[]): Filter {
  return { op: 'and', filters };
}

function or(...filters: Filter[]): Filter {
  return { op: 'or', filters };
}

/** What the case is about, the filter, and the inputs that it finds in order of ID. */
export function filterCases(integration: string): [string, Filter, string][] {
  const idOf = (input: string) => integration.slice(1) + input;
  return [
    ['everything', and(), 'abcd'],
    ['nothing', or(), ''],
    ['id $eq', is('id', 'eq', idOf('b')), 'b'],
    ['id $ne', is('id', 'ne', idOf('b')), 'acd'],
    ['id $in', is('id', 'in', [idOf('b'), idOf('d'), 'other']), 'bd'],
    ['id $nin', is('id', 'nin', [idOf('b'), idOf('d')]), 'ac'],
    ['id $gt', is('id', 'gt', idOf('b')), 'cd'],
    ['id $exists', is('id', 'exists', true), 'abcd'],
    ['name $eq', is('name', 'eq', 'alpha'), 'a'],
    ['name $eq minds case', is('name', 'eq', 'ALPHA'), ''],
    ['name $eq any text', is('name', 'eq', `日本 50%_"it's" \u{1f600}`), 'd'],
    ['name $eq a number', is('name', 'eq', 5), ''],
    ['name $ne a number', is('name', 'ne', 5), 'abcd'],
    ['name $in', is('name', 'in', ['alpha', 'Gamma', null]), 'ac'],
    ['name $in nothing', is('name', 'in', []), ''],
    ['name $nin nothing', is('name', 'nin', []), 'abcd'],
    ['name $lt bytewise: capitals first', is('name', 'lt', 'a'), 'c'],
    ['name $lte', is('name', 'lte', 'alpha'), 'ac'],
    ['name $gt', is('name', 'gt', 'beta'), 'd'],
    ['name $gte', is('name', 'gte', 'beta'), 'bd'],
    ['name $lt beyond U+FFFF', is('name', 'lt', '\u{1f600}'), 'abcd'],
    ['name $gt private use', is('name', 'gt', '\ue000'), ''],
    ['name $regex unanchored', is('name', 'regex', 'l.h'), 'a'],
    ['name $regex anchored', is('name', 'regex', '^[a-z]+$'), 'ab'],
    ['name $regex flags', is('name', 'regex', '(?i)gamma|BETA'), 'bc'],
    ['name $regex no LIKE', is('name', 'regex', '50%_"'), 'd'],
    ['name $regex beyond U+FFFF', is('name', 'regex', ' .$'), 'd'],
    ['name $exists', is('name', 'exists', false), ''],
    ['description $eq empty', is('description', 'eq', ''), 'ac'],
    ['description $eq null', is('description', 'eq', null), ''],
    ['description $regex', is('description', 'regex', '^Second'), 'bd'],
    ['description $regex over lines', is('description', 'regex', '(?m)^new'), 'd'],
    ['valueType $eq', is('valueType', 'eq', 'enum'), 'b'],
    ['valueType $ne', is('valueType', 'ne', 'enum'), 'acd'],
    ['sourceType $in', is('sourceType', 'in', ['aggregation', 'prediction']), 'bc'],
    ['engUnit $eq', is('engUnit', 'eq', '°C'), 'a'],
    ['sampleInterval $eq', is('sampleInterval', 'eq', minuteUs), 'a'],
    ['sampleInterval $eq a text', is('sampleInterval', 'eq', String(minuteUs)), ''],
    ['sampleInterval $ne counts unset', is('sampleInterval', 'ne', minuteUs), 'bcd'],
    ['sampleInterval $eq null', is('sampleInterval', 'eq', null), 'bd'],
    ['sampleInterval $ne null', is('sampleInterval', 'ne', null), 'ac'],
    ['sampleInterval $in null', is('sampleInterval', 'in', [null, minuteUs]), 'abd'],
    ['sampleInterval $nin null', is('sampleInterval', 'nin', [null, minuteUs]), 'c'],
    ['sampleInterval $lt', is('sampleInterval', 'lt', minuteUs), 'c'],
    ['sampleInterval $lte', is('sampleInterval', 'lte', minuteUs), 'ac'],
    ['sampleInterval $exists', is('sampleInterval', 'exists', false), 'bd'],
    ['gapDetection $gte', is('gapDetection', 'gte', minuteUs), 'b'],
    ['gapDetection $gt', is('gapDetection', 'gt', 60 * minuteUs), ''],
    ['input $in', is('input', 'in', ['a', 'c', 'x']), 'ac'],
    ['input $gte', is('input', 'gte', 'c'), 'cd'],
    ['item $eq', is('item', 'eq', 'cbpmaq6rpn52969vfl01'), 'b'],
    ['item $eq null', is('item', 'eq', null), 'ad'],
    ['item $exists', is('item', 'exists', true), 'bc'],
    ['integration $eq', is('integration', 'eq', integration), 'abcd'],
    ['integration $ne', is('integration', 'ne', integration), ''],
    ['createdAt $eq', is('createdAt', 'eq', 2000), 'b'],
    ['createdAt $gt', is('createdAt', 'gt', 2000), 'cd'],
    ['createdAt $gte', is('createdAt', 'gte', 2000), 'bcd'],
    ['createdAt range', and(is('createdAt', 'gte', 2000), is('createdAt', 'lt', 4000)), 'bc'],
    ['updatedAt $lt', is('updatedAt', 'lt', 2500), 'a'],
    ['updatedAt $lt a text', is('updatedAt', 'lt', 'z'), ''],
    ['labels $eq any value', is('labels.site', 'eq', 'y'), 'ab'],
    ['labels $eq', is('labels.site', 'eq', 'x'), 'a'],
    ['labels $eq null', is('labels.site', 'eq', null), 'c'],
    ['labels $ne no value', is('labels.site', 'ne', 'x'), 'bcd'],
    ['labels $ne null', is('labels.site', 'ne', null), 'abd'],
    ['labels $in', is('labels.site', 'in', ['x', 'z']), 'ad'],
    ['labels $in null', is('labels.site', 'in', ['x', null]), 'ac'],
    ['labels $nin', is('labels.site', 'nin', ['x', 'z']), 'bc'],
    ['labels $nin null', is('labels.site', 'nin', ['x', null]), 'bd'],
    ['labels $in nothing', is('labels.site', 'in', []), ''],
    ['labels $nin nothing', is('labels.site', 'nin', []), 'abcd'],
    ['labels $lt', is('labels.site', 'lt', 'y'), 'a'],
    ['labels $gte', is('labels.site', 'gte', 'y'), 'abd'],
    ['labels $regex', is('labels.site', 'regex', '[xz]'), 'ad'],
    ['labels $exists', is('labels.kind', 'exists', true), 'a'],
    ['labels $exists false', is('labels.kind', 'exists', false), 'bcd'],
    ['labels of any key', is('labels.__proto__', 'eq', 'p'), 'd'],
    ['labels of a key that is none', is(`labels.it's "so"`, 'eq', 'p'), ''],
    ['two labels', and(is('labels.site', 'eq', 'y'), is('labels.kind', 'eq', 'temp')), 'a'],
    ['the same label twice', and(is('labels.site', 'eq', 'y'), is('labels.site', 'eq', 'x')), 'a'],
    ['a label, or another', or(is('labels.site', 'eq', 'z'), is('labels.kind', 'eq', 'temp')), 'ad'],
    ['a label, and none', and(is('labels.site', 'eq', 'y'), is('labels.kind', 'ne', 'temp')), 'b'],
    ['a label, and another absent', and(is('labels.site', 'eq', 'y'), is('labels.kind', 'eq', null)), 'b'],
    ['annotations $eq', is('annotations.app/key', 'eq', '1'), 'a'],
    ['annotations $ne', is('annotations.app/key', 'ne', '1'), 'bcd'],
    ['annotations $gte', is('annotations.app/key', 'gte', '1'), 'ab'],
    ['annotations $in', is('annotations.app/key', 'in', ['2', '3']), 'b'],
    ['annotations $eq null', is('annotations.app/key', 'eq', null), 'cd'],
    ['annotations of any key', is('annotations.__proto__', 'eq', 'q'), 'd'],
    ['annotations of a path', is('annotations.$.app', 'exists', true), ''],
    ['annotations of a key that is none', is('annotations."', 'exists', false), 'abcd'],
    ['enumValues $eq', is('enumValues.0', 'eq', 'off'), 'b'],
    ['enumValues $eq of a longer key', is('enumValues.10', 'eq', 'on'), 'c'],
    ['enumValues $exists', is('enumValues.1', 'exists', true), 'b'],
    ['enumValues $regex', is('enumValues.0', 'regex', 'o[fp]'), 'bc'],
    ['or of and', or(and(is('name', 'eq', 'alpha'), is('input', 'eq', 'b')), is('input', 'eq', 'd')), 'd'],
    ['a thousand terms', or(...Array.from({ length: 1500 }, (_, i) => is('createdAt', 'eq', i * 2))), 'ab'],
  ];
}

function by(text: string): SortKey {
  const descending = text.startsWith('-');
  return { path: path(descending ? text.slice(1) : text), descending };
}

/** Sort keys, `-` for descending, and the order of the inputs. */
export const sortCases: [SortKey[], string][] = [
  [[], 'abcd'],
  [[by('-id')], 'dcba'],
  [[by('name')], 'cabd'],
  [[by('-name')], 'dbac'],
  [[by('sampleInterval')], 'bdca'],
  [[by('-sampleInterval')], 'acbd'],
  [[by('item'), by('-createdAt')], 'dabc'],
  [[by('sourceType')], 'badc'],
  [[by('labels.site')], 'cabd'],
  [[by('-labels.site')], 'dbac'],
  [[by('annotations.app/key')], 'cdab'],
  [[by('-enumValues.0')], 'cbad'],
  [[by('valueType'), by('-name')], 'bdac'],
];
