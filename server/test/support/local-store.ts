/**
 * A process with the embedded store whose threads run in the test's own thread. The writer and the sealer handle a call only
 * when the test says so, which makes every order of their work possible, and each one repeatable; readers handle calls at once.
 */
import { EventEmitter } from 'node:events';
import { limitDefaults } from '#model/limits';
import { packError } from '#storage/sqlite/errors';
import type { Answers, Call, CallResults, ThreadOptions, ThreadRole } from '#storage/sqlite/messages';
import { ReaderPool } from '#storage/sqlite/reader-pool';
import { serveReader } from '#storage/sqlite/reader-thread';
import type { SealLimits } from '#storage/sqlite/sealer';
import { serveSealer } from '#storage/sqlite/sealer-thread';
import { Sealing } from '#storage/sqlite/sealing';
import { SqliteSeriesStore } from '#storage/sqlite/series-store';
import { ownStore } from '#storage/sqlite/store-owner';
import { type Channel, type StartThread, Thread } from '#storage/sqlite/thread';
import { serveWriter } from '#storage/sqlite/writer-thread';
import { NumberTables } from '#threads/number-table';
import { Shares } from '#threads/shares';
import { silentLog as log } from './world.ts';

/** Everything is due at once, in the smallest steps, so that every state in between occurs. */
const eagerSealing: SealLimits = {
  ...{ cycleValues: 3000, narrowCycleValues: 500, wideCycleValues: 3000, signalCyclePoints: 400 },
  cycleBytes: 20_000,
  ...{ stepPoints: 1, stepBytes: 1, stepBlocks: 1 },
  ...{ dueRows: 1, dueValues: 1, worthwhilePoints: 0, overdueRows: 1, overdueValues: 1 },
  ...{ idleRows: 1, idleValues: 1, sharedTimesMin: 1, waitRows: 4, waitValues: 1_000_000 },
};

/** Small enough that caches overflow and rollups take several slices. */
const smallRequests = { rowBytesMax: 100_000, blockBytesMax: 100_000, slicePoints: 100 };

/** Sealing is examined after each batch, and never by the time. */
const pace = { lookBytes: 1, lookBatches: 1, idleMs: 2 ** 31 - 1, waitMs: 2 ** 31 - 1 };

/** How the sealing of a process differs from that of a command, which never waits. */
export interface LocalSealing {
  isBusy?: () => Promise<boolean>;
  waitMs?: number;
  /** One number: the bytes of the log that is not sealed yet, as if other processes had written so many. */
  backlog?: Float64Array;
}

type AnyCall = Call<{ kind: keyof CallResults }>;

/** Waits until everything that has been started has either ended or waits for a thread. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A thread that handles a call when {@link deliver} is called. */
class LocalThread extends EventEmitter implements Channel {
  readonly role: ThreadRole;
  readonly #serve: (call: Call<never>) => void;
  #inbox: AnyCall[] = [];

  constructor(role: ThreadRole, options: ThreadOptions) {
    super();
    this.role = role;
    const answers: Answers = {
      reply: (id, result, transfer = []) =>
        this.emit('message', structuredClone({ id, result }, { transfer })),
      replyError: (id, error) => this.emit('message', { id, error: packError(error) }),
      end: () => {},
    };
    if (role === 'writer') this.#serve = serveWriter(options, answers);
    else if (role === 'sealer') this.#serve = serveSealer(options, answers, eagerSealing, 1);
    else this.#serve = serveReader(options, answers, smallRequests);
  }

  get isWaiting(): boolean {
    return this.#inbox.length > 0;
  }

  has(kind: keyof CallResults): boolean {
    return this.#inbox.some(({ body }) => body.kind === kind);
  }

  postMessage(call: AnyCall, transfer: ArrayBuffer[]): void {
    this.#inbox.push(structuredClone(call, { transfer }));
    if (this.role === 'reader') this.deliver();
  }

  /** Handles the oldest call. */
  deliver(): void {
    const call = this.#inbox.shift();
    if (call !== undefined) this.#serve(call as Call<never>);
  }

  /** Ends as in a crash: no further call is handled or answered. */
  kill(): void {
    this.#inbox = [];
    this.removeAllListeners();
    this.#serve({ id: 0, body: { kind: 'close' } as never });
  }
}

/** One process. */
export class LocalStore {
  readonly series: SqliteSeriesStore;
  readonly #threads: LocalThread[];
  readonly #sealing: Sealing;

  private constructor(threads: LocalThread[], sealing: Sealing, series: SqliteSeriesStore) {
    this.#threads = threads;
    this.#sealing = sealing;
    this.series = series;
  }

  /** Starts a process: a service or a command. It does not take the lock of a service. */
  static async open(
    directory: string,
    serving: boolean,
    { isBusy, waitMs = pace.waitMs, backlog }: LocalSealing = {},
  ): Promise<LocalStore> {
    const options = { directory, serving: false, fileBytesMax: Infinity, textCharactersMax: 1000 };
    const threads: LocalThread[] = [];
    const start: StartThread = async (role) => {
      const channel = new LocalThread(role, options);
      threads.push(channel);
      return new Thread(channel);
    };
    const writer = await start('writer');
    const readers = await ReaderPool.start(start, 2);
    const sealing = new Sealing({
      ...{ start, writer, log, serving: false, isBusy, backlog },
      pace: { ...pace, waitMs },
    });
    const owner = ownStore(sealing, writer);
    const queue = new Shares(new NumberTables(), 'queue');
    const parts = { directory, writer, readers, owner, queue, serving, limits: limitDefaults };
    return new LocalStore(threads, sealing, new SqliteSeriesStore(parts));
  }

  /** Threads that have calls to handle. */
  get waiting(): LocalThread[] {
    return this.#threads.filter(({ isWaiting }) => isWaiting);
  }

  /** Handles the oldest call of a thread, if there is one. */
  async deliver(role: ThreadRole): Promise<void> {
    this.#threads.find((thread) => thread.role === role)?.deliver();
    await turns();
  }

  /** Handles calls until no batch is waiting for the writer. */
  async storeAll(): Promise<void> {
    while (this.#threads[0].has('append')) await this.deliver('writer');
  }

  /** Checks whether something is to be sealed, as after an append. */
  look(): void {
    this.#sealing.noteAppended(0, 1);
  }

  /** Seals a cycle, as when idle. */
  sealOnce(): void {
    this.#sealing.sealOnce().catch(() => {});
  }

  /** Ends the process without notice. */
  kill(): void {
    for (const thread of this.#threads) thread.kill();
    this.#sealing.close().catch(() => {});
  }
}
