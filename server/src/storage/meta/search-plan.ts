/** A resource query (R13, R14) as the statements with which {@link search} answers it. */

import type { Filter, ResourceQuery } from '#model/filter';
import { all, FilterSql } from './filter-sql.ts';
import type { SplitFilter } from './rarest-label.ts';
import type { FilterableTables } from './resource.ts';
import type { Rule, SearchPlan, SearchStatement, Slot } from './search.ts';
import { identifier, join, type Sql, sql } from './sql.ts';
import type { SqlContext } from './sql-access.ts';

/** The input of a plan. */
interface PlanSource {
  context: SqlContext;
  tables: FilterableTables;
  /** The columns of the records. */
  columns: Sql;
  query: ResourceQuery;
  /** The filter of the query, with the label to begin with. */
  split: SplitFilter;
  /** Only signals of this integration; null: any. */
  integration: string | null;
}

/** Maximum number of comparisons of a query that is run as one statement. */
const directTerms = 20_000;

/** Filters with more comparisons are not run as one statement, which could examine few rows. */
const directComparisonsMax = 200;

/** The fewest rows of one step. */
const stepRowsMin = 20;

/** The number of terms that a pattern counts for (R14a). */
const patternTerms = 20;

/** Compiles the statements of a search. */
export function planSearch(source: PlanSource): SearchPlan {
  const { query, split, tables, context } = source;
  const { patternWorkMax } = context.limits;
  const terms = termsOf(query.filter) + query.sort.length + 1;
  const { candidates, rule } = candidatesOf(source);
  const { limit, skip, total } = query;
  return {
    direct: isDirect(split.rest) ? { ...directOf(source, terms), workMax: directTerms } : null,
    end: compiled(source, endOf(source)),
    candidates: compiled(source, candidates),
    rule,
    rows: Math.max(stepRowsMin, Math.floor(context.dialect.stepTerms / terms)),
    sorted: query.sort.length === 0 ? null : sortedOf(source),
    records: compiled(
      source,
      sql`select ${source.columns} from ${identifier(tables.table)} where id in ${source.context.dialect.elementsOf(slot('ids'))}`,
    ),
    ...{ limit, skip, total, patternWorkMax },
  };
}

function isDirect(filter: Filter): boolean {
  return !hasPattern(filter) && comparisonsOf(filter) <= directComparisonsMax;
}

function directOf(source: PlanSource, terms: number) {
  const { context, query, split } = source;
  const filters = filterSql(source, split.label !== null);
  const from = fromOf(source, [context.dialect.spendWork(terms)], filters.condition(split.rest));
  const order = sql`order by ${filters.order(query.sort)} limit ${query.limit} offset ${query.skip}`;
  const page = sql`select ${idOf(split)} as id ${from} ${order}`;
  const placed = sql`select p.id as page_id, row_number() over () as place from (${page}) as p`;
  const table = identifier(source.tables.table);
  return {
    page: compiled(source, page),
    records: compiled(
      source,
      sql`select ${source.columns} from (${placed}) as page join ${table} on ${table}.id = page.page_id order by page.place`,
    ),
    count: compiled(source, sql`select count(*) as total ${from}`),
  };
}

/** Writes conditions on the rows `r`. */
function filterSql({ tables, context, split }: PlanSource, isNarrowed: boolean): FilterSql {
  return new FilterSql(tables, context.dialect, idOf(split), isNarrowed);
}

/** Where the ID of a row is: in the label that the search begins with, else in the row itself. */
function idOf({ label }: SplitFilter): Sql {
  return label === null ? sql`r.id` : sql`d.resource`;
}

/** The rows `r` that match, by their label if the search begins with one; the `first` conditions are evaluated first. */
function fromOf({ tables, context, split, integration }: PlanSource, first: Sql[], filter: Sql): Sql {
  const scope = integration === null ? [] : [sql`r.integration = ${integration}`];
  const where = all([...first, ...scope, filter]);
  const table = identifier(tables.table);
  const { label } = split;
  if (label === null) return sql`from ${table} as r where ${where}`;
  return sql`from ${identifier(tables.labelTable)} as d ${context.dialect.orderedJoin} ${table} as r on r.id = d.resource
    where d.key = ${label.key} and d.value = ${label.value} and ${where}`;
}

/** The last ID of the next rows: of those with the label that the filter begins from, else of all in the scope. */
function endOf({ tables, split: { label }, integration }: PlanSource): Sql {
  const rows = sql`limit 1 offset ${slot('rows')}`;
  if (label !== null) {
    const labels = identifier(tables.labelTable);
    return sql`select d.resource as id from ${labels} as d where d.key = ${label.key} and d.value = ${label.value} and d.resource > ${slot('after')} order by d.resource ${rows}`;
  }
  const mine = integration === null ? sql`` : sql`r.integration = ${integration} and`;
  return sql`select r.id as id from ${identifier(tables.table)} as r where ${mine} r.id > ${slot('after')} order by r.id ${rows}`;
}

function candidatesOf(source: PlanSource): { candidates: Sql; rule: Rule | null } {
  const { split } = source;
  const id = idOf(split);
  // A range of IDs is more selective than labels.
  const filters = filterSql(source, true);
  const range = [sql`${id} > ${slot('after')}`, sql`${id} <= ${slot('until')}`];
  const from = fromOf(source, range, filters.condition(withoutPatterns(split.rest)));
  const columns = [sql`${id} as id`];
  const rule = hasPattern(split.rest) ? ruleOf(split.rest, filters, columns) : null;
  return { candidates: sql`select ${join(columns)} ${from} order by ${id}`, rule };
}

/** Adds the columns that the rule reads. Parts without patterns are decided by SQL, all of one junction in one column. */
function ruleOf(filter: Filter, filters: FilterSql, columns: Sql[]): Rule {
  const column = (value: Sql): string => {
    const name = `c${columns.length}`;
    columns.push(sql`${value} as ${identifier(name)}`);
    return name;
  };
  const decided = (plain: Filter): Rule => ({ op: 'column', column: column(filters.condition(plain)) });
  if (!hasPattern(filter)) return decided(filter);
  if (filter.op === 'regex') {
    const text = filters.text(filter.path);
    if (text === null) return decided({ op: 'or', filters: [] });
    const isList = 'key' in filter.path && filter.path.field === 'labels';
    return { op: 'pattern', column: column(text), pattern: filter.pattern, isList };
  }
  const { op } = filter;
  if (op !== 'and' && op !== 'or') return decided(filter);
  const plain = filter.filters.filter((part) => !hasPattern(part));
  const rules = filter.filters.filter(hasPattern).map((part) => ruleOf(part, filters, columns));
  return { op, rules: plain.length === 0 ? rules : [decided({ op, filters: plain }), ...rules] };
}

function sortedOf(source: PlanSource): SearchPlan['sorted'] {
  const { context, tables, query } = source;
  const { dialect } = context;
  const { sort, limit, skip } = query;
  const filters = new FilterSql(tables, dialect, sql`r.id`, true);
  const keys = sort.map(({ path }) => filters.sortValue(path));
  const table = identifier(tables.table);
  const { create, name, drop } = dialect.sortedTable(
    sort.map(({ path, descending }) => ({ descending, kind: filters.sortKind(path) })),
  );
  const order = sort.map(({ descending }, i) => {
    const key = identifier(`k${i}`);
    return descending ? sql`${key} desc nulls last` : sql`${key} asc nulls first`;
  });
  return {
    create: create.map((statement) => compiled(source, statement)),
    insert: compiled(
      source,
      sql`insert into ${name} select ${join([...keys, sql`r.id`])} from ${table} as r where r.id in ${dialect.elementsOf(slot('ids'))}`,
    ),
    page: compiled(
      source,
      sql`select id from ${name} order by ${join([...order, sql`id asc`])} limit ${limit} offset ${skip}`,
    ),
    drop: compiled(source, drop),
  };
}

function compiled({ context }: PlanSource, statement: Sql): SearchStatement {
  return { sql: statement.text(context.dialect.parameter), params: statement.values };
}

/** A parameter whose value is known only when the statement runs. */
function slot(name: Slot['slot']): Slot {
  return { slot: name };
}

/** Whether the filter contains patterns. */
function hasPattern(filter: Filter): boolean {
  if (filter.op === 'and' || filter.op === 'or') return filter.filters.some(hasPattern);
  return filter.op === 'regex';
}

/** A weaker filter without patterns: each pattern is replaced by the condition that there is a text. */
function withoutPatterns(filter: Filter): Filter {
  if (filter.op === 'and' || filter.op === 'or')
    return { op: filter.op, filters: filter.filters.map(withoutPatterns) };
  return filter.op === 'regex' ? { op: 'exists', path: filter.path, value: true } : filter;
}

function comparisonsOf(filter: Filter): number {
  if (filter.op !== 'and' && filter.op !== 'or') return 1;
  return filter.filters.reduce((sum, part) => sum + comparisonsOf(part), 1);
}

function termsOf(filter: Filter): number {
  if (filter.op === 'and' || filter.op === 'or')
    return filter.filters.reduce((sum, part) => sum + termsOf(part), 1);
  if (filter.op === 'regex') return patternTerms;
  return filter.op === 'in' || filter.op === 'nin' ? Math.max(1, filter.values.length) : 1;
}
