/** Resource filters and queries after parsing (R13, R14): checked, normalised, ready to compile to SQL or to match in memory. */

/** A field with at most one value. Durations compare as microseconds, dates as milliseconds. */
export type ScalarField =
  | 'id'
  | 'name'
  | 'description'
  | 'valueType'
  | 'sourceType'
  | 'engUnit'
  | 'sampleInterval'
  | 'gapDetection'
  | 'visible'
  | 'input'
  | 'item'
  | 'integration'
  | 'createdAt'
  | 'updatedAt';

/** What a comparison looks at: a field, or the entry of a map under a key. Labels have any number of values. */
export type FieldPath =
  | { field: ScalarField }
  | { field: 'labels' | 'annotations' | 'enumValues'; key: string };

/** A normalised operand: text, or a number (µs of a duration, ms of a date), or a truth value; null equals absent. */
export type Operand = string | number | boolean | null;

/** One comparison. A label matches when any of its values does, `ne` and `nin` when none does. */
export type Comparison =
  | { op: 'eq' | 'ne'; path: FieldPath; value: Operand }
  | { op: 'lt' | 'lte' | 'gt' | 'gte'; path: FieldPath; value: string | number }
  | { op: 'in' | 'nin'; path: FieldPath; values: readonly Operand[] }
  /** RE2 syntax, unanchored. */
  | { op: 'regex'; path: FieldPath; pattern: string }
  | { op: 'exists'; path: FieldPath; value: boolean };

/** A filter: `and` of nothing matches everything, `or` of nothing matches nothing. */
export type Filter =
  | { op: 'and'; filters: readonly Filter[] }
  | { op: 'or'; filters: readonly Filter[] }
  | Comparison;

/** Matches every resource. */
export const matchAll: Filter = { op: 'and', filters: [] };

/** One sort key; ties end at the ID, ascending. Absent values sort first ascending, last descending. */
export interface SortKey {
  path: FieldPath;
  descending: boolean;
}

/** Which resources, in which order, how many. */
export interface ResourceQuery {
  filter: Filter;
  sort: readonly SortKey[];
  /** 0 asks for no resource, only the total. */
  limit: number;
  skip: number;
  /** Whether to count all matches. */
  total: boolean;
}
