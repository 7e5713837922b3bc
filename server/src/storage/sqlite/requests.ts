/**
 * The requests for points of a reader thread, processed in time slices, each in a snapshot on its own connection. A request that
 * is shared by several threads is put on hold after its snapshot has begun, until the threads agree on the state to answer from.
 * If the state is the expected one, as it is while nothing is written, the request is answered at once.
 */
import { withEdges } from '#model/bucket';
import { AppError } from '#model/error';
import { openForReading } from './connection.ts';
import type { Answers, CallResults, Found, PreparedState, SeriesBody } from './messages.ts';
import { prepareRollup } from './rollup-reader.ts';
import { type Piecework, type Prepared, prepareScan, prepareSizes } from './series-reader.ts';
import { Slots } from './slots.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import type { TaskLoop } from './task-loop.ts';
import { type Movable, rollupColumns, scanColumns } from './transfer.ts';

/** What the requests of one thread may hold in memory. */
export interface RequestSizes {
  /** Bytes of decoded log rows, and of decoded blocks, that the thread keeps. */
  rowBytesMax: number;
  blockBytesMax: number;
  /** Approximate number of points of one source that a rollup reads at a time. */
  slicePoints: number;
}

/** The sizes used in production. */
export const requestSizes: RequestSizes = {
  rowBytesMax: 16 * 1024 * 1024,
  blockBytesMax: 24 * 1024 * 1024,
  slicePoints: 65_536,
};

/** Requests that a thread works on concurrently; others wait. Each holds a snapshot, which keeps SQLite's WAL from shrinking. */
const requestsMax = 4;

/** A request whose snapshot has begun. */
interface Held {
  snapshot: SnapshotReader;
  prepared: Prepared<Movable<unknown>>;
}

/** Requests of one thread. */
export class Requests {
  readonly #shared: SharedIndex;
  readonly #slicePoints: number;
  readonly #loop: TaskLoop;
  readonly #answers: Answers;
  readonly #slots: Slots<SnapshotReader>;
  readonly #held = new Map<number, Held>();

  constructor(directory: string, loop: TaskLoop, answers: Answers, sizes: RequestSizes) {
    this.#shared = new SharedIndex(sizes.rowBytesMax, sizes.blockBytesMax);
    this.#slicePoints = sizes.slicePoints;
    this.#loop = loop;
    this.#answers = answers;
    this.#slots = new Slots(
      requestsMax,
      () => new SnapshotReader(openForReading(directory), this.#shared),
      (id, error) => answers.replyError(id, error),
    );
  }

  /** Answers a request. */
  submit(id: number, body: SeriesBody): void {
    this.#slots.submit(id, (snapshot) => {
      this.#work(id, this.#prepare(snapshot, body), Number.POSITIVE_INFINITY);
    });
  }

  /** Begins a request. It is answered if its snapshot has the expected state, and held otherwise. */
  prepare(id: number, body: SeriesBody, expected: PreparedState | null): void {
    this.#slots.submit(id, (snapshot) => {
      const held = this.#prepare(snapshot, body);
      const state = { step: snapshot.state.step, lastSeq: this.#shared.head.lastSeq };
      if (isSameState(state, expected)) {
        this.#work(id, held, state.lastSeq, (answer) => ({ state, answer }));
      } else {
        this.#held.set(id, held);
        this.#answers.reply<'prepare'>(id, { state, answer: null });
      }
    });
  }

  /** Answers a held request from log rows up to `horizonSeq`. */
  run(id: number, prepared: number, horizonSeq: number): void {
    const held = this.#held.get(prepared);
    this.#held.delete(prepared);
    if (held === undefined) {
      this.#answers.replyError(id, new AppError('try-again', 'the request was cancelled'));
    } else this.#work(id, held, horizonSeq);
  }

  /** Cancels a request, whether it waits, is held, or is being worked on. */
  cancel(call: number): void {
    this.#slots.cancel(call);
    this.#loop.cancel(call, new Error('cancelled'));
    const held = this.#held.get(call);
    this.#held.delete(call);
    if (held !== undefined) this.#slots.release(held.snapshot);
  }

  /** Must not be called while requests are running. */
  close(): void {
    this.#slots.close();
  }

  #prepare(snapshot: SnapshotReader, body: SeriesBody): Held {
    snapshot.begin();
    return { snapshot, prepared: preparedAnswer(snapshot, this.#shared, body, this.#slicePoints) };
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
        const { result, buffers } = answer.move();
        this.#answers.reply(id, wrap(result) as CallResults[SeriesBody['kind'] | 'prepare'], buffers);
        this.#slots.release(snapshot);
      },
      failed: (error) => {
        this.#answers.replyError(id, error);
        this.#slots.release(snapshot);
      },
    });
  }
}

function isSameState(a: PreparedState, b: PreparedState | null): boolean {
  return a.step === b?.step && a.lastSeq === b.lastSeq;
}

/** Prepares a request, directly after its snapshot has begun. */
export function preparedAnswer(
  snapshot: SnapshotReader,
  { head }: SharedIndex,
  body: SeriesBody,
  slicePoints: number,
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
      const result = yield* prepared(horizonSeq);
      return { result, move: () => ({ result, buffers: [] }) };
    };
  }
  const request = { ...body.request, buckets: withEdges(body.request.buckets) };
  const prepared = prepareRollup(snapshot, head, request, slicePoints);
  return function* answer(horizonSeq): Piecework<Movable<unknown>> {
    return withCost(rollupColumns(yield* prepared(horizonSeq)), snapshot);
  };
}

function withCost<T>({ result, move }: Movable<T>, { cost }: SnapshotReader): Movable<Found<T>> {
  const moved = () => {
    const { result: found, buffers } = move();
    return { result: { found, cost }, buffers };
  };
  return { result: { found: result, cost }, move: moved };
}
