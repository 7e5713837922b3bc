/** Drives sealing: requests steps from the sealer, passes them to the writer, and tracks the size of the unsealed log. */

import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { SealerCall, SealFigures, WriterCall } from './messages.ts';
import type { StartThread, Thread } from './thread.ts';

/** When the sealer examines the log. */
export interface SealPace {
  /** After this many bytes or batches. */
  lookBytes: number;
  lookBatches: number;
  /** After this time without an append, ms. */
  idleMs: number;
  /**
   * How long sealing that is due waits for processors at most, ms: where few points arrive beside many reads, these would go
   * through an ever longer log.
   */
  waitMs: number;
}

const defaultPace: SealPace = { lookBytes: 4 * 1024 * 1024, lookBatches: 1024, idleMs: 1500, waitMs: 5000 };

/** Above this many bytes of unsealed log, appends wait for the sealer. */
const backlogBytesMax = 512 * 1024 * 1024;

/** The bytes of it that are left to small appends, so that who sends little does not wait for the log of who sends much. */
const smallAppendsBytes = 64 * 1024 * 1024;

/** An append of at most so many bytes of values is a small one. */
const smallBytesMax = 64 * 1024;

/** Whether the log is short enough for another append of so many bytes of values. */
export function hasSpace(backlog: Float64Array, bytes: number): boolean {
  return backlog[0] <= (bytes > smallBytesMax ? backlogBytesMax - smallAppendsBytes : backlogBytesMax);
}

/** An append that waits. */
interface WaitingAppend {
  bytes: number;
  resolve(): void;
}

/** Bytes of free pages kept for the log while data is being appended; when idle, all but a few are returned to the file system. */
const keepBytesBusy = 64 * 1024 * 1024;
const keepBytesIdle = 256 * 1024;

/** Maximum number of calls with which a command deletes sealed rows, and returns free pages (2 MiB each); a service does the rest. */
const passesMax = 256;

/** How a look at the log ended. */
type Outcome = 'done' | 'waits' | 'again';

/** Options of {@link Sealing}. */
export interface SealingOptions {
  /** Starts the sealer, on first use. */
  start: StartThread;
  writer: Thread<WriterCall>;
  log: Log;
  /** Whether the process is the service, which checks for work when it starts. */
  serving: boolean;
  /** Takes the number of unsealed bytes of the log, for other threads. */
  backlog?: Float64Array;
  /** Whether others need the processors, found in a moment: then sealing waits while the log is short. Default: it never waits. */
  isBusy?: () => Promise<boolean>;
  /** Different in tests. */
  pace?: SealPace;
}

/** Runs sealing in the background for one open store. */
export class Sealing {
  readonly #options: SealingOptions;
  readonly #pace: SealPace;
  #sealer: Promise<Thread<SealerCall>> | null = null;
  #running: Promise<void> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #bytesSinceLook = 0;
  #batchesSinceLook = 0;
  /** One number: the unsealed bytes of the log. Other threads read it. */
  readonly #backlog: Float64Array;
  #idleTimer: NodeJS.Timeout | null = null;
  #waiting: WaitingAppend[] = [];
  /** When the log last became due for sealing, ms since the process began; null when it is not due. */
  #dueSinceMs: number | null = null;
  /** Whether there are no blocks of an earlier format to be rewritten; commands leave them to the service. */
  #areTimesShared: boolean;
  #isShareApplied = false;
  #failureCount = 0;
  /** Descriptions of damaged blocks that sealing has found. */
  readonly #damage = new Set<string>();

  constructor(options: SealingOptions) {
    const { serving, backlog = new Float64Array(1), pace = defaultPace } = options;
    this.#options = options;
    this.#backlog = backlog;
    this.#pace = pace;
    this.#areTimesShared = !serving;
    if (serving) this.#awaitIdle();
  }

  /** The current figures. */
  get figures(): SealFigures {
    return {
      logBytes: this.#backlog[0],
      sealLagS: this.#dueSinceMs === null ? 0 : (performance.now() - this.#dueSinceMs) / 1000,
      sealFailureCount: this.#failureCount,
      damagedBlockCount: this.#damage.size,
    };
  }

  /** Must be called after batches have been stored. */
  noteAppended(bytes: number, batches: number): void {
    this.#backlog[0] += bytes;
    this.#bytesSinceLook += bytes;
    this.#batchesSinceLook += batches;
    const { lookBytes, lookBatches } = this.#pace;
    if (this.#bytesSinceLook >= lookBytes || this.#batchesSinceLook >= lookBatches) this.#begin(false);
    this.#awaitIdle();
  }

  /** Resolves when the log is short enough for another append of so many bytes of values; null when it is now. */
  spaceInLog(bytes: number): Promise<void> | null {
    if (hasSpace(this.#backlog, bytes) || this.#isClosed) return null;
    this.#begin(false);
    return new Promise((resolve) => this.#waiting.push({ bytes, resolve }));
  }

  /** Runs `work` with the sealer while no cycle is running, since a step of either would invalidate the other's. */
  async inTurn<T>(work: (sealer: Thread<SealerCall>) => Promise<T>): Promise<T> {
    try {
      return await this.#takeTurn((sealer) => {
        if (!this.#isClosed) return work(sealer);
        throw new AppError('try-again', 'The store is being closed; try again later');
      });
    } finally {
      this.#awaitIdle();
    }
  }

  /** Seals one cycle, as when idle. Only one, since another process may append just as fast. */
  async sealOnce(): Promise<void> {
    await this.inTurn((sealer) => this.#lookAndSeal(sealer, true, false));
  }

  /**
   * Deletes sealed rows, which an interrupted process may have left in the log, and returns free pages to the file system, in a
   * bounded number of calls since another process may free more.
   */
  async giveBack(): Promise<void> {
    await this.#repeat({ kind: 'trim' }, passesMax);
    await this.#repeat({ kind: 'vacuum', keepBytes: keepBytesIdle, isIdle: false }, passesMax);
  }

  /** Logs what is damaged, once each. */
  noteDamage(damage: readonly string[]): void {
    for (const error of damage) {
      if (this.#damage.has(error)) continue;
      this.#damage.add(error);
      this.#options.log.error('stored points are damaged: everything else is read and sealed as before', {
        error,
      });
    }
  }

  /** Stops after the current step. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    await this.#running;
    await this.#turn;
    this.#relieve();
    const sealer = await this.#sealer;
    await sealer?.call({ kind: 'close' });
  }

  #awaitIdle(): void {
    if (this.#isClosed) return;
    if (this.#idleTimer !== null) this.#idleTimer.refresh();
    else this.#idleTimer = setTimeout(() => this.#begin(true), this.#pace.idleMs).unref();
  }

  #begin(isIdle: boolean): void {
    if (this.#running !== null || this.#isClosed) return;
    let isAgain = !isIdle;
    this.#running = this.#run(isIdle)
      .catch((error: unknown) => {
        isAgain = true;
        this.#failureCount++;
        this.#options.log.error('the log could not be sealed', { error: String(error) });
      })
      .finally(() => {
        this.#running = null;
        this.#relieve();
        if (isAgain) this.#awaitIdle();
      });
  }

  async #run(isIdle: boolean): Promise<void> {
    await this.#sealWhileDue(isIdle);
    await this.#shareTimes(isIdle);
    const keepBytes = isIdle ? keepBytesIdle : keepBytesBusy;
    await this.#repeat({ kind: 'vacuum', keepBytes, isIdle });
  }

  async #sealWhileDue(isIdle: boolean): Promise<void> {
    let isQuiet = isIdle;
    let mayWait = !isIdle;
    while (!this.#isClosed) {
      const outcome = await this.#takeTurn((sealer) => this.#lookAndSeal(sealer, isQuiet, mayWait));
      if (outcome === 'done') return;
      isQuiet &&= this.#batchesSinceLook === 0;
      mayWait = outcome === 'waits' ? await this.#mayWait() : !isQuiet;
    }
  }

  /** Whether sealing that is due may wait longer, found in a moment. */
  async #mayWait(): Promise<boolean> {
    return this.figures.sealLagS * 1000 < this.#pace.waitMs && (await this.#options.isBusy!());
  }

  /**
   * Rewrites blocks of earlier formats so that signals share their times: when idle until there are none or batches arrive, else
   * one step.
   */
  async #shareTimes(isIdle: boolean): Promise<void> {
    try {
      do {
        if (this.#isClosed || this.#areTimesShared) return;
        await this.#takeTurn(async (sealer) => {
          const step = await sealer.call({ kind: 'share-times', isApplied: this.#isShareApplied });
          this.#areTimesShared = step === null;
          this.#isShareApplied =
            step !== null &&
            (await this.#options.writer.call({ kind: 'erase', step, isDeletion: false }, [step.data]));
        });
      } while (isIdle && this.#batchesSinceLook === 0);
    } catch (error) {
      this.#areTimesShared = true; // Until the next start.
      this.#options.log.error('blocks of an earlier format could not be rewritten', { error: String(error) });
    }
  }

  #takeTurn<T>(work: (sealer: Thread<SealerCall>) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(async () => {
      this.#sealer ??= this.#options.start('sealer');
      return work(await this.#sealer);
    });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Seals a cycle if one is due and need not wait. */
  async #lookAndSeal(sealer: Thread<SealerCall>, isIdle: boolean, mayWait: boolean): Promise<Outcome> {
    this.#bytesSinceLook = 0;
    this.#batchesSinceLook = 0;
    const call = { kind: 'look', isIdle, mayWait: mayWait && this.#options.isBusy !== undefined } as const;
    const { isDue, isWaiting, backlogBytes } = await sealer.call(call);
    this.#backlog[0] = backlogBytes;
    this.#dueSinceMs = isDue ? (this.#dueSinceMs ?? performance.now()) : null;
    this.#relieve(({ bytes }) => hasSpace(this.#backlog, bytes));
    if (isWaiting) return 'waits';
    await this.#repeat({ kind: 'trim' });
    return isDue && (await this.#runCycle(sealer)) ? 'again' : 'done';
  }

  /**
   * Runs a cycle; while the writer applies a step, the sealer computes the next one. Returns whether another cycle may follow:
   * not when damaged or stranded points were left in the log, since the next cycle would find them again at once.
   */
  async #runCycle(sealer: Thread<SealerCall>): Promise<boolean> {
    const callStep = () => {
      const call = sealer.call({ kind: 'step' });
      call.catch(() => {}); // It is awaited later; until then a rejection must not look unhandled.
      return call;
    };
    let next = callStep();
    let isSound = true;
    while (!this.#isClosed) {
      const step = await next;
      if (step === null) break;
      next = callStep();
      this.noteDamage(step.damage);
      isSound &&= step.stranded.length === 0 && step.setAside.length === 0;
      const isApplied = await this.#options.writer.call({ kind: 'seal', step }, [step.data]);
      if (!isApplied) break;
    }
    await next;
    if (!isSound) this.#dueSinceMs = null;
    return isSound;
  }

  async #repeat(
    call: Extract<WriterCall, { kind: 'trim' | 'vacuum' }>,
    callsMax = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    for (let count = 0; count < callsMax && !this.#isClosed; count++) {
      if (!(await this.#options.writer.call(call))) return;
    }
  }

  #relieve(mayGoOn: (append: WaitingAppend) => boolean = () => true): void {
    const relieved = this.#waiting.filter(mayGoOn);
    this.#waiting = this.#waiting.filter((append) => !relieved.includes(append));
    for (const { resolve } of relieved) resolve();
  }
}
