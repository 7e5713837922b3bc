/** Keeps sealing going: asks the sealer for steps, hands them to the writer, and knows how far the log has run ahead. */

import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { StoreFigures } from '../store.ts';
import type { SealerCall, ThreadOptions, WriterCall } from './messages.ts';
import { Thread } from './thread.ts';

/** After so many bytes or batches the sealer looks at the log. */
const lookBytes = 4 * 1024 * 1024;
const lookBatches = 1024;

/** After so long without an append, the sealer looks whether there is something to tidy up, ms. */
const idleMs = 1500;

/** Above this many bytes of unsealed log, appends wait for the sealer. */
const backlogBytesMax = 512 * 1024 * 1024;

/** Free pages kept for the log of the next minutes while data comes in; when it stops, all but a few are given back. */
const keepPagesBusy = 4096;
const keepPagesIdle = 16;

/** How often a command gives back some pages (8 MiB) before it leaves the rest to the service. */
const passesMax = 256;

/** What sealing knows of how the store is getting on. */
export type SealFigures = Pick<
  StoreFigures,
  'logBytes' | 'sealLagS' | 'sealFailureCount' | 'damagedBlockCount'
>;

/** The background work of one open store. */
export class Sealing {
  readonly #options: ThreadOptions;
  readonly #writer: Thread<WriterCall>;
  readonly #log: Log;
  #sealer: Promise<Thread<SealerCall>> | null = null;
  #running: Promise<void> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #bytesSinceLook = 0;
  #batchesSinceLook = 0;
  #backlogBytes = 0;
  #idleTimer: NodeJS.Timeout | null = null;
  #relieved: (() => void)[] = [];
  /** When sealing last had something to do and nothing had been before, ms since the process began. */
  #dueSinceMs: number | null = null;
  #failureCount = 0;
  /** What is wrong with blocks that sealing met. */
  readonly #damage = new Set<string>();

  constructor(options: ThreadOptions, writer: Thread<WriterCall>, log: Log) {
    this.#options = options;
    this.#writer = writer;
    this.#log = log;
    if (options.serving) this.#awaitIdle();
  }

  /** How far sealing is behind. */
  get figures(): SealFigures {
    return {
      logBytes: this.#backlogBytes,
      sealLagS: this.#dueSinceMs === null ? 0 : (performance.now() - this.#dueSinceMs) / 1000,
      sealFailureCount: this.#failureCount,
      damagedBlockCount: this.#damage.size,
    };
  }

  /** To be told of every batch that was stored. */
  noteAppended(bytes: number, batches: number): void {
    this.#backlogBytes += bytes;
    this.#bytesSinceLook += bytes;
    this.#batchesSinceLook += batches;
    if (this.#bytesSinceLook >= lookBytes || this.#batchesSinceLook >= lookBatches) this.#start(false);
    this.#awaitIdle();
  }

  /** Resolves when the log is short enough to be appended to; null when it is. */
  roomInLog(): Promise<void> | null {
    if (this.#backlogBytes <= backlogBytesMax || this.#isClosed) return null;
    this.#start(false);
    return new Promise((resolve) => this.#relieved.push(resolve));
  }

  /** Runs `work` with the sealer while no cycle is under way: a step of either would make the other's void. */
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

  /** Seals a cycle, as when nothing else is to do. Not more: another process may write as fast as that. */
  async sealOnce(): Promise<void> {
    await this.inTurn((sealer) => this.#lookAndSeal(sealer, true));
  }

  /** Gives free pages back: those that there are, as far as another process does not make new ones. */
  async giveBack(): Promise<void> {
    const call = { kind: 'vacuum', keepPages: keepPagesIdle, isIdle: false } as const;
    for (let pass = 0; pass < passesMax && !this.#isClosed; pass++) {
      if (!(await this.#writer.call(call))) return;
    }
  }

  /** Logs what is damaged, once each. */
  noteDamage(damage: readonly string[]): void {
    for (const error of damage) {
      if (this.#damage.has(error)) continue;
      this.#damage.add(error);
      this.#log.error('stored points are damaged: everything else is read and sealed as before', { error });
    }
  }

  /** Ends after the step under way. */
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
    else this.#idleTimer = setTimeout(() => this.#start(true), idleMs).unref();
  }

  #start(isIdle: boolean): void {
    if (this.#running !== null || this.#isClosed) return;
    let isAgain = !isIdle;
    this.#running = this.#run(isIdle)
      .catch((error: unknown) => {
        isAgain = true;
        this.#failureCount++;
        this.#log.error('the log could not be sealed', { error: String(error) });
      })
      .finally(() => {
        this.#running = null;
        this.#relieve();
        if (isAgain) this.#awaitIdle();
      });
  }

  async #run(isIdle: boolean): Promise<void> {
    while (!this.#isClosed && (await this.#takeTurn((sealer) => this.#lookAndSeal(sealer, isIdle))));
    const keepPages = isIdle ? keepPagesIdle : keepPagesBusy;
    await this.#repeat({ kind: 'vacuum', keepPages, isIdle });
  }

  #takeTurn<T>(work: (sealer: Thread<SealerCall>) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(async () => work(await this.#startSealer()));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  #startSealer(): Promise<Thread<SealerCall>> {
    this.#sealer ??= Thread.start<SealerCall>('sealer-thread', this.#options);
    return this.#sealer;
  }

  /** Seals a cycle, if one is due; whether there may be another. */
  async #lookAndSeal(sealer: Thread<SealerCall>, isIdle: boolean): Promise<boolean> {
    this.#bytesSinceLook = 0;
    this.#batchesSinceLook = 0;
    const { isDue, backlogBytes } = await sealer.call({ kind: 'look', isIdle });
    this.#backlogBytes = backlogBytes;
    this.#dueSinceMs = isDue ? (this.#dueSinceMs ?? performance.now()) : null;
    if (backlogBytes <= backlogBytesMax) this.#relieve();
    await this.#repeat({ kind: 'trim' });
    return isDue && (await this.#runCycle(sealer));
  }

  /**
   * While the writer applies a step, the sealer makes the next one. Whether another cycle may follow: not when something was left
   * in the log, which would be met again at once.
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
      const isApplied = await this.#writer.call({ kind: 'seal', step }, [step.data]);
      if (!isApplied) break;
    }
    await next;
    if (!isSound) this.#dueSinceMs = null;
    return isSound;
  }

  async #repeat(call: Extract<WriterCall, { kind: 'trim' | 'vacuum' }>): Promise<void> {
    while (!this.#isClosed && (await this.#writer.call(call)));
  }

  #relieve(): void {
    for (const resolve of this.#relieved.splice(0)) resolve();
  }
}
