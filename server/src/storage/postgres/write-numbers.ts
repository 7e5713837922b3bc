/** The numbers of writes of points: a sequence in PostgreSQL, and a row for each process with the write that it has under way. */
import { hash } from 'node:crypto';
import type { PointChangesSince, TimeRange, WriteNumbers } from '../coordination.ts';
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
const beginStatement = `with gate as materialized (select pg_advisory_xact_lock_shared($1) as passed),
  begun as (insert into open_write (writer, number, held_at) select $2, nextval('write_number'), clock_timestamp() from gate
    on conflict (writer) do update set number = excluded.number, held_at = excluded.held_at returning number)
  insert into point_change (number, first_us, last_us) select number, $3, $4 from begun returning number`;

/** The number that was taken last, and then the wait until every write with such a number is visible as one under way. */
const lastStatement = `with last as materialized (select case when is_called then last_value else 0 end as number from write_number)
  select number, pg_advisory_xact_lock($1) as passed from last`;

const isHeld = `held_at > clock_timestamp() - interval '${silentMsMax} milliseconds'`;

const openStatement = `select min(number) as number from open_write where ${isHeld}`;

const holdStatement = `update open_write set held_at = clock_timestamp()
  where writer = $1 and number = $2 and ${isHeld} returning number`;

const deletedStatement =
  "insert into point_change (number, first_us, last_us) values (nextval('write_number'), $1, $2)";

/** How many changes are kept: one that asks less often than these come has to assume that everything has changed. */
const changesKept = 1024;

/** What is forgotten is told as one change of everything, under the number 0. */
const forgetStatement = `with gone as (delete from point_change where number > 0 and number <= $1 returning tx)
  insert into point_change (number, tx, first_us, last_us) select 0, max(tx), '-Infinity', 'Infinity' from gone having count(*) > 0
  on conflict (number) do update set tx = greatest(point_change.tx, excluded.tx)`;

/**
 * One statement, which sees one state. Every change that it does not see is of a transaction that had not ended, and which is
 * therefore not below `tx`. Numbers of transactions are of one server: another one may have taken its place.
 */
const changesStatement = `select pg_postmaster_start_time()::text as server,
  txid_snapshot_xmin(txid_current_snapshot()) as tx,
  (select coalesce(json_agg(json_build_array(number, first_us, last_us)), '[]') from point_change where tx >= $1) as changed,
  (select coalesce(json_agg(json_build_array(number, first_us, last_us)), '[]') from open_write left join point_change using (number)
    where number is not null and ${isHeld}) as open`;

/** No transaction has this number. */
const txMax = '9223372036854775807';

/** Number, first and last time of a change. Infinity comes as text; what is null is not known. */
type ChangeRow = [number, number | string | null, number | string | null];

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

  async begin({ firstUs, lastUs }: TimeRange): Promise<number> {
    const { take, lock, writer } = this.#options;
    const [row] = await take(beginStatement, [lock, writer, firstUs, lastUs]);
    return Number(row.number);
  }

  async hold(number: number): Promise<boolean> {
    const rows = await this.#options.take(holdStatement, [this.#options.writer, number]);
    return rows.length === 1;
  }

  async end(number: number): Promise<void> {
    const sql = 'update open_write set number = null where writer = $1 and number = $2';
    await this.#options.take(sql, [this.#options.writer, number]);
    if (number % changesKept === 0) await this.#options.take(forgetStatement, [number - changesKept]);
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

  async deleted({ firstUs, lastUs }: TimeRange): Promise<void> {
    await this.#options.take(deletedStatement, [firstUs, lastUs]);
  }

  async changes(since: string | null): Promise<PointChangesSince> {
    const [knownServer, knownTx] = since?.split('|') ?? ['', txMax];
    const [row] = await this.#options.take(changesStatement, [knownTx]);
    const changed = row.changed as unknown as ChangeRow[];
    const isKnown = row.server === knownServer && changed.every(([number]) => number > 0);
    return {
      place: `${row.server}|${row.tx}`,
      changed: isKnown ? changed.map((one) => ({ number: one[0], range: rangeOf(one) })) : null,
      open: (row.open as unknown as ChangeRow[]).map(rangeOf),
    };
  }

  /** Forgets the row of this process, and those of processes that have ended long ago. */
  async close(): Promise<void> {
    const sql = "delete from open_write where writer = $1 or held_at < clock_timestamp() - interval '1 day'";
    await this.#options.take(sql, [this.#options.writer]);
  }
}

function rangeOf([, first, last]: ChangeRow): TimeRange {
  return { firstUs: Number(first ?? -Infinity), lastUs: Number(last ?? Infinity) };
}
