/**
 * Answers small reads on the thread that asks, over connections of its own, because a message to a reader thread and back takes
 * longer than they do. A read is small if it ends within {@link callMsMax}; one that does not is given up. Kinds of reads that take
 * longer on average are tried rarely. All reads of one iteration of the event loop share {@link iterationMsMax}.
 */
import type { DatabaseSync } from 'node:sqlite';
import { LruCache } from '#model/lru-cache';
import type { SearchPlan } from '../meta/search.ts';
import { openForReading } from './connection.ts';
import { packError, resultCode, unpackError } from './errors.ts';
import { WorkSpent } from './functions.ts';
import type { CallResults, ReaderCall, SeriesBody, ThreadOptions } from './messages.ts';
import { preparedAnswer } from './requests.ts';
import { SearchConnection } from './searches.ts';
import type { Piecework } from './series-reader.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { Statements } from './statements.ts';

/** A read that takes longer belongs on a reader thread, where waking the thread is a small part of its time, ms. */
const callMsMax = 1;

/**
 * Reads of a kind that takes less than half of {@link callMsMax} may take this long, ms: on a busy machine the thread may have waited
 * for a processor, and a reader would wait for one longer.
 */
const knownCallMsMax = 4;

/** Reads of one iteration of the event loop may take this long together, ms. */
const iterationMsMax = 3;

/** Kinds of reads whose average time is known. */
const timedKindsMax = 1000;

/** The part of the last time in the average of a kind, so that a cold start does not decide. */
const lastPart = 0.2;

/** What remains of an average when a read is not tried: after six to sixty calls one is tried again. */
const restPart = 0.97;

/** How long a read that was given up may take, for the average, ms; one that waited for a processor counts as less. */
const givenUpMs = 6;
const countedMsMax = 2;

/** More sources than this take longer than {@link callMsMax} to prepare. */
const sourcesMax = 64;

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

/** Thrown inside of a read that is not small. */
class TookLong extends Error {}

/** Small reads of one thread. */
export class LocalReader {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #search: SearchConnection;
  readonly #shared = new SharedIndex(rowBytesMax, blockBytesMax, timesBytesMax);
  readonly #directory: string;
  /** Null after a failure: node:sqlite may report the error of a statement again when the statement is reused. */
  #snapshot: SnapshotReader | null = null;
  /** Kind of read → average time, ms. */
  readonly #averagesMs = new LruCache<string, number>(timedKindsMax);
  #spentMs = 0;

  constructor({ directory, textCharactersMax }: Pick<ThreadOptions, 'directory' | 'textCharactersMax'>) {
    this.#db = openForReading(directory);
    this.#statements = new Statements(this.#db, textCharactersMax);
    this.#search = new SearchConnection(openForReading(directory), textCharactersMax, searchWorkMax);
    this.#directory = directory;
  }

  /** The answer to a read; undefined when it is not small, or there is no time for it in this iteration. Throws as a reader does. */
  answer<B extends ReaderCall>(body: B): CallResults[B['kind']] | undefined {
    if (this.#spentMs >= iterationMsMax) return undefined;
    const startMs = performance.now();
    try {
      return this.#answer(body, startMs) as CallResults[B['kind']] | undefined;
    } catch (error) {
      if (error instanceof TookLong || error instanceof WorkSpent) return undefined;
      throw unpackError(packError(error));
    } finally {
      this.#note(performance.now() - startMs);
    }
  }

  close(): void {
    this.#snapshot?.close();
    this.#search.close();
    this.#db.close();
  }

  #answer(body: ReaderCall, startMs: number): unknown {
    switch (body.kind) {
      case 'sql':
        return this.#unlessSlow(body.sql, startMs, (endMs) =>
          this.#statements.run(body.sql, body.params, () => checkTime(endMs)),
        );
      case 'scan':
      case 'rollup':
        return body.request.sources.length > sourcesMax
          ? undefined
          : this.#unlessSlow(kindOf(body), startMs, (endMs) => this.#series(body, endMs));
      case 'sizes':
        return body.signals.length > sourcesMax ? undefined : this.#series(body, startMs + callMsMax);
      case 'search':
        return this.#unlessSlow(textOf(body.plan), startMs, (endMs) => this.#searched(body.plan, endMs));
      default:
        return undefined;
    }
  }

  #series(body: SeriesBody, endMs: number): unknown {
    this.#snapshot ??= new SnapshotReader(openForReading(this.#directory), this.#shared);
    const snapshot = this.#snapshot;
    try {
      if (!snapshot.begin(newRowsMax)) return undefined;
      const prepared = preparedAnswer(snapshot, this.#shared, body, slicePoints);
      const { result } = finished(prepared(Number.POSITIVE_INFINITY), endMs);
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

  #searched(plan: SearchPlan, endMs: number): unknown {
    if (plan.rule !== null) return undefined;
    try {
      return finished(this.#search.search(plan), endMs);
    } finally {
      this.#search.end();
    }
  }

  /** Does work that throws at its end, unless the kind is slow on average. */
  #unlessSlow<T>(kind: string, startMs: number, work: (endMs: number) => T): T | undefined {
    const averageMs = this.#averagesMs.get(kind) ?? 0;
    if (averageMs > callMsMax) {
      this.#averagesMs.set(kind, averageMs * restPart);
      return undefined;
    }
    const isKnown = this.#averagesMs.has(kind) && averageMs < callMsMax / 2;
    let ms = givenUpMs;
    try {
      const answer = work(startMs + (isKnown ? knownCallMsMax : callMsMax));
      ms = Math.min(countedMsMax, performance.now() - startMs);
      return answer;
    } finally {
      this.#averagesMs.set(kind, averageMs + (ms - averageMs) * lastPart);
    }
  }

  #note(ms: number): void {
    if (this.#spentMs === 0) {
      setImmediate(() => {
        this.#spentMs = 0;
      });
    }
    this.#spentMs += ms;
  }
}

/** The result of work, if it ends in time. */
function finished<T>(work: Piecework<T>, endMs: number): T {
  let step = work.next();
  try {
    while (step.done !== true) {
      checkTime(endMs);
      step = work.next();
    }
  } finally {
    work.return(undefined as never);
  }
  return step.value;
}

function checkTime(endMs: number): void {
  if (performance.now() > endMs) throw new TookLong();
}

/** Reads of points that take about as long: of as many sources, and of windows and buckets of the same order. */
function kindOf(body: Extract<SeriesBody, { kind: 'scan' | 'rollup' }>): string {
  const { sources } = body.request;
  const [window] = sources.map((source) => source.window);
  const spanUs = window === undefined ? 0 : window.endUs - window.startUs;
  const buckets = body.kind === 'rollup' ? body.request.buckets.edgesUs.length : 0;
  return [body.kind, sources.length, orderOf(spanUs), orderOf(buckets)].join(' ');
}

function orderOf(amount: number): number {
  return Math.ceil(Math.log2(Math.max(1, amount)));
}

function textOf({ direct, candidates }: SearchPlan): string {
  return direct?.page.sql ?? candidates.sql;
}
