/**
 * The label with which a search begins: the rarest one that every match must have. Its index lists resources by ID, so that a
 * query for the first page ends early, regardless of the number of matches.
 */
import type { Filter } from '#model/filter';
import type { FilterableTables } from './resource.ts';
import { identifier, join, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';

/** A label that every match has. */
interface LabelWanted {
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

/** Maximum number of labels whose frequency is counted. */
const weighedMax = 8;

/** Counting stops here; more frequent labels are treated alike. */
const countMax = 1000;

/** Separates the rarest label from a filter; none if the filter requires no label. */
export async function splitFilter(
  access: SqlAccess,
  tables: FilterableTables,
  filter: Filter,
): Promise<SplitFilter> {
  const parts = filter.op === 'and' ? filter.filters : [filter];
  const label = await rarestOf(access, tables, parts.flatMap(labelOf).slice(0, weighedMax));
  return { label, rest: { op: 'and', filters: parts.filter((part) => part !== label?.comparison) } };
}

function labelOf(part: Filter): LabelWanted[] {
  if (part.op !== 'eq' || !('key' in part.path) || part.path.field !== 'labels') return [];
  return typeof part.value === 'string' ? [{ key: part.path.key, value: part.value, comparison: part }] : [];
}

/** Counts the resources of each label up to {@link countMax}. */
async function rarestOf(
  access: SqlAccess,
  tables: FilterableTables,
  labels: readonly LabelWanted[],
): Promise<LabelWanted | null> {
  if (labels.length < 2) return labels[0] ?? null;
  const table = identifier(tables.labelTable);
  const counts = labels.map(
    ({ key, value }, i) =>
      sql`(select count(*) from (select 1 from ${table} where key = ${key} and value = ${value} limit ${countMax}) as m) as ${identifier(`n${i}`)}`,
  );
  const [row] = await access.rows(sql<Record<string, number>>`select ${join(counts)}`);
  const rarest = Math.min(...Object.values(row));
  return labels.find((_, i) => row[`n${i}`] === rarest) ?? null;
}
