/** The numbers of writes of points: a sequence in PostgreSQL, and a row for each process with the write that it has under way. */
import { hash } from 'node:crypto';
import type { WriteNumbers } from '../coordination.ts';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';

/** Runs one statement, which is not repeated after a failure. */
type Take = (sql: string, params: readonly SqlValue[]) => Promise<SqlRow[]>;

/** What {@link PostgresWriteNumbers} is made of. */
export interface WriteNumbersOptions {
  take: Take;
  /** The number of the advisory lock that orders the beginning of writes and looking at them. */
  lock: number;
  /** Of this process, unique. */
  writer: string;
  /** What makes the mark: the same on all nodes of the service, and on no other. */
  secret: string;
}

/** See {@link WriteNumbers.silentMsMax}: longer than the pauses of a living process, which says four times within it that it goes on. */
const silentMsMax = 15_000;

/** The number is taken under a lock that those who look wait for: they see each number that is taken also as under way. */
const beginStatement = `with gate as materialized (select pg_advisory_xact_lock_shared($1) as passed)
  insert into open_write (writer, number, held_at) select $2, nextval('write_number'), clock_timestamp() from gate
  on conflict (writer) do update set number = excluded.number, held_at = excluded.held_at returning number`;

/** The number that was taken last, and then the wait until every write with such a number is visible as one under way. */
const lastStatement = `with last as materialized (select case when is_called then last_value else 0 end as number from write_number)
  select number, pg_advisory_xact_lock($1) as passed from last`;

const isHeld = `held_at > clock_timestamp() - interval '${silentMsMax} milliseconds'`;

const openStatement = `select min(number) as number from open_write where ${isHeld}`;

const holdStatement = `update open_write set held_at = clock_timestamp()
  where writer = $1 and number = $2 and ${isHeld} returning number`;

/** Numbers of one process. */
export class PostgresWriteNumbers implements WriteNumbers {
  readonly mark: number;
  readonly silentMsMax = silentMsMax;
  readonly #options: WriteNumbersOptions;

  constructor(options: WriteNumbersOptions) {
    this.#options = options;
    this.mark = 1 + Number.parseInt(hash('sha256', options.secret).slice(0, 8), 16);
  }

  async next(): Promise<number> {
    const [row] = await this.#options.take("select nextval('write_number') as number", []);
    return Number(row.number);
  }

  async begin(): Promise<number> {
    const { take, lock, writer } = this.#options;
    const [row] = await take(beginStatement, [lock, writer]);
    return Number(row.number);
  }

  async hold(number: number): Promise<boolean> {
    const rows = await this.#options.take(holdStatement, [this.#options.writer, number]);
    return rows.length === 1;
  }

  async end(number: number): Promise<void> {
    const sql = 'update open_write set number = null where writer = $1 and number = $2';
    await this.#options.take(sql, [this.#options.writer, number]);
  }

  async settled(): Promise<number> {
    const { take, lock } = this.#options;
    const [last] = await take(lastStatement, [lock]);
    // A statement of its own, so that it sees what was committed before the lock was free.
    const [open] = await take(openStatement, []);
    return open.number === null
      ? Number(last.number)
      : Math.min(Number(last.number), Number(open.number) - 1);
  }

  /** Forgets the row of this process, and those of processes that have ended long ago. */
  async close(): Promise<void> {
    const sql = "delete from open_write where writer = $1 or held_at < clock_timestamp() - interval '1 day'";
    await this.#options.take(sql, [this.#options.writer]);
  }
}
