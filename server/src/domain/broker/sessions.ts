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
  change(owner: string, changes: SessionChanges): Promise<Set<string>> {
    // The work may run more than once, and what they come from only once.
    const [saved, deleted] = [[...changes.saved], [...changes.deleted]];
    const ids = [...new Set(changes.appended.map(({ session }) => session))];
    return this.#meta.write(async ({ brokerSessions }) => {
      const own = (await brokerSessions.ownedBy(owner, ids)).difference(new Set(deleted));
      for (const { id } of saved) own.add(id);
      await Promise.all(deleted.map((id) => brokerSessions.delete(id)));
      await Promise.all(saved.map((session) => brokerSessions.save(session)));
      await brokerSessions.append(changes.appended.filter(({ session }) => own.has(session)));
      await Promise.all(
        Array.from(changes.forgotten, ([session, seq]) => brokerSessions.forget(session, seq)),
      );
      return new Set(ids).difference(own);
    });
  }
}
