/** The audit log of administrative acts: reading, verifying its hash chain, pruning old rows. */
import { type Act, serviceAct } from '#model/act';
import { type Clock, clockMs, type Log } from '#model/environment';
import type { AuditQuery, AuditRow, MetaPart } from '#storage/meta-store';
import { type ChainHead, type ChainVerdict, ChainWalk, pruneAction } from './chain.ts';
import { type AuditEntry, everyRow, record } from './record.ts';

/** Rows in a page. */
const pageRows = 1000;

const dayMs = 86_400_000;

interface AuditOptions {
  meta: MetaPart<'audit'>;
  clock: Clock;
  log: Log;
}

/** The audit of one store. */
export class Audit {
  readonly #options: AuditOptions;
  #timer: NodeJS.Timeout | undefined;
  #pruning: Promise<unknown> = Promise.resolve();

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Rows, newest first, of one actor, action or target where these are given. */
  list(
    query: Partial<Pick<AuditQuery, 'actor' | 'action' | 'target' | 'beforeSeq' | 'afterSeq'>> & {
      limit: number;
    },
  ): Promise<AuditRow[]> {
    return this.#options.meta.audit.list({ ...everyRow, isDescending: true, ...query });
  }

  /**
   * The seq of the first act at or after a time, ms; one more than the last seq where there is none. Times ascend with seq,
   * except where a clock was set back: there it is one of the acts around that time. Costs a read for each bit of the seq.
   */
  async seqAt(timeMs: number): Promise<number> {
    const [last] = await this.list({ limit: 1 });
    let [low, high] = [1, (last?.seq ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await this.#options.meta.audit.list({ ...everyRow, afterSeq: middle - 1, limit: 1 });
      if (row === undefined || row.timeMs >= timeMs) high = middle;
      else low = row.seq + 1;
    }
    return low;
  }

  /** Adds the row of an act that changes nothing else in the store. */
  note(act: Act, entry: AuditEntry): Promise<void> {
    return this.#options.meta.write((tx) => record(tx, act, this.#options.clock, entry));
  }

  /** Every row, oldest first, read in pages: the audit may be longer than memory. */
  async *rows(): AsyncGenerator<AuditRow, void, undefined> {
    let afterSeq = 0;
    while (true) {
      const page = await this.#options.meta.audit.list({ ...everyRow, afterSeq, limit: pageRows });
      yield* page;
      if (page.length < pageRows) return;
      afterSeq = page[page.length - 1].seq;
    }
  }

  /** Verifies the chain from the first row to the last. `expected` is a head that was recorded earlier. */
  async verify(expected: ChainHead | null = null): Promise<ChainVerdict> {
    const verdict = await this.#walk(expected);
    // Pages are read one by one: pruning between two of them looks like missing rows, but only once.
    return verdict.ok ? verdict : this.#walk(expected);
  }

  async #walk(expected: ChainHead | null): Promise<ChainVerdict> {
    const walk = new ChainWalk(expected);
    for await (const row of this.rows()) {
      const problem = walk.step(row);
      if (problem !== null) return { ok: false, seq: row.seq, problem };
    }
    return walk.end();
  }

  /**
   * Deletes rows older than `keepDays` and records this with the hash of the newest deleted row, from which the remaining
   * rows can still be verified. Returns the number of deleted rows.
   */
  async prune(act: Act, keepDays: number): Promise<number> {
    const last = await this.#lastBefore(clockMs(this.#options.clock) - keepDays * dayMs);
    if (last === null) return 0;
    return this.#options.meta.write(async (tx) => {
      const [first] = await tx.audit.list({ ...everyRow, limit: 1 });
      if (first === undefined || first.seq > last.seq) return 0;
      const count = last.seq - first.seq + 1;
      const change = { seq: last.seq, hash: last.hash, rows: count, keepDays };
      await record(tx, act, this.#options.clock, { action: pruneAction, target: 'audit', change });
      await tx.audit.deleteThrough(last.seq);
      return count;
    });
  }

  /** Prunes now and every day until {@link close} or the next call, while `mayPrune`; 0 keeps everything. */
  keepFor(keepDays: number, mayPrune: () => Promise<boolean> = async () => true): void {
    clearInterval(this.#timer);
    if (keepDays === 0) return;
    const prune = async () => {
      try {
        return (await mayPrune()) ? await this.prune(serviceAct, keepDays) : 0;
      } catch (error) {
        this.#options.log.warn('audit log cannot be pruned; trying again tomorrow', { error });
        return 0;
      }
    };
    const again = () => {
      this.#pruning = this.#pruning.then(prune);
    };
    again();
    this.#timer = setInterval(again, dayMs);
    this.#timer.unref();
  }

  /** Ends pruning. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pruning;
  }

  /** The last row before the first one to keep; a clock that was set back leaves no gap. */
  async #lastBefore(fromMs: number): Promise<AuditRow | null> {
    let last: AuditRow | null = null;
    for await (const row of this.rows()) {
      if (row.timeMs >= fromMs) break;
      last = row;
    }
    return last;
  }
}
