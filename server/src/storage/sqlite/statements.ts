/** Prepared statements of one connection, kept by their text. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AppError } from '#model/error';
import type { SqlValue } from '../meta/sql-runner.ts';
import type { SqlTable } from './sql-table.ts';

/** Statements kept at most: the shapes of meta-data queries are many, but few are in use at a time. */
const statementsMax = 256;

/** Shorter texts do not count: their rows are bounded by their number. */
const longCharactersMin = 1000;

/** A statement and the names of its columns. */
interface Prepared {
  statement: StatementSync;
  columns: readonly string[];
}

/** Runs statements by their text; the least recently used are forgotten. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #textCharactersMax: number;
  readonly #prepared = new Map<string, Prepared>();

  constructor(db: DatabaseSync, textCharactersMax: number) {
    this.#db = db;
    this.#textCharactersMax = textCharactersMax;
  }

  /**
   * Runs one statement to its end. Fails with `invalid-params` when its rows have more characters in long texts than is
   * allowed: labels, annotations and states of one signal may take a megabyte, and many of them more memory than there is.
   */
  run(sql: string, params: readonly SqlValue[]): SqlTable {
    const prepared = this.#prepare(sql);
    const { statement } = prepared;
    if (prepared.columns.length === 0) {
      return { columns: [], rows: [], changes: Number(statement.run(...params).changes) };
    }
    const rows = this.#collect(statement.iterate(...params) as unknown as Iterable<SqlValue[]>);
    // Where a column was added since the statement was prepared, SQLite has prepared it anew.
    if (rows.length > 0 && rows[0].length !== prepared.columns.length) prepared.columns = namesOf(statement);
    const changes = /^\s*(select|pragma|explain)\b/i.test(sql) ? 0 : rows.length;
    return { columns: prepared.columns, rows, changes };
  }

  #collect(found: Iterable<SqlValue[]>): SqlValue[][] {
    const rows: SqlValue[][] = [];
    let characters = 0;
    for (const row of found) {
      characters += longCharacters(row);
      if (characters > this.#textCharactersMax) throw tooMuch(this.#textCharactersMax);
      rows.push(row);
    }
    return rows;
  }

  #prepare(sql: string): Prepared {
    const prepared = this.#prepared.get(sql) ?? this.#begin(sql);
    this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > statementsMax) this.#prepared.delete(this.#prepared.keys().next().value!);
    return prepared;
  }

  #begin(sql: string): Prepared {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return { statement, columns: namesOf(statement) };
  }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}

function longCharacters(row: readonly SqlValue[]): number {
  let characters = 0;
  for (const value of row) {
    if (typeof value === 'string' && value.length >= longCharactersMin) characters += value.length;
  }
  return characters;
}

function tooMuch(charactersMax: number): AppError {
  return new AppError(
    'invalid-params',
    `Invalid params: the labels, annotations and enumValues that this call reads have more than ${charactersMax} characters; ask for fewer resources at a time`,
  );
}
