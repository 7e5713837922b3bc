/** What happens once for a store however many threads use it: sealing, deletions, and the space in the log. */
import type { MessagePort } from 'node:worker_threads';
import type { Window } from '#model/window';
import { CallPorts } from './call-ports.ts';
import { Erasing } from './erasing.ts';
import type { Call, CallResults, OwnerCall, SealFigures, WriterCall } from './messages.ts';
import type { ReaderPool } from './reader-pool.ts';
import { hasSpace, type Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** The thread that has opened the store, as its users see it. */
export interface StoreOwner {
  /** Resolves when the log is short enough for another append of so many bytes of values; null when it is now. */
  spaceInLog(bytes: number): Promise<unknown> | null;
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
export function ownStore(sealing: Sealing, writer: Thread<WriterCall>): StoreOwner {
  const erasing = new Erasing(sealing, writer);
  return {
    spaceInLog: (bytes) => sealing.spaceInLog(bytes),
    noteAppended: (bytes, batches) => sealing.noteAppended(bytes, batches),
    noteDamage: (damage) => sealing.noteDamage(damage),
    erase: (signals, window) => erasing.erase(signals, window),
    giveBack: () => sealing.giveBack(),
    figures: () => sealing.figures,
  };
}

/** Serves the calls of a {@link remoteOwner}; `matchers` starts the thread for searches with patterns. */
export function serveOwner(owner: StoreOwner, matchers: () => Promise<ReaderPool>, port: MessagePort): void {
  const ports = new CallPorts();
  ports.serve(port, ({ id, body }: Call<OwnerCall>) => {
    run(owner, matchers, body).then(
      (result) => ports.reply(id, result),
      (error) => ports.replyError(id, error),
    );
  });
}

async function run(
  owner: StoreOwner,
  matchers: () => Promise<ReaderPool>,
  body: OwnerCall,
): Promise<CallResults[OwnerCall['kind']]> {
  if (body.kind === 'erase-all') return owner.erase(body.signals, body.window);
  if (body.kind === 'seal-figures') return owner.figures();
  if (body.kind === 'space') await owner.spaceInLog(body.bytes);
  else if (body.kind === 'appended') owner.noteAppended(body.bytes, body.batches);
  else if (body.kind === 'damage') owner.noteDamage(body.damage);
  else if (body.kind === 'give-back') await owner.giveBack();
  else (await matchers()).connect(body.port);
  return null;
}

/** The owner, as another thread sees it. */
export function remoteOwner(thread: Thread<OwnerCall>, backlog: Float64Array): StoreOwner {
  // It fails only when the owner has ended, and then the process ends.
  const tell = (call: OwnerCall) => void thread.call(call).catch(() => {});
  const appended = new AppendedSum((bytes, batches) => tell({ kind: 'appended', bytes, batches }));
  return {
    spaceInLog: (bytes) => (hasSpace(backlog, bytes) ? null : thread.call({ kind: 'space', bytes })),
    noteAppended: (bytes, batches) => appended.add(bytes, batches),
    noteDamage: (damage) => tell({ kind: 'damage', damage }),
    erase: (signals, window) => thread.call({ kind: 'erase-all', signals, window }),
    giveBack: () => thread.call({ kind: 'give-back' }),
    figures: () => thread.call({ kind: 'seal-figures' }),
  };
}

/** How long what was appended is summed before another thread is told, ms: a message for each small batch would cost both threads more than the batch. */
const sumMs = 20;

/** Sums what was appended. */
class AppendedSum {
  readonly #tell: (bytes: number, batches: number) => void;
  #bytes = 0;
  #batches = 0;

  constructor(tell: (bytes: number, batches: number) => void) {
    this.#tell = tell;
  }

  add(bytes: number, batches: number): void {
    if (this.#batches === 0) setTimeout(() => this.#flush(), sumMs);
    this.#bytes += bytes;
    this.#batches += batches;
  }

  #flush(): void {
    this.#tell(this.#bytes, this.#batches);
    this.#bytes = 0;
    this.#batches = 0;
  }
}
