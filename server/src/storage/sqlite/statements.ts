/** Prepared statements of one connection, kept by their text. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AppError } from '#model/error';
import type { SqlResult, SqlRow, SqlValue } from '../meta/sql-runner.ts';

/** Statements kept at most: the shapes of meta-data queries are many, but few are in use at a time. */
const statementsMax = 256;

/** Shorter texts do not count: their rows are bounded by their number. */
const longCharactersMin = 1000;

/** Runs statements by their text; the least recently used are forgotten. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #textCharactersMax: number;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, textCharactersMax: number) {
    this.#db = db;
    this.#textCharactersMax = textCharactersMax;
  }

  /**
   * Runs one statement to its end. Fails with `invalid-params` when its rows have more characters in long texts than is
   * allowed: labels, annotations and states of one signal may take a megabyte, and many of them more memory than there is.
   */
  run(sql: string, params: readonly SqlValue[]): SqlResult {
    const statement = this.#prepare(sql);
    if (statement.columns().length === 0) {
      return { rows: [], changes: Number(statement.run(...params).changes) };
    }
    const rows = this.#collect(statement.iterate(...params) as Iterable<SqlRow>);
    return { rows, changes: /^\s*(select|pragma|explain)\b/i.test(sql) ? 0 : rows.length };
  }

  #collect(found: Iterable<SqlRow>): SqlRow[] {
    const rows: SqlRow[] = [];
    let characters = 0;
    for (const row of found) {
      characters += longCharacters(row);
      if (characters > this.#textCharactersMax) throw tooMuch(this.#textCharactersMax);
      rows.push(row);
    }
    return rows;
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    const statement = known ?? this.#db.prepare(sql);
    if (known !== undefined) this.#prepared.delete(sql);
    this.#prepared.set(sql, statement);
    if (this.#prepared.size > statementsMax) this.#prepared.delete(this.#prepared.keys().next().value!);
    return statement;
  }
}

function longCharacters(row: SqlRow): number {
  let characters = 0;
  for (const name in row) {
    const value = row[name];
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
