/** Signals or items in SQL: finding them by texts and by queries, inserting and updating many at once. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Filter, ResourceQuery } from '#model/filter';
import type { Item, Signal } from '#model/signal';
import type { Selected } from '../meta-store.ts';
import { type BulkStatement, bulkInsert, bulkUpdate } from './bulk.ts';
import { labelCounts, labelsWanted, type SplitFilter, splitFilter } from './matches.ts';
import { checkPatterns } from './pattern.ts';
import type { ItemRow, ResourceTables, SignalRow } from './resource.ts';
import { planSearch } from './search-plan.ts';
import type { SqlAccess, SqlContext } from './sql-access.ts';
import type { SqlValue } from './sql-runner.ts';

/** Characters of JSON that are parsed before the event loop has its turn. */
const turnCharacters = 256 * 1024;

/** One kind of resource with the statements that write many; compiled once, used by every transaction. */
export class ResourceStatements<T extends Signal | Item, Row extends SignalRow | ItemRow> {
  readonly tables: ResourceTables<T, Row>;
  readonly insert: BulkStatement;
  readonly insertLabels: BulkStatement;
  readonly update: BulkStatement;

  constructor(context: SqlContext, tables: ResourceTables<T, Row>) {
    this.tables = tables;
    this.insert = bulkInsert(context, tables.table, tables.columns);
    this.insertLabels = bulkInsert(context, tables.labelTable, ['resource', 'key', 'value']);
    this.update = bulkUpdate(context, tables.table, tables.updated);
  }
}

/** The columns that a statement selects, and the records in them. */
export interface RecordForm<R, Row> {
  columns: RawBuilder<unknown>;
  recordOf(row: Row): R;
}

/** The resources of one kind. */
export class ResourceTable<T extends Signal | Item, Row extends SignalRow | ItemRow> {
  protected readonly access: SqlAccess;
  /** All columns. */
  protected readonly whole: RecordForm<T, Row>;
  readonly #statements: ResourceStatements<T, Row>;

  constructor(access: SqlAccess, statements: ResourceStatements<T, Row>) {
    this.access = access;
    this.whole = { columns: sql`*`, recordOf: statements.tables.recordOf };
    this.#statements = statements;
  }

  /** In no order; unknown IDs are left out. */
  byId(ids: readonly string[]): Promise<T[]> {
    return this.records(this.whole, this.access.oneOf('id', ids));
  }

  /** Those that meet a condition, which may end in an order. */
  protected async records<R, FormRow>(
    form: RecordForm<R, FormRow>,
    condition: RawBuilder<unknown>,
  ): Promise<R[]> {
    const table = sql.table(this.#statements.tables.table);
    const rows = await this.access.rows(
      sql<FormRow>`select ${form.columns} from ${table} where ${condition}`,
    );
    return rows.map(form.recordOf);
  }

  /** Of one integration, or of all when it is null. */
  protected async selected<R, FormRow extends SignalRow | ItemRow>(
    form: RecordForm<R, FormRow>,
    query: ResourceQuery,
    integration: string | null,
    signal: AbortSignal | undefined,
  ): Promise<Selected<R>> {
    signal?.throwIfAborted();
    checkPatterns(query.filter);
    const { tables } = this.#statements;
    const { context } = this.access;
    const split = await this.#split(query.filter);
    const plan = planSearch({ context, tables, columns: form.columns, query, split, integration });
    const { rows, total } = await this.access.search<FormRow>(plan, signal);
    return { records: await recordsOf(rows, form), total };
  }

  /** Inserts records and their labels. */
  protected async insertAll(records: readonly T[]): Promise<void> {
    if (records.length === 0) return;
    this.access.touch('signals');
    const { tables, insert } = this.#statements;
    await insert.run(
      this.access,
      records.map((record) => valuesOf(tables.rowOf(record), tables.columns)),
    );
    await this.#insertLabels(records);
  }

  /** Replaces what can change, by ID; unknown IDs change nothing. Labels are written anew only where they differ. */
  async update(records: readonly T[]): Promise<void> {
    if (records.length === 0) return;
    this.access.touch('signals');
    const { tables, update } = this.#statements;
    const rows = records.map(tables.rowOf);
    const relabelled = await this.#relabelled(rows);
    await update.run(
      this.access,
      rows.map((row) => [row.id, ...valuesOf(row, tables.updated)]),
    );
    if (relabelled.size === 0) return;
    const ids = this.access.oneOf('resource', [...relabelled]);
    await this.access.rows(sql`delete from ${sql.table(tables.labelTable)} where ${ids}`);
    await this.#insertLabels(records.filter(({ id }) => relabelled.has(id)));
  }

  #insertLabels(records: readonly T[]): Promise<void> {
    return this.#statements.insertLabels.run(this.access, records.flatMap(labelRows));
  }

  /** The IDs of stored resources whose labels differ. */
  async #relabelled(rows: readonly Row[]): Promise<ReadonlySet<string>> {
    const ids = this.access.oneOf(
      'id',
      rows.map(({ id }) => id),
    );
    const table = sql.table(this.#statements.tables.table);
    const stored = await this.access.rows(
      sql<Pick<Row, 'id' | 'labels'>>`select id, labels from ${table} where ${ids}`,
    );
    const labels = new Map(rows.map((row) => [row.id, row.labels]));
    return new Set(stored.filter((row) => row.labels !== labels.get(row.id)).map(({ id }) => id));
  }

  /** Separates the rarest label from a filter, to begin with it. */
  async #split(filter: Filter): Promise<SplitFilter> {
    const labels = labelsWanted(filter);
    if (labels.length < 2) return splitFilter(filter, labels[0] ?? null);
    const [counts] = await this.access.rows(labelCounts(this.#statements.tables, labels));
    const rarest = labels.reduce((best, label, i) =>
      counts[`n${i}`] < counts[`n${labels.indexOf(best)}`] ? label : best,
    );
    return splitFilter(filter, rarest);
  }
}

/** In turns: maps of a thousand signals take up to some 100 ms to parse. */
async function recordsOf<T, Row extends SignalRow | ItemRow>(
  rows: readonly Row[],
  { recordOf }: RecordForm<T, Row>,
): Promise<T[]> {
  const records: T[] = [];
  let characters = 0;
  for (const row of rows) {
    records.push(recordOf(row));
    characters += row.labels.length + row.annotations.length + row.enum_values.length;
    if (characters < turnCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  return records;
}

function valuesOf<Row extends SignalRow | ItemRow>(
  row: Row,
  columns: readonly (keyof Row & string)[],
): SqlValue[] {
  return columns.map((column) => row[column] as SqlValue);
}

function labelRows({ id, attributes }: Signal | Item): SqlValue[][] {
  return [...attributes.labels].flatMap(([key, values]) => values.map((value) => [id, key, value]));
}
