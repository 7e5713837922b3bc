/** A cache of the prepared statements of one connection, by their text. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AppError } from '#model/error';
import { LruCache } from '#model/lru-cache';
import type { SqlValue } from '../meta/sql-runner.ts';
import { checkColumn, RowVerifier } from './metadata-checks.ts';
import type { SqlTable } from './sql-table.ts';

/** Maximum number of cached statements: metadata queries have many forms, but few are in use at a time. */
const statementsMax = 256;

/** Shorter texts do not count, since the number of rows bounds them. */
const longCharactersMin = 1000;

/** A statement and the names of its columns. */
interface Prepared {
  statement: StatementSync;
  columns: readonly string[];
  /** Set if the statement reads whole rows of a table with checksums. */
  verifier: RowVerifier | null;
}

/** Runs statements by their text; the least recently used are evicted. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #textCharactersMax: number;
  readonly #prepared = new LruCache<string, Prepared>(statementsMax);

  constructor(db: DatabaseSync, textCharactersMax: number) {
    this.#db = db;
    this.#textCharactersMax = textCharactersMax;
  }

  /**
   * Runs one statement to its end. Fails with `invalid-params` when its rows have more characters in long texts than the limit,
   * since the labels, annotations and states of one signal may take a megabyte; and with a `StoredDamage` when a row does not
   * match its checksum. The column with the checksum is removed from the result. `onRow` is called after each row, and may throw.
   */
  run(sql: string, params: readonly SqlValue[], onRow: () => void = () => {}): SqlTable {
    try {
      return this.#run(sql, params, onRow);
    } catch (error) {
      // node:sqlite reports the error of a statement again when the statement is reused.
      this.#prepared.delete(sql);
      throw error;
    }
  }

  #run(sql: string, params: readonly SqlValue[], onRow: () => void): SqlTable {
    const prepared = this.#prepared.getOrMake(sql, () => this.#prepare(sql));
    const { statement } = prepared;
    if (prepared.columns.length === 0) {
      return { columns: [], rows: [], changes: Number(statement.run(...params).changes) };
    }
    const found = statement.iterate(...params) as unknown as Iterable<SqlValue[]>;
    const rows = this.#collect(found, prepared, onRow);
    const changes = /^\s*(select|pragma|explain)\b/i.test(sql) ? 0 : rows.length;
    return { columns: prepared.columns.filter((name) => name !== checkColumn), rows, changes };
  }

  #collect(found: Iterable<SqlValue[]>, prepared: Prepared, onRow: () => void): SqlValue[][] {
    const rows: SqlValue[][] = [];
    let characters = 0;
    for (const row of found) {
      // SQLite prepares a statement again if a column was added in the meantime.
      if (row.length !== prepared.columns.length) Object.assign(prepared, this.#describe(prepared.statement));
      prepared.verifier?.verify(row);
      const checkPlace = prepared.columns.indexOf(checkColumn);
      if (checkPlace >= 0) row.splice(checkPlace, 1);
      characters += longCharacters(row);
      if (characters > this.#textCharactersMax) throw tooMuch(this.#textCharactersMax);
      rows.push(row);
      onRow();
    }
    return rows;
  }

  #prepare(sql: string): Prepared {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return { statement, ...this.#describe(statement) };
  }

  /** Only reads are verified, since a `returning` clause sees rows before the triggers have updated the checksum. */
  #describe(statement: StatementSync): Omit<Prepared, 'statement'> {
    const columns = statement.columns();
    const isRead = /^\s*(select|with)\b/i.test(statement.sourceSQL);
    return {
      columns: columns.map(({ name }) => name),
      verifier: isRead ? RowVerifier.of(this.#db, columns) : null,
    };
  }
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
