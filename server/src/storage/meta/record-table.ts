/** Tables of records that are read as a whole: the mapping of fields to columns, and the statements that all of them share. */

import type { MetaTopic } from '../meta-store.ts';
import { identifier, insertion, join, type Sql, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';
import type { SqlRow, SqlValue } from './sql-runner.ts';

/** How the value of a field is stored. */
interface Codec<V> {
  print(value: V): SqlValue;
  parse(stored: SqlValue): V;
}

/** Stored as it is, or by a codec. */
type Storage<V> = [V] extends [SqlValue] ? 'plain' | Codec<V> : Codec<V>;

/** One kind of record and its table. The column of a field has its name in snake case. */
export interface Mapping<T, Key extends keyof T> {
  table: string;
  /** The primary key. */
  key: Key & string;
  /** Notified of changes; null: none is, and reads may wait for other reads. */
  topic: MetaTopic | null;
  /** Whether updates are not notified. Default false. */
  isUpdateQuiet?: boolean;
  fields: { [Field in keyof T & string]-?: Storage<T[Field]> };
  /** What an update replaces. */
  updated: readonly (keyof T & string)[];
}

/** Fields that are stored as they are. */
export function plain<Field extends string>(...fields: Field[]): Record<Field, 'plain'> {
  return Object.fromEntries(fields.map((field) => [field, 'plain'])) as Record<Field, 'plain'>;
}

/** JSON text. */
export function json<V>(): Codec<V> {
  return { print: (value) => JSON.stringify(value), parse: (stored) => JSON.parse(String(stored)) as V };
}

/** 0 or 1. */
export const flag: Codec<boolean> = { print: Number, parse: (stored) => stored === 1 };

/** The column of a field: `createdAtMs` → `created_at_ms`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The records of one table. */
export class RecordTable<T extends object, Key extends keyof T & string> {
  protected readonly access: SqlAccess;
  readonly #mapping: Mapping<T, Key>;
  readonly #fields: readonly (keyof T & string)[];
  readonly #table: Sql;
  readonly #key: Sql;

  constructor(access: SqlAccess, mapping: Mapping<T, Key>) {
    this.access = access;
    this.#mapping = mapping;
    this.#fields = Object.keys(mapping.fields) as (keyof T & string)[];
    this.#table = identifier(mapping.table);
    this.#key = identifier(columnOf(mapping.key));
  }

  async all(): Promise<T[]> {
    const statement = sql<SqlRow>`select * from ${this.#table} order by ${this.#key}`;
    const isFollowed = this.#mapping.topic !== null;
    const rows = await (isFollowed ? this.access.followed(statement) : this.access.rows(statement));
    return rows.map((row) => this.#recordOf(row));
  }

  async find(key: T[Key]): Promise<T | undefined> {
    const value = this.#print(this.#mapping.key, key);
    const [row] = await this.access.rows(
      sql<SqlRow>`select * from ${this.#table} where ${this.#key} = ${value}`,
    );
    return row && this.#recordOf(row);
  }

  async insert(record: T): Promise<void> {
    this.#touch();
    await this.access.run(this.#insertion(record));
  }

  async update(record: T): Promise<void> {
    if (this.#mapping.isUpdateQuiet !== true) this.#touch();
    const settings = this.#mapping.updated.map(
      (field) => sql`${identifier(columnOf(field))} = ${this.#print(field, record[field])}`,
    );
    const key = this.#print(this.#mapping.key, record[this.#mapping.key]);
    await this.access.run(sql`update ${this.#table} set ${join(settings)} where ${this.#key} = ${key}`);
  }

  /** Inserts, or updates if the key is in use. */
  async save(record: T): Promise<void> {
    this.#touch();
    const settings = this.#mapping.updated.map((field) => {
      const column = columnOf(field);
      return sql`${identifier(column)} = ${identifier(`excluded.${column}`)}`;
    });
    await this.access.run(
      sql`${this.#insertion(record)} on conflict (${this.#key}) do update set ${join(settings)}`,
    );
  }

  async delete(key: T[Key]): Promise<void> {
    this.#touch();
    const value = this.#print(this.#mapping.key, key);
    await this.access.run(sql`delete from ${this.#table} where ${this.#key} = ${value}`);
  }

  #insertion(record: T): Sql {
    const row = this.#fields.map((field) => [columnOf(field), this.#print(field, record[field])]);
    return insertion(this.#table, [Object.fromEntries(row)]);
  }

  #touch(): void {
    if (this.#mapping.topic !== null) this.access.touch(this.#mapping.topic);
  }

  #recordOf(row: SqlRow): T {
    const entries = this.#fields.map((field) => {
      const codec = this.#codec(field);
      const stored = row[columnOf(field)];
      return [field, codec === 'plain' ? stored : codec.parse(stored)];
    });
    return Object.fromEntries(entries) as T;
  }

  #print(field: keyof T & string, value: unknown): SqlValue {
    const codec = this.#codec(field);
    return codec === 'plain' ? (value as SqlValue) : codec.print(value);
  }

  #codec(field: keyof T & string): 'plain' | Codec<unknown> {
    return this.#mapping.fields[field];
  }
}
