/** The reader threads: each call goes to the thread with the fewest unanswered calls. */
import type { Rollup } from '#model/rollup';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import type { RollupRequest } from '../store.ts';
import type {
  CallResults,
  Found,
  PreparedRequest,
  PreparedState,
  ReaderCall,
  SeriesBody,
} from './messages.ts';
import { rowsOf } from './sql-table.ts';
import type { StartThread, Thread } from './thread.ts';

/** Rollups of fewer sources are not divided among threads. */
const sharedSourcesMin = 16;

/** Distributes calls over reader threads. */
export class ReaderPool {
  readonly #threads: readonly Thread<ReaderCall>[];
  readonly #underWay = new Set<Promise<unknown>>();
  /** The state that the threads saw when they last shared a request. */
  #lastState: PreparedState | null = null;

  private constructor(threads: readonly Thread<ReaderCall>[]) {
    this.#threads = threads;
  }

  /** Starts `count` threads; rejects when one of them fails to start. */
  static async start(start: StartThread, count: number): Promise<ReaderPool> {
    return new ReaderPool(await Promise.all(Array.from({ length: count }, () => start('reader'))));
  }

  /** Calls that have not been answered yet. */
  get queueLength(): number {
    return this.#threads.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** Sends a call to a thread. When aborted it rejects with the signal's reason at once, and is cancelled in the thread. */
  async call<B extends ReaderCall>(body: B, signal?: AbortSignal): Promise<CallResults[B['kind']]> {
    const thread = this.#threads.reduce((best, other) =>
      other.waitingCount < best.waitingCount ? other : best,
    );
    return this.#ask(thread, body, signal);
  }

  /** The rows of one statement that only reads. */
  async read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return rowsOf(await this.call({ kind: 'sql', sql, params }));
  }

  /** A rollup, divided among the threads if it is large and all of them are idle. */
  async rollup(request: RollupRequest, signal?: AbortSignal): Promise<Found<Rollup[]>> {
    const isShared = request.sources.length >= sharedSourcesMin && this.#threads.length > 1;
    if (isShared && this.queueLength === 0) {
      const answer = await this.#track(this.#share(request, signal));
      if (answer !== null) return answer;
    }
    return this.call({ kind: 'rollup', request }, signal);
  }

  /** Ends the threads after the current calls. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await Promise.all(this.#threads.map((thread) => thread.call({ kind: 'close' })));
  }

  #track<T>(call: Promise<T>): Promise<T> {
    this.#underWay.add(call);
    const forget = () => this.#underWay.delete(call);
    call.then(forget, forget);
    return call;
  }

  async #ask<B extends ReaderCall>(
    thread: Thread<ReaderCall>,
    body: B,
    signal?: AbortSignal,
  ): Promise<CallResults[B['kind']]> {
    signal?.throwIfAborted();
    if (signal === undefined) return this.#track(thread.call(body));
    const id = thread.nextId;
    const abandon = () => {
      thread.abandon(id, signal.reason);
      cancel(thread, id);
    };
    signal.addEventListener('abort', abandon, { once: true });
    return this.#track(thread.call(body)).finally(() => signal.removeEventListener('abort', abandon));
  }

  /**
   * Divides the sources among the threads. Null when the threads do not see the same blocks, because sealing has changed them
   * in between. Threads that see the last known state answer at once; others answer from the log up to their common row.
   */
  async #share(request: RollupRequest, signal?: AbortSignal): Promise<Found<Rollup[]> | null> {
    const expected = this.#lastState;
    const parts = this.#threads.map((thread, i) => {
      const sources = share(request.sources, i, this.#threads.length);
      return { thread, prepared: thread.nextId, body: { kind: 'rollup', request: { ...request, sources } } };
    }) satisfies { thread: Thread<ReaderCall>; prepared: number; body: SeriesBody }[];
    const begun = await Promise.allSettled(
      parts.map(({ thread, body }) => this.#ask(thread, { kind: 'prepare', body, expected }, signal)),
    );
    const ready = begun.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
    if (signal?.aborted || ready.length < parts.length || !seeTheSame(ready)) {
      for (const { thread, prepared } of parts) cancel(thread, prepared);
      return null;
    }
    const horizonSeq = Math.min(...ready.map(({ state }) => state.lastSeq));
    this.#lastState = {
      step: ready[0].state.step,
      lastSeq: Math.max(...ready.map(({ state }) => state.lastSeq)),
    };
    const answers = parts.map(
      ({ thread, prepared }, i) =>
        ready[i].answer ?? this.#ask(thread, { kind: 'run', prepared, horizonSeq }, signal),
    );
    return joined(await Promise.all(answers));
  }
}

/** Whether all threads see the same blocks and deletions, and none has answered from rows of the log that another lacks. */
function seeTheSame(parts: readonly PreparedRequest[]): boolean {
  const [{ state }] = parts;
  const horizonSeq = Math.min(...parts.map((part) => part.state.lastSeq));
  return parts.every(
    (part) => part.state.step === state.step && (part.answer === null || part.state.lastSeq === horizonSeq),
  );
}

function joined(parts: readonly Found<Rollup[]>[]): Found<Rollup[]> {
  const cost = { blocks: 0, points: 0 };
  for (const part of parts) {
    cost.blocks += part.cost.blocks;
    cost.points += part.cost.points;
  }
  return { found: parts.flatMap(({ found }) => found), cost };
}

/** The i-th of `count` parts of nearly equal size. */
function share<T>(all: readonly T[], i: number, count: number): T[] {
  return all.slice(Math.floor((all.length * i) / count), Math.floor((all.length * (i + 1)) / count));
}

function cancel(thread: Thread<ReaderCall>, call: number): void {
  thread.call({ kind: 'cancel', call }).catch(() => {});
}
