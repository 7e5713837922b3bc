/**
 * The rows that a filter matches, as a FROM clause. For filters on labels it begins with the rarest label, whose index lists
 * resources by ID, so that a query for the first page ends early, regardless of the number of matches.
 */

import type { Filter, SortKey } from '#model/filter';
import type { SqlDialect } from './dialect.ts';
import { all, FilterSql } from './filter-sql.ts';
import type { FilterableTables } from './resource.ts';
import { identifier, join, type Sql, sql } from './sql.ts';

/** A label that every match has. */
export interface LabelWanted {
  key: string;
  value: string;
  /** The comparison in the filter that requires it. */
  comparison: Filter;
}

/** A filter in two parts, both of which must hold. */
export interface SplitFilter {
  label: LabelWanted | null;
  rest: Filter;
}

/** Additional conditions. */
export interface MatchScope {
  /** On `r`. */
  scope: readonly Sql[];
  /** Evaluated first. */
  conditions: readonly Sql[];
  /** Whether the conditions choose a range of IDs: then labels are looked up for each row. */
  isWalked?: boolean;
}

/** The matches of a filter. */
export interface Matches {
  /** From `from` to the end of `where`; the rows are `r`. */
  from: Sql;
  /** The ID of a row. */
  id: Sql;
  /** The ORDER BY expressions. */
  order(sort: readonly SortKey[]): Sql;
}

/** Maximum number of labels whose frequency is counted. */
const weighedMax = 8;

/** Counting stops here; more frequent labels are treated alike. */
const countMax = 1000;

/** The labels that every match must have: comparisons at the top level of the filter, or in its top-level conjunction. */
export function labelsWanted(filter: Filter): LabelWanted[] {
  const parts = filter.op === 'and' ? filter.filters : [filter];
  return parts.flatMap(labelOf).slice(0, weighedMax);
}

function labelOf(part: Filter): LabelWanted[] {
  if (part.op !== 'eq' || !('key' in part.path) || part.path.field !== 'labels') return [];
  return typeof part.value === 'string' ? [{ key: part.path.key, value: part.value, comparison: part }] : [];
}

/** Removes a label that {@link labelsWanted} found from its filter. */
export function splitFilter(filter: Filter, label: LabelWanted | null): SplitFilter {
  const parts = filter.op === 'and' ? filter.filters : [filter];
  return { label, rest: { op: 'and', filters: parts.filter((part) => part !== label?.comparison) } };
}

/** Selects one row with the frequency of each label in columns `n0`, `n1`, …; counted up to a thousand. */
export function labelCounts(
  tables: FilterableTables,
  labels: readonly LabelWanted[],
): Sql<Record<string, number>> {
  const table = identifier(tables.labelTable);
  const counts = labels.map(
    ({ key, value }, i) =>
      sql`(select count(*) from (select 1 from ${table} where key = ${key} and value = ${value} limit ${countMax}) as m) as ${identifier(`n${i}`)}`,
  );
  return sql<Record<string, number>>`select ${join(counts)}`;
}

/** The matches of a filter within a scope. */
export function matchesOf(
  tables: FilterableTables,
  dialect: SqlDialect,
  { label, rest }: SplitFilter,
  { scope, conditions, isWalked = false }: MatchScope,
): Matches {
  const narrowed = label !== null || isWalked;
  const filter = new FilterSql(tables, dialect, {
    alias: 'r',
    id: label === null ? 'r.id' : 'd.resource',
    narrowed,
  });
  const where = all([...conditions, ...scope, filter.condition(rest)]);
  const table = identifier(tables.table);
  const from =
    label === null
      ? sql`from ${table} as r where ${where}`
      : sql`from ${identifier(tables.labelTable)} as d ${dialect.orderedJoin} ${table} as r on r.id = d.resource where d.key = ${label.key} and d.value = ${label.value} and ${where}`;
  const id = identifier(label === null ? 'r.id' : 'd.resource');
  return { from, id, order: (sort) => filter.order(sort) };
}
