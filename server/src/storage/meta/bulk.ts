/** Statements over many rows at once: in chunks that a statement can bind, with SQL that is compiled once a size. */
import { type RawBuilder, sql } from 'kysely';
import type { SqlAccess, SqlContext } from './sql-access.ts';
import type { SqlValue } from './sql-runner.ts';

/** Rows of one statement at most: more gain nothing, and hold up other work for longer. */
const rowsMax = 500;

/** A statement about any number of rows of the same width. */
export class BulkStatement {
  readonly #context: SqlContext;
  readonly #width: number;
  readonly #chunkRows: number;
  readonly #write: (rows: RawBuilder<unknown>) => RawBuilder<unknown>;
  #sqlOfChunk: string | undefined;

  /** `write` puts the list of rows, each in parentheses, into the statement; it may be called several times. */
  constructor(context: SqlContext, width: number, write: (rows: RawBuilder<unknown>) => RawBuilder<unknown>) {
    this.#context = context;
    this.#width = width;
    this.#chunkRows = Math.min(rowsMax, Math.floor(context.dialect.parametersMax / width));
    this.#write = write;
  }

  /** Runs it over all rows. */
  async run(access: SqlAccess, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    for (let start = 0; start < rows.length; start += this.#chunkRows) {
      const chunk = rows.slice(start, start + this.#chunkRows);
      await access.run(this.#sql(chunk.length), chunk.flat());
    }
  }

  #sql(count: number): string {
    if (count !== this.#chunkRows) return this.#compile(count);
    this.#sqlOfChunk ??= this.#compile(count);
    return this.#sqlOfChunk;
  }

  #compile(count: number): string {
    const row = sql`(${sql.join(new Array<null>(this.#width).fill(null))})`;
    return this.#write(sql.join(new Array(count).fill(row))).compile(this.#context.builder).sql;
  }
}

/** Inserts rows; each has its values in the order of `columns`. */
export function bulkInsert(context: SqlContext, table: string, columns: readonly string[]): BulkStatement {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  return new BulkStatement(
    context,
    columns.length,
    (rows) => sql`insert into ${sql.table(table)} (${names}) values ${rows}`,
  );
}

/** Replaces columns of the rows with an ID; each row has the ID, then the values in the order of `columns`. */
export function bulkUpdate(context: SqlContext, table: string, columns: readonly string[]): BulkStatement {
  const settings = columns.map((column, i) => sql`${sql.ref(column)} = v.${sql.ref(`column${i + 2}`)}`);
  return new BulkStatement(
    context,
    columns.length + 1,
    (rows) =>
      sql`update ${sql.table(table)} set ${sql.join(settings)} from (values ${rows}) as v where ${sql.table(table)}.id = v.column1`,
  );
}
