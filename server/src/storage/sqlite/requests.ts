/**
 * The requests of points that a reader thread works on, in turns, each in a snapshot on a connection of its own. A request that
 * is shared among threads is held when its snapshot has begun, until the threads have agreed on what they see; unless that is
 * what was expected, as it is while nothing is written.
 */
import { AppError } from '#model/error';
import { openForReading } from './connection.ts';
import type { CallResults, Found, PreparedState, SeriesBody } from './messages.ts';
import { type Piecework, type Prepared, prepareRollup, prepareScan, prepareSizes } from './series-reader.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { TaskLoop } from './task-loop.ts';
import { reply, replyError } from './thread-port.ts';
import { type Movable, rollupColumns, scanColumns } from './transfer.ts';

/** Decoded rows of the log that a thread keeps. */
const rowBytesMax = 32 * 1024 * 1024;

/** Decoded blocks that a thread keeps. */
const blockBytesMax = 48 * 1024 * 1024;

/** Requests that a thread works on at a time; others wait. Each holds a snapshot, and so keeps the log from shrinking. */
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
  readonly #loop = new TaskLoop();
  readonly #snapshots: SnapshotReader[] = [];
  readonly #free: SnapshotReader[] = [];
  readonly #held = new Map<number, Held>();
  #waiting: Waiting[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Answers a request. */
  submit(id: number, body: SeriesBody): void {
    this.#admit(id, () => {
      const held = this.#prepare(body);
      this.#work(id, held, Number.POSITIVE_INFINITY);
    });
  }

  /** Begins a request. Where it sees the expected state it is answered, else only held. */
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

  /** Answers a request that is held, from rows of the log up to `horizonSeq`. */
  run(id: number, prepared: number, horizonSeq: number): void {
    const held = this.#held.get(prepared);
    this.#held.delete(prepared);
    if (held === undefined) replyError(id, new AppError('try-again', 'the request was given up'));
    else this.#work(id, held, horizonSeq);
  }

  /** Gives a request up, wherever it stands. */
  cancel(call: number): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== call);
    this.#loop.cancel(call, new Error('cancelled'));
    const held = this.#held.get(call);
    this.#held.delete(call);
    if (held !== undefined) this.#release(held.snapshot);
  }

  /** Nothing may be under way. */
  close(): void {
    for (const snapshot of this.#snapshots) snapshot.close();
  }

  #admit(id: number, start: () => void): void {
    const guarded = () => {
      try {
        start();
      } catch (error) {
        replyError(id, error);
      }
    };
    if (this.#snapshots.length - this.#free.length < requestsMax) guarded();
    else this.#waiting.push({ id, start: guarded });
  }

  #prepare(body: SeriesBody): Held {
    const snapshot = this.#takeSnapshot();
    try {
      snapshot.begin();
      return { snapshot, prepared: preparedAnswer(snapshot, this.#shared, body) };
    } catch (error) {
      this.#release(snapshot);
      throw error;
    }
  }

  #takeSnapshot(): SnapshotReader {
    const known = this.#free.pop();
    if (known !== undefined) return known;
    const snapshot = new SnapshotReader(openForReading(this.#directory), this.#shared);
    this.#snapshots.push(snapshot);
    return snapshot;
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
        this.#release(snapshot);
        const { result, buffers } = answer as Movable<unknown>;
        reply(id, wrap(result) as CallResults[SeriesBody['kind'] | 'prepare'], buffers);
      },
      failed: (error) => {
        this.#release(snapshot);
        replyError(id, error);
      },
    });
  }

  #release(snapshot: SnapshotReader): void {
    snapshot.end();
    this.#free.push(snapshot);
    this.#waiting.shift()?.start();
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
