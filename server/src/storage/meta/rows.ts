/** The rows of all tables, for copying a whole store into another one, whatever databases both are. */
import { conflict } from '#model/error';
import type { MetaRows, MetaTable, StoredRow, Transfer } from '../meta-store.ts';
import type { SqlDialect } from './dialect.ts';
import { all } from './filter-sql.ts';
import { identifier, insertion, join, type Sql, sql } from './sql.ts';
import type { SqlExecute, SqlRunner, SqlValue } from './sql-runner.ts';

/** All tables with what people and programs have stored. */
export const metaTables: readonly MetaTable[] = [
  ...['integration', 'credential', 'signing_key'].map(byId),
  { name: 'signal', key: ['number'] },
  { name: 'signal_label', key: ['resource', 'key', 'value'] },
  byId('item'),
  { name: 'item_label', key: ['resource', 'key', 'value'] },
  { name: 'calculation_version', key: ['item', 'version'] },
  { name: 'plan', key: ['name'] },
  { name: 'usage', key: ['day', 'integration'] },
  { name: 'audit', key: ['seq'] },
  ...['person', 'session'].map(byId),
  { name: 'preference', key: ['key'] },
  { name: 'retention_rule', key: ['scope'] },
  ...['saved_view', 'publish_rule', 'broker_session'].map(byId),
  { name: 'broker_queue', key: ['session', 'last_seq'] },
];

function byId(name: string): MetaTable {
  return { name, key: ['id'] };
}

/** Rows that one statement inserts at most: the parameters of a statement are limited. */
const insertedAtOnce = 500;

type TransferRow = {
  source: string;
  started_at_ms: number;
  done_signal: number;
  finished_at_ms: number | null;
};

/** The rows of one database. */
export class SqlMetaRows implements MetaRows {
  readonly tables = metaTables;
  readonly #runner: SqlRunner;
  readonly #dialect: SqlDialect;

  constructor(runner: SqlRunner, dialect: SqlDialect) {
    this.#runner = runner;
    this.#dialect = dialect;
  }

  page(table: MetaTable, after: StoredRow | null, limit: number): Promise<StoredRow[]> {
    const { from, order } = partsOf(table);
    return this.#read(
      sql`select * from ${from} where ${rangeOf(table, after, null)} order by ${order} limit ${limit}`,
    );
  }

  between(table: MetaTable, after: StoredRow | null, through: StoredRow | null): Promise<StoredRow[]> {
    const { from, order } = partsOf(table);
    return this.#read(sql`select * from ${from} where ${rangeOf(table, after, through)} order by ${order}`);
  }

  async replace(
    table: MetaTable,
    after: StoredRow | null,
    through: StoredRow | null,
    rows: readonly StoredRow[],
  ): Promise<void> {
    await this.#runner.transaction(async (execute) => {
      const { from } = partsOf(table);
      await this.#run(execute, sql`delete from ${from} where ${rangeOf(table, after, through)}`);
      for (let i = 0; i < rows.length; i += insertedAtOnce)
        await this.#run(execute, insertion(from, rows.slice(i, i + insertedAtOnce)));
    });
  }

  async count(table: MetaTable): Promise<number> {
    const [{ count }] = await this.#read(sql`select count(*) as count from ${partsOf(table).from}`);
    return Number(count);
  }

  takeNumbers(count: number): Promise<number> {
    const { takeNumbers } = this.#dialect;
    return this.#runner.transaction(async (execute) => {
      if (takeNumbers !== null) {
        const [{ last }] = await this.#run(
          execute,
          sql`select max(number) as last from (${takeNumbers(count)}) as taken`,
        );
        return Number(last);
      }
      const [{ next }] = await this.#run(
        execute,
        sql`update sequence set next = next + ${count} where name = 'signal' returning next`,
      );
      return Number(next) - 1;
    });
  }

  async transfer(): Promise<Transfer | null> {
    const [row] = (await this.#read(sql`select * from transfer`)) as unknown as TransferRow[];
    if (row === undefined) return null;
    const { source, started_at_ms: startedAtMs, done_signal: doneSignal, finished_at_ms: finishedAtMs } = row;
    return { source, startedAtMs, doneSignal, finishedAtMs };
  }

  async saveTransfer({ source, startedAtMs, doneSignal, finishedAtMs }: Transfer): Promise<void> {
    await this.#runner.transaction(async (execute) => {
      await this.#run(execute, sql`delete from transfer`);
      await this.#run(
        execute,
        sql`insert into transfer (id, source, started_at_ms, done_signal, finished_at_ms)
          values (${join([1, source, startedAtMs, doneSignal, finishedAtMs])})`,
      );
    });
  }

  async #read(statement: Sql): Promise<StoredRow[]> {
    return (await this.#runner.read(this.#text(statement), statement.values as SqlValue[])) as StoredRow[];
  }

  async #run(execute: SqlExecute, statement: Sql): Promise<StoredRow[]> {
    return (await execute(this.#text(statement), statement.values as SqlValue[])).rows as StoredRow[];
  }

  #text(statement: Sql): string {
    return statement.text(this.#dialect.parameter);
  }
}

/** Fails with `conflict` where a store is the copy of another one that is not complete: only the copying may use it. */
export async function requireComplete(rows: MetaRows): Promise<void> {
  const transfer = await rows.transfer();
  if (transfer === null || transfer.finishedAtMs !== null) return;
  throw conflict(
    `The data here is an unfinished copy of ${transfer.source}: run "tidemark migrate" again until it ends without an error, or begin anew with an empty target`,
  );
}

function partsOf({ name, key }: MetaTable): { from: Sql; order: Sql } {
  return { from: identifier(name), order: join(key.map(identifier)) };
}

/** The condition that the key of a row is in a range. */
function rangeOf({ key }: MetaTable, after: StoredRow | null, through: StoredRow | null): Sql {
  const columns = join(key.map(identifier));
  const keyOf = (row: StoredRow) => join(key.map((column) => row[column]));
  return all([
    ...(after === null ? [] : [sql`(${columns}) > (${keyOf(after)})`]),
    ...(through === null ? [] : [sql`(${columns}) <= (${keyOf(through)})`]),
  ]);
}
