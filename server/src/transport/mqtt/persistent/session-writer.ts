/** Writes what changes of sessions: what comes while a transaction is under way is the next one. */
import type { BrokerSession, QueuedMessages, QueueSum } from '#model/broker-session';
import { printMessages, type WaitingMessage } from './message.ts';

/** What a transaction changes. */
export interface StoredChanges {
  saved: Iterable<BrokerSession>;
  deleted: Iterable<string>;
  appended: readonly QueuedMessages[];
  forgotten: ReadonlyMap<string, number>;
}

/** Where sessions are stored. */
export interface SessionStore {
  all(): Promise<{ sessions: BrokerSession[]; sums: QueueSum[] }>;
  find(id: string): Promise<BrokerSession | undefined>;
  /** What waits for a session after a number. */
  queued(session: string, afterSeq: number, rowsMax: number): Promise<QueuedMessages[]>;
  /** Resolves when the changes are durable, with the sessions that `owner` no longer has. */
  change(owner: string, changes: StoredChanges): Promise<Set<string>>;
}

/** Delay of changes that nobody waits for, ms. */
const laterMs = 250;

/** Messages of one row, and their bytes, which one alone may exceed. */
const rowMessagesMax = 200;
const rowBytesMax = 128 * 1024;

/** Messages of one session. */
interface Appended {
  lastSeq: number;
  messages: WaitingMessage[];
}

/** The changes of the next transaction. */
class Changes {
  readonly saved = new Map<string, BrokerSession>();
  readonly deleted = new Set<string>();
  readonly appended = new Map<string, Appended>();
  readonly forgotten = new Map<string, number>();
  readonly written = Promise.withResolvers<void>();

  constructor() {
    // Nobody may be waiting.
    this.written.promise.catch(() => {});
  }

  /** What the store is given. */
  finish(): StoredChanges {
    const { saved, deleted, forgotten } = this;
    const appended = [...this.appended].flatMap(([session, queue]) => rowsOf(session, queue));
    return { saved: saved.values(), deleted, appended, forgotten };
  }
}

/** The writer of a broker. */
export class SessionWriter {
  readonly #store: Pick<SessionStore, 'change'>;
  readonly #owner: string;
  readonly #onLost: (ids: ReadonlySet<string>) => void;
  #next = new Changes();
  #isRunning = false;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  /** `onLost` is called with sessions that another broker has by now, or that were deleted. */
  constructor(
    store: Pick<SessionStore, 'change'>,
    owner: string,
    onLost: (ids: ReadonlySet<string>) => void,
  ) {
    this.#store = store;
    this.#owner = owner;
    this.#onLost = onLost;
  }

  /** Stores a session, by which this broker becomes its owner. */
  save(session: BrokerSession): Promise<void> {
    this.#note(session);
    return this.#soon();
  }

  /** The same, when there is time. */
  saveLater(session: BrokerSession): void {
    this.#note(session);
    this.#later();
  }

  /** Deletes a session and what waits for it. */
  delete(id: string): Promise<void> {
    this.#next.saved.delete(id);
    this.#next.appended.delete(id);
    this.#next.deleted.add(id);
    return this.#soon();
  }

  /** Queues a message under its number. */
  append(session: string, seq: number, message: WaitingMessage): Promise<void> {
    const queue = this.#next.appended.getOrInsertComputed(session, () => ({ lastSeq: seq, messages: [] }));
    queue.lastSeq = seq;
    queue.messages.push(message);
    return this.#soon();
  }

  /** Messages up to a number are not needed any more. */
  forget(session: string, throughSeq: number): void {
    this.#next.forgotten.set(session, throughSeq);
    this.#later();
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    await this.#soon().catch(() => {});
  }

  #note(session: BrokerSession): void {
    this.#next.saved.set(session.id, { ...session, owner: this.#owner });
  }

  #later(): void {
    this.#timer ??= setTimeout(() => void this.#soon().catch(() => {}), laterMs).unref();
  }

  #soon(): Promise<void> {
    const { promise } = this.#next.written;
    this.#isDue = true;
    if (!this.#isRunning) {
      this.#isRunning = true;
      // What else is known in this turn of the event loop joins in.
      setImmediate(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      const changes = this.#next;
      this.#next = new Changes();
      try {
        this.#onLost(await this.#store.change(this.#owner, changes.finish()));
        changes.written.resolve();
      } catch (error) {
        this.#takeBack(changes);
        changes.written.reject(error);
      }
    }
    this.#isRunning = false;
  }

  /** What was not written, except messages, is written with what comes next. */
  #takeBack({ saved, deleted, forgotten }: Changes): void {
    const next = this.#next;
    for (const id of deleted) if (!next.saved.has(id)) next.deleted.add(id);
    for (const [id, session] of saved)
      if (!next.deleted.has(id) && !next.saved.has(id)) next.saved.set(id, session);
    for (const [id, seq] of forgotten) if (!next.forgotten.has(id)) next.forgotten.set(id, seq);
    this.#later();
  }
}

function rowsOf(session: string, { lastSeq, messages }: Appended): QueuedMessages[] {
  const rows: QueuedMessages[] = [];
  const firstSeq = lastSeq - messages.length + 1;
  for (let from = 0; from < messages.length; ) {
    const [count, bytes] = rowEnd(messages, from);
    const text = printMessages(messages.slice(from, from + count));
    from += count;
    rows.push({ session, lastSeq: firstSeq + from - 1, count, bytes, messages: text });
  }
  return rows;
}

/** How many messages make a row, and their bytes. */
function rowEnd(messages: readonly WaitingMessage[], from: number): [count: number, bytes: number] {
  let bytes = 0;
  let count = 0;
  for (; count < rowMessagesMax && from + count < messages.length; count++) {
    const size = messageBytes(messages[from + count]);
    if (count > 0 && bytes + size > rowBytesMax) break;
    bytes += size;
  }
  return [count, bytes];
}

/** What a message counts. */
export function messageBytes({ topic, payload }: WaitingMessage): number {
  return Buffer.byteLength(topic) + payload.length;
}
