/** One authenticated connection: what it may do, and what it has subscribed to. */
import type { PublishPacket, Subscription } from 'aedes';
import type { Caller } from '#model/caller';
import { invalidParams } from '#model/error';
import type { Fault } from '#protocol/fault';
import { Inbox, type InboxOptions } from './inbox.ts';
import type { Sender } from './message-calls.ts';
import type { PacketStream } from './packet-stream.ts';
import type { Connection, PersistentSession } from './persistent/persistent-session.ts';
import { maySee, parseItemTopic } from './topics.ts';

/** What sessions share. */
export interface SessionOptions extends Omit<InboxOptions, 'weigh'> {
  /** Why an item has no live values; null: it may have some. */
  refusalOf(item: string): Promise<string | null>;
  /** A subscription to an item begins; its values are sent from when this has resolved. */
  addItem(item: string): Promise<void>;
  /** It has ended. */
  dropItem(item: string): void;
  /** Describes a rejected message to its integration (M3). */
  onRejected(session: Session, topic: string, fault: Fault): Promise<void>;
  /** A message is sent to the client. */
  onDelivered(session: Session): void;
  /** Whether the integration of a client may have its persistent session. */
  mayPersist(session: PersistentSession): boolean;
}

/** Subscriptions of one connection. */
const filtersMax = 100;

/** Longer filters are refused. */
const filterCharactersMax = 1024;

/** One connection. */
export class Session implements Sender {
  /** As it was last looked up. */
  caller: Caller;
  /** Whether its credential has ended, or the service ends: then its will is not published. */
  isRevoked = false;
  readonly stream: PacketStream;
  /** What outlasts the connection; null: nothing does. */
  readonly persistent: PersistentSession | null;
  readonly #options: SessionOptions;
  readonly #filters = new Set<string>();
  /** Filters whose live values are those of all connections, and not of the persistent session. */
  readonly #shared = new Set<string>();
  /** Identifiers of messages of QoS 2. */
  readonly #exactlyOnce = new Set<number>();
  readonly #inbox: Inbox;

  constructor(
    caller: Caller,
    stream: PacketStream,
    persistent: PersistentSession | null,
    options: SessionOptions,
  ) {
    this.caller = caller;
    this.stream = stream;
    this.persistent = persistent;
    this.#options = options;
    this.#inbox = new Inbox(this, { ...options, weigh: (change) => stream.weigh(change) });
  }

  /** The address of the client. */
  get address(): string {
    return this.stream.address;
  }

  /** Whether a subscription is allowed; it is then counted, and resolves when nothing will be missed. */
  async subscribe({ topic: filter, qos }: Subscription): Promise<boolean> {
    if (filter.length > filterCharactersMax || !this.mayReceive(filter)) return false;
    if (!this.#filters.has(filter) && this.#filters.size >= filtersMax) return false;
    if (this.persistent !== null && !this.#options.mayPersist(this.persistent)) return false;
    this.#filters.add(filter);
    const problem = await this.#share(filter, this.persistent === null || qos === 0);
    if (problem !== null) await this.#refuseFilter(filter, problem);
    return problem === null;
  }

  /** A subscription that is allowed but means nothing: the answer has no room for the reason. */
  async #refuseFilter(filter: string, problem: string): Promise<void> {
    this.#filters.delete(filter);
    const fault = await this.#options.calls.refuse(invalidParams({ topic: [problem] }), this);
    if (fault !== null) await this.#options.onRejected(this, filter, fault);
  }

  /** Subscriptions have ended. */
  unsubscribe(filters: readonly string[]): void {
    for (const filter of filters) if (this.#filters.delete(filter)) this.#unshare(filter);
  }

  /** Those of these filters that the client has. */
  subscribed(filters: readonly string[]): string[] {
    return filters.filter((filter) => this.#filters.has(filter));
  }

  /** The connection has ended. */
  end(): void {
    this.unsubscribe([...this.#filters]);
    this.persistent?.detach(this);
  }

  /** The stream, as the persistent session uses it: it writes nothing but messages. */
  get wire(): Connection['wire'] {
    return {
      write: (message) => {
        this.#options.onDelivered(this);
        return this.stream.write(message);
      },
      cut: () => this.stream.cut(),
    };
  }

  /** Whether messages of a topic or filter may be sent to this client now. */
  mayReceive(topic: string): boolean {
    const { integration, grants } = this.caller;
    return maySee(topic, integration, grants.has('service'));
  }

  /** Whether a message of QoS 2 has been received already: the client sends it again, since it has not seen that. */
  isRepeated({ qos, dup, messageId = 0 }: PublishPacket): boolean {
    if (qos !== 2) return false;
    const isRepeated = dup && this.#exactlyOnce.has(messageId);
    this.#exactlyOnce.add(messageId);
    return isRepeated;
  }

  /**
   * Deals with a message, in the order of the messages: true when it is durable, false when it is rejected. Rejects when it could
   * not be dealt with.
   */
  async receive(topic: string, payload: Buffer): Promise<boolean> {
    const fault = await this.#inbox.receive(topic, payload);
    if (fault !== null) await this.#options.onRejected(this, topic, fault);
    return fault === null;
  }

  /** Live values of a filter are those of all connections, or not; null, or why there are none. */
  async #share(filter: string, isShared: boolean): Promise<string | null> {
    const found = parseItemTopic(filter);
    if (found === null) return null;
    const problem = await this.#options.refusalOf(found.item);
    if (problem !== null || this.#shared.has(filter) === isShared) return problem;
    if (!isShared) this.#unshare(filter);
    else {
      this.#shared.add(filter);
      await this.#options.addItem(found.item);
    }
    return null;
  }

  #unshare(filter: string): void {
    const found = this.#shared.delete(filter) ? parseItemTopic(filter) : null;
    if (found !== null) this.#options.dropItem(found.item);
  }
}
