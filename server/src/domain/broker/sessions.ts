/** What the message broker stores of its sessions: changes that arrive together are one transaction. */
import type { BrokerSession, QueuedMessages, QueueSum } from '#model/broker-session';
import type { MetaPart } from '#storage/meta-store';

/** Changes of one transaction. */
export interface SessionChanges {
  saved: Iterable<BrokerSession>;
  deleted: Iterable<string>;
  appended: readonly QueuedMessages[];
  /** Session → the number of the last message that is not needed any more. */
  forgotten: ReadonlyMap<string, number>;
}

/** The sessions of a store, as one broker uses them. */
export class BrokerSessions {
  readonly #meta: MetaPart<'brokerSessions'>;

  constructor(meta: MetaPart<'brokerSessions'>) {
    this.#meta = meta;
  }

  /** All of them, and what waits. */
  async all(): Promise<{ sessions: BrokerSession[]; sums: QueueSum[] }> {
    const { brokerSessions } = this.#meta;
    return { sessions: await brokerSessions.all(), sums: await brokerSessions.queueSums() };
  }

  /** One of them; undefined: it does not exist. */
  find(id: string): Promise<BrokerSession | undefined> {
    return this.#meta.brokerSessions.find(id);
  }

  /** What waits for a session after a number, at most so many rows. */
  queued(session: string, afterSeq: number, rowsMax: number): Promise<QueuedMessages[]> {
    return this.#meta.brokerSessions.queued(session, afterSeq, rowsMax);
  }

  /**
   * Makes changes of the sessions that `owner` has; what it saves becomes its own. The IDs of those that another owner has by now,
   * or that were deleted: nothing was queued for them.
   */
  change(owner: string, { saved, deleted, appended, forgotten }: SessionChanges): Promise<Set<string>> {
    return this.#meta.write(async ({ brokerSessions }) => {
      // Together: one after the other each would wait for an answer.
      await Promise.all(Array.from(deleted, (id) => brokerSessions.delete(id)));
      await Promise.all(Array.from(saved, (session) => brokerSessions.save(session)));
      const ids = [...new Set(appended.map(({ session }) => session))];
      const owned = await brokerSessions.ownedBy(owner, ids);
      await brokerSessions.append(appended.filter(({ session }) => owned.has(session)));
      await Promise.all(Array.from(forgotten, ([session, seq]) => brokerSessions.forget(session, seq)));
      return new Set(ids).difference(owned);
    });
  }
}
