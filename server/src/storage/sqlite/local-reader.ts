/**
 * Answers small reads on the thread that asks, over connections of its own, because a message to a reader thread and back takes
 * longer than they do. A read is small if it ends within its {@link Bounds}; one that does not is given up. Kinds of reads that
 * take longer on average are tried rarely. All reads of one iteration of the event loop share {@link iterationMsMax}; one of a kind that is
 * small waits for the next iteration, since a reader thread has a lower priority, and large reads to answer.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Buckets, UniformBuckets } from '#model/bucket';
import { LruCache } from '#model/lru-cache';
import type { SearchPlan } from '../meta/search.ts';
import { openForReading } from './connection.ts';
import { type Coded, DecodePace } from './decode-pace.ts';
import { packError, resultCode, storeClosed, unpackError } from './errors.ts';
import { WorkSpent } from './functions.ts';
import type { CallResults, ReaderCall, SentRollup, SeriesBody, ThreadOptions } from './messages.ts';
import { preparedAnswer } from './requests.ts';
import { SearchConnection } from './searches.ts';
import type { Piecework } from './series-reader.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { Statements } from './statements.ts';

/** How long small reads may take, ms; others belong on a reader thread, where waking the thread is a small part of their time. */
interface Bounds {
  /** Of one. */
  callMsMax: number;
  /** Of its kind, on average. */
  averageMsMax: number;
  /** Of a kind of which a read waits for the next iteration of the event loop. */
  waitingMsMax: number;
}

/** Of statements and searches: clients can ask any number of kinds of them. */
const bounds: Bounds = { callMsMax: 1, averageMsMax: 1, waitingMsMax: 0.5 };

/**
 * Of reads of points, whose kinds are few. The code may not be compiled yet, and on a reader thread it would not be either; and
 * on a busy machine a reader, which has a lower priority, takes ten times as long.
 */
const boundsOfPoints: Bounds = { callMsMax: 4, averageMsMax: 2.5, waitingMsMax: 2.5 };

/** Reads of one iteration of the event loop may take this long together, ms. */
const iterationMsMax = 3;

/** Reads that wait for another iteration. */
const waitingMax = 64;

/** Kinds of reads whose average time is known. */
const timedKindsMax = 1000;

/** The part of the last time in the average of a kind, so that a cold start does not decide. */
const lastPart = 0.2;

/** What remains of an average when a read is not tried: after six to sixty calls one is tried again. */
const restPart = 0.97;

/** How long a read that was given up counts as, for the average, ms. */
const givenUpMs = 6;

/** More sources than this take longer than a millisecond to prepare. */
const sourcesMax = 64;

/** Buckets of all sources together: memory for more of them takes longer. */
const bucketsMax = 16_384;

/** Rows of the log that may have come since the last read; indexing more takes too long. */
const newRowsMax = 500;

/** Comparisons of one statement of a search: less than a millisecond. */
const searchWorkMax = 20_000;

/** Bytes of decoded log rows, blocks and time columns that are kept for small reads. */
const rowBytesMax = 8 * 1024 * 1024;
const blockBytesMax = 12 * 1024 * 1024;
const timesBytesMax = 4 * 1024 * 1024;

/** Points of one source that a rollup reads at a time. */
const slicePoints = 16_384;

/** Undefined: the read is not small. */
export type LocalAnswer<B extends ReaderCall> = CallResults[B['kind']] | undefined;

/** Thrown inside of a read that is not small. */
class TookLong extends Error {}

/** Thrown before something is decoded that would take long. */
class WouldTakeLong extends TookLong {}

/** Small reads of one thread. */
export class LocalReader {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #search: SearchConnection;
  readonly #pace = new DecodePace(boundsOfPoints.callMsMax);
  readonly #shared = new SharedIndex(rowBytesMax, blockBytesMax, timesBytesMax, (coded, values, decode) =>
    this.#decode(coded, values, decode),
  );
  /** Of the read that runs. */
  #check: CheckTime = () => {};
  readonly #directory: string;
  /** Null after a failure: node:sqlite may report the error of a statement again when the statement is reused. */
  #snapshot: SnapshotReader | null = null;
  /** Kind of read → average time, ms. */
  readonly #averagesMs = new LruCache<string, number>(timedKindsMax);
  #spentMs = 0;
  #isClosed = false;
  /** Reads that wait for another iteration of the event loop, in order. */
  readonly #waiting: (() => void)[] = [];

  constructor({ directory, textCharactersMax }: Pick<ThreadOptions, 'directory' | 'textCharactersMax'>) {
    this.#db = openForReading(directory);
    this.#statements = new Statements(this.#db, textCharactersMax);
    this.#search = new SearchConnection(openForReading(directory), textCharactersMax, searchWorkMax);
    this.#directory = directory;
  }

  /**
   * The answer to a read, or undefined when it is not small; a promise when there is no time left for it in this iteration. Throws,
   * or rejects, as a reader does.
   */
  answer<B extends ReaderCall>(body: B): LocalAnswer<B> | Promise<LocalAnswer<B>> {
    if (this.#isClosed) throw storeClosed();
    if (this.#spentMs < iterationMsMax) return this.#timed(body);
    if (this.#waiting.length >= waitingMax || !this.#isKnownSmall(kindOf(body))) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.#timed(body));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  close(): void {
    for (const start of this.#waiting.splice(0)) start();
    this.#isClosed = true;
    this.#snapshot?.close();
    this.#search.close();
    this.#db.close();
  }

  #timed<B extends ReaderCall>(body: B): LocalAnswer<B> {
    const time = new ThreadTime();
    try {
      return this.#unlessSlow(body, time) as LocalAnswer<B>;
    } catch (error) {
      if (error instanceof TookLong || error instanceof WorkSpent) return undefined;
      throw unpackError(packError(error));
    } finally {
      this.#note(time.usedMs());
    }
  }

  #answer(body: ReaderCall, check: CheckTime): unknown {
    switch (body.kind) {
      case 'sql':
        return this.#statements.run(body.sql, body.params, check);
      case 'scan':
        return body.request.sources.length > sourcesMax ? undefined : this.#series(body, check);
      case 'rollup':
        return isSmallRollup(body.request) ? this.#series(body, check) : undefined;
      case 'sizes':
        return body.signals.length > sourcesMax ? undefined : this.#series(body, check);
      case 'search':
        return this.#searched(body.plan, check);
      default:
        return undefined;
    }
  }

  #series(body: SeriesBody, check: CheckTime): unknown {
    this.#snapshot ??= new SnapshotReader(openForReading(this.#directory), this.#shared);
    const snapshot = this.#snapshot;
    try {
      if (!snapshot.begin(newRowsMax)) return undefined;
      const prepared = preparedAnswer(snapshot, this.#shared, body, slicePoints);
      const { result } = finished(prepared(Number.POSITIVE_INFINITY), check);
      snapshot.end();
      return result;
    } catch (error) {
      if (resultCode(error) === null) snapshot.end();
      else this.#discard(snapshot);
      throw error;
    }
  }

  #discard(snapshot: SnapshotReader): void {
    this.#snapshot = null;
    snapshot.close();
  }

  #searched(plan: SearchPlan, check: CheckTime): unknown {
    if (plan.rule !== null) return undefined;
    try {
      return finished(this.#search.search(plan), check);
    } finally {
      this.#search.end();
    }
  }

  /** Answers, unless the kind is slow on average. */
  #unlessSlow(body: ReaderCall, time: ThreadTime): unknown {
    const kind = kindOf(body);
    if (kind === null) return undefined;
    const averageMs = this.#averagesMs.get(kind) ?? 0;
    const { callMsMax, averageMsMax } = boundsOf(kind);
    if (averageMs > averageMsMax) {
      this.#averagesMs.set(kind, averageMs * restPart);
      return undefined;
    }
    let ms = givenUpMs;
    try {
      this.#check = () => time.check(callMsMax);
      const answer = this.#answer(body, this.#check);
      ms = time.usedMs();
      return answer;
    } catch (error) {
      // Other reads of the kind may find all of it decoded.
      if (error instanceof WouldTakeLong) ms = time.usedMs();
      throw error;
    } finally {
      this.#averagesMs.set(kind, averageMs + (ms - averageMs) * lastPart);
    }
  }

  #decode<T>(coded: Coded, values: number, decode: () => T): T {
    this.#check();
    if (!this.#pace.allows(coded, values)) throw new WouldTakeLong();
    const time = new ThreadTime();
    const decoded = decode();
    this.#pace.note(coded, values, time.usedMs());
    return decoded;
  }

  /** Whether a read of a kind will be small: those that nobody knows are, if they are of points. */
  #isKnownSmall(kind: string | null): boolean {
    if (kind === null) return false;
    const { averageMsMax, waitingMsMax } = boundsOf(kind);
    const averageMs = this.#averagesMs.get(kind) ?? (isOfPoints(kind) ? 0 : averageMsMax);
    return averageMs < waitingMsMax;
  }

  #note(ms: number): void {
    if (this.#spentMs === 0) setImmediate(() => this.#beginIteration());
    this.#spentMs += ms;
  }

  #beginIteration(): void {
    this.#spentMs = 0;
    while (this.#waiting.length > 0 && this.#spentMs < iterationMsMax) this.#waiting.shift()?.();
  }
}

/** Throws when a read has taken too long. */
type CheckTime = () => void;

/** The processor time of this thread from now on: on a busy machine the thread may wait for a processor, and a reader would wait longer. */
class ThreadTime {
  readonly #startMs = performance.now();
  readonly #startUsage = process.threadCpuUsage();

  usedMs(): number {
    const passedMs = performance.now() - this.#startMs;
    if (passedMs < bounds.callMsMax / 2) return passedMs;
    const { user, system } = process.threadCpuUsage(this.#startUsage);
    return (user + system) / 1000;
  }

  check(msMax: number): void {
    if (performance.now() - this.#startMs > msMax && this.usedMs() > msMax) throw new TookLong();
  }
}

/** The result of work, if it ends in time. */
function finished<T>(work: Piecework<T>, check: CheckTime): T {
  let step = work.next();
  try {
    while (step.done !== true) {
      check();
      step = work.next();
    }
  } finally {
    work.return(undefined as never);
  }
  return step.value;
}

/** Reads that take about as long; null: never small. */
function kindOf(body: ReaderCall): string | null {
  switch (body.kind) {
    case 'sql':
      return body.sql;
    case 'scan':
    case 'rollup':
      return seriesKindOf(body);
    case 'sizes':
      return body.kind;
    case 'search':
      return textOf(body.plan);
    default:
      return null;
  }
}

/** Of as many sources, and of windows and buckets of the same order. */
function seriesKindOf(body: Extract<SeriesBody, { kind: 'scan' | 'rollup' }>): string {
  const { sources } = body.request;
  const window = sources.at(0)?.window;
  const spanUs = window === undefined ? 0 : window.endUs - window.startUs;
  const buckets = body.kind === 'rollup' ? countOf(body.request.buckets) : 0;
  return `${body.kind} ${sources.length} ${orderOf(spanUs)} ${orderOf(buckets)}`;
}

function isSmallRollup({ sources, buckets }: SentRollup): boolean {
  return sources.length <= sourcesMax && sources.length * countOf(buckets) <= bucketsMax;
}

function countOf(buckets: Buckets | UniformBuckets): number {
  return 'edgesUs' in buckets ? buckets.edgesUs.length : buckets.count + 1;
}

function boundsOf(kind: string): Bounds {
  return isOfPoints(kind) ? boundsOfPoints : bounds;
}

function isOfPoints(kind: string): boolean {
  return /^(scan|rollup) /.test(kind);
}

function orderOf(amount: number): number {
  return Math.ceil(Math.log2(Math.max(1, amount)));
}

function textOf({ direct, candidates }: SearchPlan): string {
  return direct?.page.sql ?? candidates.sql;
}
