/** What happens once for a store however many threads use it: sealing, deletions, and the space in the log. */
import type { MessagePort } from 'node:worker_threads';
import type { Window } from '#model/window';
import { CallPorts } from './call-ports.ts';
import { Erasing } from './erasing.ts';
import type { Answers, Call, CallResults, OwnerCall, SealFigures, WriterCall } from './messages.ts';
import type { ReaderPool } from './reader-pool.ts';
import { hasSpace, type Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** The thread that has opened the store, as its users see it. */
export interface StoreOwner {
  /** Resolves when the log is short enough for another append; null when it is now. */
  spaceInLog(): Promise<unknown> | null;
  /** Must be called after batches have been stored. */
  noteAppended(bytes: number, batches: number): void;
  /** Logs what is damaged, once each. */
  noteDamage(damage: readonly string[]): void;
  /** Deletes the points of these signals in a window, as {@link Erasing.erase}. */
  erase(signals: readonly number[], window: Window): Promise<number[]>;
  /** Returns free pages to the file system. */
  giveBack(): Promise<unknown>;
  figures(): SealFigures | Promise<SealFigures>;
}

/** The owner, in its own thread. */
export class OwnStore implements StoreOwner {
  readonly #sealing: Sealing;
  readonly #erasing: Erasing;
  readonly #matchers: () => Promise<ReaderPool>;
  readonly #ports = new CallPorts();

  /** `matchers` starts the thread for searches with patterns. */
  constructor(sealing: Sealing, writer: Thread<WriterCall>, matchers: () => Promise<ReaderPool>) {
    this.#sealing = sealing;
    this.#erasing = new Erasing(sealing, writer);
    this.#matchers = matchers;
  }

  spaceInLog(): Promise<void> | null {
    return this.#sealing.spaceInLog();
  }

  noteAppended(bytes: number, batches: number): void {
    this.#sealing.noteAppended(bytes, batches);
  }

  noteDamage(damage: readonly string[]): void {
    this.#sealing.noteDamage(damage);
  }

  erase(signals: readonly number[], window: Window): Promise<number[]> {
    return this.#erasing.erase(signals, window);
  }

  giveBack(): Promise<void> {
    return this.#sealing.giveBack();
  }

  figures(): SealFigures {
    return this.#sealing.figures;
  }

  /** Serves the calls of a {@link RemoteOwner}. */
  serve(port: MessagePort): void {
    this.#ports.serve(port, (call: Call<OwnerCall>) => void this.#answer(call, this.#ports));
  }

  async #answer({ id, body }: Call<OwnerCall>, answers: Answers): Promise<void> {
    try {
      answers.reply(id, await this.#run(body));
    } catch (error) {
      answers.replyError(id, error);
    }
  }

  async #run(body: OwnerCall): Promise<CallResults[OwnerCall['kind']]> {
    switch (body.kind) {
      case 'space':
        await this.spaceInLog();
        return null;
      case 'appended':
        this.noteAppended(body.bytes, body.batches);
        return null;
      case 'damage':
        this.noteDamage(body.damage);
        return null;
      case 'erase-all':
        return this.erase(body.signals, body.window);
      case 'give-back':
        await this.giveBack();
        return null;
      case 'seal-figures':
        return this.figures();
      case 'matcher':
        (await this.#matchers()).connect(body.port);
        return null;
    }
  }
}

/** The owner, as another thread sees it. */
export class RemoteOwner implements StoreOwner {
  readonly #thread: Thread<OwnerCall>;
  readonly #backlog: Float64Array;

  constructor(thread: Thread<OwnerCall>, backlog: Float64Array) {
    this.#thread = thread;
    this.#backlog = backlog;
  }

  spaceInLog(): Promise<unknown> | null {
    return hasSpace(this.#backlog) ? null : this.#thread.call({ kind: 'space' });
  }

  noteAppended(bytes: number, batches: number): void {
    this.#tell({ kind: 'appended', bytes, batches });
  }

  noteDamage(damage: readonly string[]): void {
    this.#tell({ kind: 'damage', damage });
  }

  erase(signals: readonly number[], window: Window): Promise<number[]> {
    return this.#thread.call({ kind: 'erase-all', signals, window });
  }

  giveBack(): Promise<unknown> {
    return this.#thread.call({ kind: 'give-back' });
  }

  figures(): Promise<SealFigures> {
    return this.#thread.call({ kind: 'seal-figures' });
  }

  #tell(call: OwnerCall): void {
    // It fails only when the owner has ended, and then the process ends.
    this.#thread.call(call).catch(() => {});
  }
}
