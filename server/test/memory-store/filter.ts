/** Filters over records in memory (R14): the rules as they are written, with which SQL is compared. */
import { bug, invalidParams } from '#model/error';
import type { Comparison, FieldPath, Filter, Operand, ScalarField, SortKey } from '#model/filter';
import { compilePattern, patternProblem } from '#model/pattern';
import type { Item, Signal } from '#model/signal';
import { compareText } from '#model/text';

/** What filters look at. */
export type Resource = Signal | Item;

/** A value that a field holds; no value is null. */
type Value = string | number | boolean;

/** Whether a record passes a filter. `invalid-params` for an invalid pattern. */
export function predicateOf<T extends Resource>(filter: Filter): (record: T) => boolean {
  if (filter.op === 'and') {
    const parts = filter.filters.map(predicateOf);
    return (record) => parts.every((holds) => holds(record));
  }
  if (filter.op === 'or') {
    const parts = filter.filters.map(predicateOf);
    return (record) => parts.some((holds) => holds(record));
  }
  const holds = comparisonOf(filter);
  return (record) => holds(valuesAt(record, filter.path));
}

/** The order of sort keys; ties are decided by the ID. */
export function comparatorOf(sort: readonly SortKey[]): (a: Resource, b: Resource) => number {
  return (a, b) => {
    for (const { path, descending } of sort) {
      const order = compareValues(valuesAt(a, path)[0], valuesAt(b, path)[0]);
      if (order !== 0) return descending ? -order : order;
    }
    return compareText(a.id, b.id);
  };
}

function comparisonOf(comparison: Comparison): (values: readonly Value[]) => boolean {
  switch (comparison.op) {
    case 'eq':
      return (values) => equals(values, comparison.value);
    case 'ne':
      return (values) => !equals(values, comparison.value);
    case 'in':
      return (values) => comparison.values.some((value) => equals(values, value));
    case 'nin':
      return (values) => !comparison.values.some((value) => equals(values, value));
    case 'regex':
      return matcherOf(comparison.path, comparison.pattern);
    case 'exists':
      return (values) => values.length > 0 === comparison.value;
    default: {
      const inOrder = orders[comparison.op];
      return (values) =>
        values.some(
          (value) =>
            typeof value === typeof comparison.value && inOrder(compareValues(value, comparison.value)),
        );
    }
  }
}

const orders = {
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
};

function equals(values: readonly Value[], operand: Operand): boolean {
  return operand === null ? values.length === 0 : values.includes(operand);
}

function matcherOf(path: FieldPath, pattern: string): (values: readonly Value[]) => boolean {
  const problem = patternProblem(pattern);
  if (problem !== null) throw invalidParams({ [path.field]: [problem] });
  const compiled = compilePattern(pattern);
  return (values) => values.some((value) => typeof value === 'string' && compiled.test(value));
}

/** Absent before present; texts bytewise; numbers by size; false before true. */
function compareValues(a: Value | undefined, b: Value | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

function valuesAt(record: Resource, path: FieldPath): readonly Value[] {
  if ('key' in path) return entriesAt(record, path.field, path.key);
  const value = scalars[path.field](record);
  return value === null ? [] : [value];
}

function entriesAt(
  record: Resource,
  field: 'labels' | 'annotations' | 'enumValues',
  key: string,
): readonly Value[] {
  if (field === 'labels') return record.attributes.labels.get(key) ?? [];
  const map = field === 'annotations' ? record.annotations : record.attributes.enumValues;
  const value = map.get(key);
  return value === undefined ? [] : [value];
}

const scalars: Record<ScalarField, (record: Resource) => Value | null> = {
  id: (record) => record.id,
  name: ({ attributes }) => attributes.name,
  description: ({ attributes }) => attributes.description,
  valueType: ({ attributes }) => attributes.valueType,
  sourceType: ({ attributes }) => attributes.sourceType,
  engUnit: ({ attributes }) => attributes.engUnit,
  sampleInterval: ({ attributes }) => attributes.sampleIntervalUs,
  gapDetection: ({ attributes }) => attributes.gapDetectionUs,
  visible: (record) => ('visible' in record ? record.visible : bug('a signal has no field visible')),
  input: (record) => signal(record).input,
  item: (record) => signal(record).item,
  integration: (record) => signal(record).integration,
  createdAt: (record) => record.createdAtMs,
  updatedAt: (record) => record.updatedAtMs,
};

function signal(record: Resource): Signal {
  return 'input' in record ? record : bug('an item has no input, item and integration');
}
