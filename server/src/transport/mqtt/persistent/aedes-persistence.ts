/**
 * What aedes asks of its persistence. Sessions and their messages are those of `persistent-sessions.ts`, which sends them by
 * itself; of the rest, aedes only keeps which messages of QoS 2 a connection has sent.
 */
import { Readable } from 'node:stream';
import type { Client, PublishPacket, Subscription } from 'aedes';
import type { StoredFilter } from '#model/broker-session';

/** What happens to sessions. */
export interface SessionHooks {
  /** The subscriptions of the session of a client ID. */
  filtersOf(clientId: string): StoredFilter[];
  /** A client with a session that stays has subscribed, and has unsubscribed. */
  keep(client: Client, filters: readonly StoredFilter[]): Promise<void>;
  drop(client: Client, topics: readonly string[]): Promise<void>;
  /** A client does not want the session of its ID. */
  end(clientId: string): Promise<void>;
  /** A client has acknowledged a message. */
  acknowledge(client: Client, messageId: number): void;
}

type Message = Pick<PublishPacket, 'messageId'>;

/** The persistence of one broker. */
export class AedesPersistence {
  readonly #hooks: SessionHooks;
  /** Client → messages of QoS 2 that it has sent and not released; aedes limits them. */
  readonly #incoming = new WeakMap<Client, Map<number | undefined, Message>>();

  constructor(hooks: SessionHooks) {
    this.#hooks = hooks;
  }

  async setup(): Promise<void> {}

  async destroy(): Promise<void> {}

  /** Messages of clients are not retained, and live values are read from the store. */
  async storeRetained(): Promise<void> {}

  createRetainedStreamCombi(): Readable {
    return Readable.from([]);
  }

  async subscriptionsByClient({ id }: Pick<Client, 'id'>): Promise<StoredFilter[]> {
    return this.#hooks.filtersOf(id);
  }

  addSubscriptions(client: Client, subscriptions: readonly Subscription[]): Promise<void> {
    return this.#hooks.keep(
      client,
      subscriptions.map(({ topic, qos }) => ({ topic, qos: Math.min(qos, 1) })),
    );
  }

  removeSubscriptions(client: Client, topics: readonly string[]): Promise<void> {
    return this.#hooks.drop(client, topics);
  }

  cleanSubscriptions({ id }: Client): Promise<void> {
    return this.#hooks.end(id);
  }

  async subscriptionsByTopic(): Promise<never[]> {
    return [];
  }

  async outgoingEnqueue(): Promise<void> {}

  async outgoingEnqueueCombi(): Promise<void> {}

  async outgoingUpdate(): Promise<void> {}

  async outgoingClearMessageId(client: Client, { messageId }: Message): Promise<void> {
    if (messageId !== undefined) this.#hooks.acknowledge(client, messageId);
  }

  outgoingStream(): Readable {
    return Readable.from([]);
  }

  async incomingStorePacket(client: Client, packet: Message): Promise<void> {
    if (!this.#incoming.has(client)) this.#incoming.set(client, new Map());
    this.#incoming.get(client)?.set(packet.messageId, packet);
  }

  /** Rejects when it is unknown. */
  async incomingGetPacket(client: Client, { messageId }: Message): Promise<Message> {
    const packet = this.#incoming.get(client)?.get(messageId);
    if (packet === undefined) throw new Error('no such packet');
    return packet;
  }

  async incomingDelPacket(client: Client, { messageId }: Message): Promise<void> {
    if (this.#incoming.get(client)?.delete(messageId) !== true) throw new Error('no such packet');
  }

  async cleanIncoming(client: Client): Promise<void> {
    this.#incoming.delete(client);
  }

  /** Wills are kept by aedes with their connections. */
  async putWill(): Promise<void> {}

  async delWill(): Promise<void> {}

  streamWill(): Readable {
    return Readable.from([]);
  }
}
