/** Signals or items in SQL: finding them by texts and by queries, inserting and updating many at once. */

import { type Ending, signalOf } from '#model/ending';
import type { ResourceQuery } from '#model/filter';
import type { Item, Signal } from '#model/signal';
import type { Selected } from '../meta-store.ts';
import { checkPatterns } from './pattern.ts';
import { splitFilter } from './rarest-label.ts';
import { bytesOf } from './record-cache.ts';
import { recordsInTurns } from './records-in-turns.ts';
import { type ItemRow, numberColumns, type ResourceTables, type SignalRow } from './resource.ts';
import { planSearch } from './search-plan.ts';
import { identifier, join, type Sql, sql, valueRows } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';
import type { SqlValue } from './sql-runner.ts';

/** Rows of one statement at most: more gain nothing, and delay other work for longer. */
const chunkRowsMax = 500;

/** Answers of more rows are not kept: one of them would evict hundreds of others. */
const keptRowsMax = 200;

/** The columns that a statement selects, and the records in them. */
export interface RecordForm<R, Row> {
  /** Tells the forms of a table apart. */
  name: string;
  columns: Sql;
  recordOf(row: Row): R;
}

/** The resources of one kind. */
export class ResourceTable<T extends Signal | Item, Row extends SignalRow | ItemRow> {
  protected readonly access: SqlAccess;
  /** All columns. */
  protected readonly whole: RecordForm<T, Row>;
  readonly #tables: ResourceTables<T, Row>;

  constructor(access: SqlAccess, tables: ResourceTables<T, Row>) {
    this.access = access;
    const { records } = access.context;
    const recordOf = (row: Row): T => records.recordOf(tables.table, row, tables.recordOf);
    this.whole = { name: 'whole', columns: sql`*`, recordOf };
    this.#tables = tables;
  }

  /** In no order; unknown IDs are left out. */
  byId(ids: readonly string[]): Promise<T[]> {
    return this.recordsById(this.whole, ids);
  }

  /** In no order; unknown IDs are left out. Those that are kept are not read. */
  protected async recordsById<R extends T, FormRow extends Row>(
    form: RecordForm<R, FormRow>,
    ids: readonly string[],
  ): Promise<R[]> {
    const { answers } = this.access;
    if (answers === null || ids.length === 0) return this.records(form, this.access.oneOf('id', ids));
    const keyOf = (id: string) => `${this.#tables.table} ${form.name} ${id}`;
    const wanted = [...new Set(ids)];
    const kept = await answers.get<R>(wanted.map(keyOf));
    const records = kept.filter((record) => record !== undefined);
    const missing = wanted.filter((_, i) => kept[i] === undefined);
    if (missing.length === 0) return records;
    const began = answers.begin();
    const rows = await this.#rows(form, this.access.oneOf('id', missing));
    const found = await recordsInTurns(rows, form.recordOf);
    rows.forEach((row, i) => {
      answers.set(began, keyOf(row.id), found[i], bytesOf(row));
    });
    return [...records, ...found];
  }

  /** Those that meet a condition, which may end in an order. */
  protected async records<R, FormRow extends SignalRow | ItemRow>(
    form: RecordForm<R, FormRow>,
    condition: Sql,
  ): Promise<R[]> {
    return recordsInTurns(await this.#rows(form, condition), form.recordOf);
  }

  #rows<R, FormRow>(form: RecordForm<R, FormRow>, condition: Sql): Promise<FormRow[]> {
    const table = identifier(this.#tables.table);
    return this.access.rows(sql<FormRow>`select ${form.columns} from ${table} where ${condition}`);
  }

  /** Of one integration, or of all when it is null. */
  protected async selected<R, FormRow extends SignalRow | ItemRow>(
    form: RecordForm<R, FormRow>,
    query: ResourceQuery,
    integration: string | null,
    ending: Ending | undefined,
  ): Promise<Selected<R>> {
    if (typeof ending !== 'function') ending?.throwIfAborted();
    const tables = this.#tables;
    const { context, answers } = this.access;
    const key =
      answers === null ? '' : `${tables.table} ${form.name} ${JSON.stringify([integration, query])}`;
    const found = answers?.get<Selected<R>>([key]);
    const [kept] = (found instanceof Promise ? await found : found) ?? [];
    if (kept !== undefined) return kept;
    const began = answers?.begin() ?? 0;
    checkPatterns(query.filter);
    const split = await splitFilter(this.access, tables, query.filter);
    const plan = planSearch({ context, tables, columns: form.columns, query, split, integration });
    const { rows, total } = await this.access.search<FormRow>(plan, signalOf(ending));
    const selected = { records: await recordsInTurns(rows, form.recordOf), total };
    if (rows.length <= keptRowsMax) answers?.set(began, key, selected, totalBytes(rows));
    return selected;
  }

  /** Inserts records and their labels. With `numberBase` the numbers of the records are added to that. */
  protected async insertAll(records: readonly T[], numberBase?: Sql): Promise<void> {
    if (records.length === 0) return;
    this.access.touch('signals');
    const { table, columns, rowOf } = this.#tables;
    const rows = records.map((record) => valuesOf(rowOf(record), columns));
    await (numberBase === undefined
      ? this.#insert(table, columns, rows)
      : this.#insertNumbered(rows, numberBase));
    await this.#insertLabels(records);
  }

  /** Replaces what can change, by ID; unknown IDs change nothing. Labels are written anew only where they differ. */
  async update(records: readonly T[]): Promise<void> {
    if (records.length === 0) return;
    this.access.touch('signals');
    const { labelTable, updated, rowOf } = this.#tables;
    const table = identifier(this.#tables.table);
    const rows = records.map(rowOf);
    const relabelled = await this.#relabelled(rows);
    const settings = updated.map(
      (column, i) =>
        sql`${identifier(column)} = cast(v.${identifier(`column${i + 2}`)} as ${typeOf(column)})`,
    );
    await this.#inChunks(
      rows.map((row) => [row.id, ...valuesOf(row, updated)]),
      (values) =>
        sql`update ${table} set ${join(settings)} from (values ${values}) as v where ${table}.id = v.column1`,
    );
    if (relabelled.size === 0) return;
    const ids = this.access.oneOf('resource', [...relabelled]);
    await this.access.run(sql`delete from ${identifier(labelTable)} where ${ids}`);
    await this.#insertLabels(records.filter(({ id }) => relabelled.has(id)));
  }

  #insertLabels(records: readonly T[]): Promise<void> {
    return this.#insert(this.#tables.labelTable, ['resource', 'key', 'value'], records.flatMap(labelRows));
  }

  #insertNumbered(rows: readonly SqlValue[][], numberBase: Sql): Promise<void> {
    const { table, columns } = this.#tables;
    const given = columns.map((column, i) => {
      const value = identifier(`column${i + 1}`);
      return column === 'number' ? sql`${numberBase} + ${value}` : value;
    });
    return this.#inChunks(
      rows,
      (values) =>
        sql`insert into ${identifier(table)} (${join(columns.map(identifier))}) select ${join(given)} from (values ${values})`,
    );
  }

  #insert(table: string, columns: readonly string[], rows: readonly SqlValue[][]): Promise<void> {
    const names = join(columns.map(identifier));
    return this.#inChunks(
      rows,
      (values) => sql`insert into ${identifier(table)} (${names}) values ${values}`,
    );
  }

  /** Runs a statement over rows of the same length, as many at a time as it can bind. */
  async #inChunks(rows: readonly SqlValue[][], statement: (values: Sql) => Sql): Promise<void> {
    if (rows.length === 0) return;
    const { parametersMax } = this.access.context.dialect;
    const count = Math.min(chunkRowsMax, Math.floor(parametersMax / rows[0].length));
    for (let start = 0; start < rows.length; start += count)
      await this.access.run(statement(valueRows(rows.slice(start, start + count))));
  }

  /** The IDs of stored resources whose labels differ. */
  async #relabelled(rows: readonly Row[]): Promise<ReadonlySet<string>> {
    const ids = this.access.oneOf(
      'id',
      rows.map(({ id }) => id),
    );
    const table = identifier(this.#tables.table);
    const stored = await this.access.rows(
      sql<Pick<Row, 'id' | 'labels'>>`select id, labels from ${table} where ${ids}`,
    );
    const labels = new Map(rows.map((row) => [row.id, row.labels]));
    return new Set(stored.filter((row) => row.labels !== labels.get(row.id)).map(({ id }) => id));
  }
}

function totalBytes(rows: readonly { id: string }[]): number {
  return rows.reduce((sum, row) => sum + bytesOf(row), 0);
}

function valuesOf<Row extends SignalRow | ItemRow>(
  row: Row,
  columns: readonly (keyof Row & string)[],
): SqlValue[] {
  return columns.map((column) => row[column] as SqlValue);
}

/** A database that takes the type of a column of values from its rows cannot, where all of them are null. */
function typeOf(column: string): Sql {
  return numberColumns.has(column) ? sql`bigint` : sql`text`;
}

function labelRows({ id, attributes }: Signal | Item): SqlValue[][] {
  return [...attributes.labels].flatMap(([key, values]) => values.map((value) => [id, key, value]));
}
