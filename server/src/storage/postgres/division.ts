/** Things that are divided among nodes: each is a lock of PostgreSQL, which ends with the connection of the node that has it. */
import type { Sharer } from '../coordination.ts';
import type { Connection } from './connection.ts';

/** What is divided. */
export interface DivisionOptions {
  count: number;
  /** The number of the lock of a thing. */
  lockOf(index: number): number;
  sharer: Sharer;
}

/** One kind of things, as one node sees it. */
export class Division {
  readonly #options: DivisionOptions;
  readonly #held = new Set<number>();

  constructor(options: DivisionOptions) {
    this.#options = options;
  }

  /** Gives up what is above the share of this node, and takes what is free below it. */
  async balance(connection: Connection, nodes: number): Promise<void> {
    const { count } = this.#options;
    const share = Math.ceil(count / nodes);
    for (const index of [...this.#held].slice(share)) await this.#giveUp(connection, index);
    for (let index = 0; index < count && this.#held.size < share; index++)
      if (!this.#held.has(index)) await this.#tryToTake(connection, index);
  }

  /** The connection has ended, and with it the locks. */
  lose(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const index of held) void this.#options.sharer.leave(index);
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
    if (!rows[0].mine || !connection.isUsable) return;
    this.#held.add(index);
    this.#options.sharer.take(index);
  }
}
