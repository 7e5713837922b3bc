/** The readers: a small call is answered on this thread, any other goes to the reader thread with the fewest unanswered calls. */
import type { MessagePort } from 'node:worker_threads';
import { withoutEdges } from '#model/bucket';
import { type Ending, signalOf } from '#model/ending';
import type { Rollup } from '#model/rollup';
import { portTo } from '#threads/port-to';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import type { RollupRequest } from '../store.ts';
import type { LocalAnswer, LocalReader } from './local-reader.ts';
import type {
  CallResults,
  Found,
  PreparedRequest,
  PreparedState,
  ReaderCall,
  SentRollup,
  SeriesBody,
} from './messages.ts';
import { rowsInTurns } from './sql-table.ts';
import type { StartThread, Thread } from './thread.ts';

/** Rollups of fewer sources are not divided among threads. */
const sharedSourcesMin = 16;

/** Distributes calls over reader threads. */
export class ReaderPool {
  readonly #threads: readonly Thread<ReaderCall>[];
  readonly #local: LocalReader | null;
  readonly #underWay = new Set<Promise<unknown>>();
  /** The state that the threads saw when they last shared a request. */
  #lastState: PreparedState | null = null;

  /** Without `local` every call goes to a thread. */
  constructor(threads: readonly Thread<ReaderCall>[], local: LocalReader | null = null) {
    this.#threads = threads;
    this.#local = local;
  }

  /** Starts `count` threads; rejects when one of them fails to start. */
  static async start(start: StartThread, count: number, local?: LocalReader): Promise<ReaderPool> {
    return new ReaderPool(await Promise.all(Array.from({ length: count }, () => start('reader'))), local);
  }

  /** Lets the owner of the other end of a port call the first thread. */
  connect(port: MessagePort): void {
    this.#threads[0].connect(port);
  }

  /** Ports by which another thread of the process can call the same threads. */
  share(): MessagePort[] {
    return this.#threads.map((thread) => portTo((port) => thread.connect(port))[1]);
  }

  /** Calls that have not been answered yet. */
  get queueLength(): number {
    return this.#threads.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** Answers a call. When aborted it rejects with the signal's reason at once, and is cancelled in its thread. */
  async call<B extends ReaderCall>(body: B, ending?: Ending): Promise<CallResults[B['kind']]> {
    const small = await this.#small(body);
    return small === undefined ? this.#send(body, signalOf(ending)) : small;
  }

  #small<B extends ReaderCall>(body: B): LocalAnswer<B> | Promise<LocalAnswer<B>> {
    return this.#local?.answer(body);
  }

  /** Sends a call to a thread. */
  #send<B extends ReaderCall>(body: B, signal?: AbortSignal): Promise<CallResults[B['kind']]> {
    const thread = this.#threads.reduce((best, other) =>
      other.waitingCount < best.waitingCount ? other : best,
    );
    return this.#ask(thread, body, signal);
  }

  /** The rows of one statement that only reads. */
  async read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return rowsInTurns(await this.call({ kind: 'sql', sql, params }));
  }

  /** A rollup, divided among the threads if it is large and all of them are idle. */
  async rollup(request: RollupRequest, ending?: Ending): Promise<Found<Rollup[]>> {
    const small = await this.#small({ kind: 'rollup', request });
    if (small !== undefined) return small;
    const signal = signalOf(ending);
    const sent = { ...request, buckets: withoutEdges(request.buckets) };
    const isShared = request.sources.length >= sharedSourcesMin && this.#threads.length > 1;
    if (isShared && this.queueLength === 0) {
      const answer = await this.#track(this.#share(sent, signal));
      if (answer !== null) return answer;
    }
    return this.#send({ kind: 'rollup', request: sent }, signal);
  }

  /** Ends the threads after the current calls. */
  async close(): Promise<void> {
    await this.settle();
    await Promise.all(this.#threads.map((thread) => thread.call({ kind: 'close' })));
  }

  /** Resolves when the current calls have ended. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    this.#local?.close();
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
  async #share(request: SentRollup, signal?: AbortSignal): Promise<Found<Rollup[]> | null> {
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
