/** Things that are divided among nodes: each is a lock of PostgreSQL, which ends with the connection of the node that has it. */
import type { Sharer } from '../coordination.ts';
import type { Connection } from './connection.ts';

/** What is divided. */
export interface DivisionOptions {
  count: number;
  /** The number of the lock that all nodes share which want a part. */
  memberLock: number;
  /** The number of the lock of a thing. */
  lockOf(index: number): number;
  sharer: Sharer;
}

/** How many connections share a lock: its number is in two columns of 32 bits. */
const membersStatement = `select count(*) as members from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = $1`;

/** One kind of things, as one node sees it. */
export class Division {
  readonly #options: DivisionOptions;
  readonly #held = new Set<number>();
  /** By which it shares {@link DivisionOptions.memberLock}. */
  #joined: Connection | null = null;

  constructor(options: DivisionOptions) {
    this.#options = options;
  }

  /** Gives up what is above the share of this node, and takes what is free below it. */
  async balance(connection: Connection): Promise<void> {
    const { count } = this.#options;
    const share = Math.ceil(count / (await this.#members(connection)));
    for (const index of [...this.#held].slice(share)) await this.#giveUp(connection, index);
    for (let index = 0; index < count && this.#held.size < share; index++)
      if (!this.#held.has(index)) await this.#tryToTake(connection, index);
  }

  /** The connection has ended, and with it the locks. */
  lose(): void {
    this.#joined = null;
    const held = [...this.#held];
    this.#held.clear();
    for (const index of held) void this.#options.sharer.leave(index);
  }

  /** The nodes that want a part; one that has died is none as soon as PostgreSQL has noticed. */
  async #members(connection: Connection): Promise<number> {
    const { memberLock } = this.#options;
    if (this.#joined !== connection) await connection.run('select pg_advisory_lock_shared($1)', [memberLock]);
    this.#joined = connection;
    const { rows } = await connection.run(membersStatement, [memberLock]);
    return Math.max(1, Number(rows[0].members));
  }

  async #giveUp(connection: Connection, index: number): Promise<void> {
    this.#held.delete(index);
    await this.#options.sharer.leave(index);
    await connection.run('select pg_advisory_unlock($1)', [this.#options.lockOf(index)]);
  }

  async #tryToTake(connection: Connection, index: number): Promise<void> {
    const { rows } = await connection.run('select pg_try_advisory_lock($1) as mine', [
      this.#options.lockOf(index),
    ]);
    if (!rows[0].mine || this.#joined !== connection) return;
    this.#held.add(index);
    this.#options.sharer.take(index);
  }
}
