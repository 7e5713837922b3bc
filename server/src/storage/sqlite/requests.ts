/**
 * The requests for points of a reader thread, processed in time slices, each in a snapshot on its own connection. A request that
 * is shared by several threads is put on hold after its snapshot has begun, until the threads agree on the state to answer from.
 * If the state is the expected one, as it is while nothing is written, the request is answered at once.
 */
import { AppError } from '#model/error';
import { openForReading } from './connection.ts';
import type { CallResults, Found, PreparedState, SeriesBody } from './messages.ts';
import { prepareRollup } from './rollup-reader.ts';
import { type Piecework, type Prepared, prepareScan, prepareSizes } from './series-reader.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import type { TaskLoop } from './task-loop.ts';
import { reply, replyError } from './thread-port.ts';
import { type Movable, rollupColumns, scanColumns } from './transfer.ts';

/** Bytes of decoded log rows that a thread keeps. */
const rowBytesMax = 32 * 1024 * 1024;

/** Bytes of decoded blocks that a thread keeps. */
const blockBytesMax = 48 * 1024 * 1024;

/** Requests that a thread works on concurrently; others wait. Each holds a snapshot, which keeps SQLite's WAL from shrinking. */
const requestsMax = 4;

interface Held {
  snapshot: SnapshotReader;
  prepared: Prepared<Movable<unknown>>;
}

interface Waiting {
  id: number;
  start(): void;
}

/** Requests of one thread. */
export class Requests {
  readonly #directory: string;
  readonly #shared = new SharedIndex(rowBytesMax, blockBytesMax);
  readonly #loop: TaskLoop;
  /** Idle connections. */
  readonly #free: SnapshotReader[] = [];
  /** Connections that process a request. */
  readonly #busy = new Set<SnapshotReader>();
  readonly #held = new Map<number, Held>();
  #waiting: Waiting[] = [];

  constructor(directory: string, loop: TaskLoop) {
    this.#directory = directory;
    this.#loop = loop;
  }

  /** Answers a request. */
  submit(id: number, body: SeriesBody): void {
    this.#admit(id, () => {
      const held = this.#prepare(body);
      this.#work(id, held, Number.POSITIVE_INFINITY);
    });
  }

  /** Begins a request. It is answered if its snapshot has the expected state, and held otherwise. */
  prepare(id: number, body: SeriesBody, expected: PreparedState | null): void {
    this.#admit(id, () => {
      const held = this.#prepare(body);
      const state = { step: held.snapshot.state.step, lastSeq: this.#shared.head.lastSeq };
      if (isSameState(state, expected)) {
        this.#work(id, held, state.lastSeq, (answer) => ({ state, answer }));
      } else {
        this.#held.set(id, held);
        reply<'prepare'>(id, { state, answer: null });
      }
    });
  }

  /** Answers a held request from log rows up to `horizonSeq`. */
  run(id: number, prepared: number, horizonSeq: number): void {
    const held = this.#held.get(prepared);
    this.#held.delete(prepared);
    if (held === undefined) replyError(id, new AppError('try-again', 'the request was cancelled'));
    else this.#work(id, held, horizonSeq);
  }

  /** Cancels a request, whether it waits, is held, or is being worked on. */
  cancel(call: number): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== call);
    this.#loop.cancel(call, new Error('cancelled'));
    const held = this.#held.get(call);
    this.#held.delete(call);
    if (held !== undefined) this.#release(held.snapshot);
  }

  /** Must not be called while requests are running. */
  close(): void {
    for (const snapshot of [...this.#free, ...this.#busy]) snapshot.close();
  }

  #admit(id: number, start: () => void): void {
    this.#waiting.push({ id, start });
    this.#startWaiting();
  }

  /** Starts waiting requests while there are free slots. A request that fails to start is answered with its error and takes no slot. */
  #startWaiting(): void {
    while (this.#busy.size < requestsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      try {
        next.start();
      } catch (error) {
        replyError(next.id, error);
      }
    }
  }

  #prepare(body: SeriesBody): Held {
    const snapshot = this.#free.pop() ?? new SnapshotReader(openForReading(this.#directory), this.#shared);
    this.#busy.add(snapshot);
    try {
      snapshot.begin();
      return { snapshot, prepared: preparedAnswer(snapshot, this.#shared, body) };
    } catch (error) {
      this.#end(snapshot);
      throw error;
    }
  }

  #work(
    id: number,
    { snapshot, prepared }: Held,
    horizonSeq: number,
    wrap: (result: unknown) => unknown = (result) => result,
  ): void {
    this.#loop.add({
      id,
      work: prepared(horizonSeq),
      done: (answer) => {
        const { result, buffers } = answer as Movable<unknown>;
        reply(id, wrap(result) as CallResults[SeriesBody['kind'] | 'prepare'], buffers);
        this.#release(snapshot);
      },
      failed: (error) => {
        replyError(id, error);
        this.#release(snapshot);
      },
    });
  }

  #release(snapshot: SnapshotReader): void {
    this.#end(snapshot);
    this.#startWaiting();
  }

  /** Frees the slot in any case: a connection whose snapshot cannot be ended is closed and not used again. */
  #end(snapshot: SnapshotReader): void {
    this.#busy.delete(snapshot);
    try {
      snapshot.end();
      this.#free.push(snapshot);
    } catch {
      snapshot.close();
    }
  }
}

function isSameState(a: PreparedState, b: PreparedState | null): boolean {
  return a.step === b?.step && a.lastSeq === b.lastSeq;
}

function preparedAnswer(
  snapshot: SnapshotReader,
  { head }: SharedIndex,
  body: SeriesBody,
): Prepared<Movable<unknown>> {
  if (body.kind === 'scan') {
    const prepared = prepareScan(snapshot, head, body.request);
    return function* answer(horizonSeq): Piecework<Movable<unknown>> {
      return withCost(scanColumns(yield* prepared(horizonSeq)), snapshot);
    };
  }
  if (body.kind === 'sizes') {
    const prepared = prepareSizes(snapshot, head, body.signals);
    return function* answer(horizonSeq): Piecework<Movable<unknown>> {
      return { result: yield* prepared(horizonSeq), buffers: [] };
    };
  }
  const prepared = prepareRollup(snapshot, head, body.request);
  return function* answer(horizonSeq): Piecework<Movable<unknown>> {
    return withCost(rollupColumns(yield* prepared(horizonSeq)), snapshot);
  };
}

function withCost<T>({ result, buffers }: Movable<T>, { cost }: SnapshotReader): Movable<Found<T>> {
  return { result: { found: result, cost }, buffers };
}
