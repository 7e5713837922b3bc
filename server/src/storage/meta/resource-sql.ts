/** Inserting and updating signals or items with their labels, many at once. */
import { sql } from 'kysely';
import type { Item, Signal } from '#model/signal';
import { type BulkStatement, bulkInsert, bulkUpdate } from './bulk.ts';
import type { SqlDialect } from './dialect.ts';
import type { ResourceTables } from './resource.ts';
import type { Builder } from './schema.ts';
import type { SqlExecute, SqlValue } from './sql-runner.ts';

/** The writing statements of one kind of resource; compiled once, used by every transaction. */
export class ResourceSql<T extends Signal | Item> {
  readonly #db: Builder;
  readonly #dialect: SqlDialect;
  readonly #tables: ResourceTables<T>;
  readonly #insert: BulkStatement;
  readonly #insertLabels: BulkStatement;
  readonly #update: BulkStatement;
  /** Where in a row of all values those are that an update binds: the ID, then what it replaces. */
  readonly #updatedAt: readonly number[];

  constructor(db: Builder, dialect: SqlDialect, tables: ResourceTables<T>) {
    this.#db = db;
    this.#dialect = dialect;
    this.#tables = tables;
    this.#insert = bulkInsert(db, dialect, tables.table, tables.columns);
    this.#insertLabels = bulkInsert(db, dialect, tables.labelTable, ['resource', 'key', 'value']);
    this.#update = bulkUpdate(db, dialect, tables.table, tables.updated);
    this.#updatedAt = ['id', ...tables.updated].map((column) => tables.columns.indexOf(column));
  }

  /** Inserts records and their labels. */
  async insert(execute: SqlExecute, records: readonly T[]): Promise<void> {
    await this.#insert.run(execute, records.map(this.#tables.valuesOf));
    await this.#insertLabels.run(execute, records.flatMap(labelRows));
  }

  /** Replaces what can change, by ID; unknown IDs change nothing. Labels are written anew only where they differ. */
  async update(execute: SqlExecute, records: readonly T[]): Promise<void> {
    const relabelled = await this.#relabelled(execute, records);
    const rows = records.map((record) => {
      const values = this.#tables.valuesOf(record);
      return this.#updatedAt.map((i) => values[i]);
    });
    await this.#update.run(execute, rows);
    await this.#deleteLabels(execute, relabelled);
    await this.#insertLabels.run(execute, relabelled.flatMap(labelRows));
  }

  async #relabelled(execute: SqlExecute, records: readonly T[]): Promise<T[]> {
    const ids = this.#dialect.elementsOf(JSON.stringify(records.map(({ id }) => id)));
    const query = sql`select id, labels from ${sql.table(this.#tables.table)} where id in ${ids}`;
    const { sql: text, parameters } = query.compile(this.#db);
    const { rows } = await execute(text, parameters as readonly SqlValue[]);
    const stored = new Map(rows.map(({ id, labels }) => [id, labels]));
    const at = this.#tables.columns.indexOf('labels');
    return records.filter((record) => {
      const labels = stored.get(record.id);
      return labels !== undefined && labels !== this.#tables.valuesOf(record)[at];
    });
  }

  async #deleteLabels(execute: SqlExecute, records: readonly T[]): Promise<void> {
    if (records.length === 0) return;
    const ids = this.#dialect.elementsOf(JSON.stringify(records.map(({ id }) => id)));
    const query = sql`delete from ${sql.table(this.#tables.labelTable)} where resource in ${ids}`;
    const { sql: text, parameters } = query.compile(this.#db);
    await execute(text, parameters as readonly SqlValue[]);
  }
}

function labelRows({ id, attributes }: Signal | Item): SqlValue[][] {
  return [...attributes.labels].flatMap(([key, values]) => values.map((value) => [id, key, value]));
}
