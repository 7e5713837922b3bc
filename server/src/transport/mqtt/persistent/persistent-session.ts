/**
 * A session that outlasts its connections (M3c): its subscriptions of QoS 1, what waits for its client in the store, and, of live
 * values, the place that the client has come to.
 */
import type { BrokerSession, QueuedMessages, QueueSum, StoredFilter } from '#model/broker-session';
import type { Clock, Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { LiveItems } from '../item-feed.ts';
import { parseItemTopic } from '../topics.ts';
import { matchesFilter } from './filter.ts';
import { ItemFollower } from './item-follower.ts';
import { parseMessages, type WaitingMessage } from './message.ts';
import { Outbox, OutboxEnded, type OutboxWire } from './outbox.ts';
import { messageBytes, type SessionStore, type SessionWriter } from './session-writer.ts';

/** What persistent sessions share. */
export interface PersistentSessionOptions {
  store: Pick<SessionStore, 'queued'>;
  writer: SessionWriter;
  items: LiveItems | null;
  limits: Pick<Limits, 'mqttQueueMessagesMax' | 'mqttQueueBytesMax'>;
  clock: Clock;
  log: Log;
}

/** The connection of a client, as its session sees it. */
export interface Connection {
  wire: OutboxWire & { cut(): void };
  /** Whether the client may have the messages of a topic now. */
  mayReceive(topic: string): boolean;
}

/** A session as it is found. */
export type Found = Pick<BrokerSession, 'id' | 'integration'> & Partial<BrokerSession>;

/** Rows that are read at once. */
const rowsAtOnce = 20;

/** A connection, while it is there. */
class Attached {
  readonly connection: Connection;
  readonly outbox: Outbox;
  follower: ItemFollower | null = null;
  isEnded = false;
  #wake: (() => void) | null = null;

  constructor(connection: Connection) {
    this.connection = connection;
    this.outbox = new Outbox(connection.wire);
  }

  /** Waits until there may be something to send. */
  sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = null;
  }

  end(): void {
    this.isEnded = true;
    this.outbox.end();
    this.follower?.close();
    this.wake();
  }
}

/** One session. */
export class PersistentSession {
  readonly id: string;
  readonly integration: string;
  readonly #options: PersistentSessionOptions;
  readonly #filters: Map<string, number>;
  #place: string | null;
  #leftAtMs: number | null;
  #attached: Attached | null = null;
  #count: number;
  #bytes: number;
  /** Numbers of messages: the last one, the last that is durable, that was sent, and that the client has acknowledged. */
  #lastSeq: number;
  #durableSeq: number;
  #sentSeq = 0;
  #ackedSeq = 0;
  #isFull = false;

  /** `sum`: what waits for it. */
  constructor(found: Found, sum: Omit<QueueSum, 'session'>, options: PersistentSessionOptions) {
    this.id = found.id;
    this.integration = found.integration;
    this.#options = options;
    this.#filters = new Map((found.filters ?? []).map(({ topic, qos }) => [topic, qos]));
    this.#place = found.place ?? null;
    this.#leftAtMs = found.leftAtMs ?? options.clock.nowUs() / 1000;
    this.#count = sum.count;
    this.#bytes = sum.bytes;
    this.#lastSeq = sum.lastSeq;
    this.#durableSeq = sum.lastSeq;
  }

  /** Its subscriptions. */
  get filters(): StoredFilter[] {
    return [...this.#filters].map(([topic, qos]) => ({ topic, qos }));
  }

  /** Since when it has no connection; null: it has one. */
  get leftAtMs(): number | null {
    return this.#leftAtMs;
  }

  /** Messages that wait for its client. */
  get queuedCount(): number {
    return this.#count;
  }

  /** Whether messages of a topic that are sent with QoS 1 come by way of this session. */
  takes(topic: string): boolean {
    if (this.#filters.get(topic) === 1) return true;
    for (const [filter, qos] of this.#filters) if (qos > 0 && matchesFilter(filter, topic)) return true;
    return false;
  }

  /** Queues a message: resolves when it is durable. Null: there is no room. */
  offer(message: WaitingMessage): Promise<void> | null {
    const { mqttQueueMessagesMax, mqttQueueBytesMax } = this.#options.limits;
    const bytes = messageBytes(message);
    if (this.#count >= mqttQueueMessagesMax || this.#bytes + bytes > mqttQueueBytesMax) return null;
    this.#count++;
    this.#bytes += bytes;
    const seq = ++this.#lastSeq;
    return this.#options.writer.append(this.id, seq, message).then(
      () => {
        this.#durableSeq = Math.max(this.#durableSeq, seq);
        this.#attached?.wake();
      },
      (error: unknown) => {
        this.#release({ count: 1, bytes });
        throw error;
      },
    );
  }

  /** A message was not queued; whether it is the first one since there was room. */
  noteFull(): boolean {
    const isFirst = !this.#isFull;
    this.#isFull = true;
    return isFirst;
  }

  /** Keeps subscriptions; resolves when they are durable, and no value of an item is missed from then on. */
  async keep(filters: readonly StoredFilter[]): Promise<void> {
    const added = filters.filter(({ topic, qos }) => this.#filters.get(topic) !== qos);
    if (added.length === 0) return;
    for (const { topic, qos } of added) this.#filters.set(topic, qos);
    const items = itemsOf(added);
    if (items.length > 0) {
      this.#place ??= await this.#now();
      await this.#attached?.follower?.add(items);
      if (this.#attached?.follower === null) await this.#follow(this.#attached);
    }
    await this.#options.writer.save(this.#record);
  }

  /** Ends subscriptions. */
  async drop(topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.#filters.delete(topic);
    const left = new Set(this.#items);
    const gone = topics.map((topic) => parseItemTopic(topic)?.item).filter((item) => item !== undefined);
    this.#attached?.follower?.drop(gone.filter((item) => !left.has(item)));
    if (left.size === 0) this.#place = null;
    if (this.#filters.size > 0) await this.#options.writer.save(this.#record);
  }

  /** Its client is here: what waits is sent, and what comes. */
  attach(connection: Connection): void {
    this.#attached?.end();
    const attached = new Attached(connection);
    this.#attached = attached;
    this.#leftAtMs = null;
    if (this.#filters.size > 0) this.#options.writer.saveLater(this.#record);
    this.#guard(attached, this.#deliver(attached));
    if (this.#items.length > 0) this.#guard(attached, this.#follow(attached));
  }

  /** A connection has ended. */
  detach(connection: Connection): void {
    if (this.#attached?.connection !== connection) return;
    this.#attached.end();
    this.#attached = null;
    this.#leftAtMs = this.#options.clock.nowUs() / 1000;
    if (this.#filters.size > 0) this.#options.writer.saveLater(this.#record);
  }

  /** The client has acknowledged a message of a connection. */
  acknowledge(connection: Connection, messageId: number): void {
    if (this.#attached?.connection === connection) this.#attached.outbox.acknowledge(messageId);
  }

  /** Sends the newest values of items to which the client has just subscribed. */
  sendLatest(topics: readonly string[]): void {
    const attached = this.#attached;
    for (const topic of topics) {
      const found = parseItemTopic(topic);
      if (found === null || attached?.follower == null || !this.#wants(attached, topic)) continue;
      this.#guard(attached, attached.follower.sendLatest(found.item, topic));
    }
  }

  /** Ends its connection, when the session is no longer here. */
  cut(): void {
    this.#attached?.connection.wire.cut();
  }

  get #record(): BrokerSession {
    const { id, integration, filters } = this;
    return { id, integration, owner: '', filters, place: this.#place, leftAtMs: this.#leftAtMs };
  }

  /** Items of its subscriptions. */
  get #items(): string[] {
    return itemsOf(this.filters);
  }

  #wants({ connection }: Attached, topic: string): boolean {
    return this.#filters.get(topic) === 1 && connection.mayReceive(topic);
  }

  async #now(): Promise<string | null> {
    const { items } = this.#options;
    if (items === null) return null;
    const watch = await items.watch({ party: this.integration, items: [], after: null });
    watch.close();
    return watch.place;
  }

  async #follow(attached: Attached): Promise<void> {
    const { items } = this.#options;
    if (items === null) return;
    const onPlace = (place: string) => {
      this.#place = place;
      this.#options.writer.saveLater(this.#record);
    };
    const wants = (topic: string) => this.#wants(attached, topic);
    const start = { party: this.integration, items: this.#items, after: this.#place };
    const follower = await ItemFollower.open({ items, outbox: attached.outbox, wants, onPlace }, start);
    attached.follower = follower;
    if (attached.isEnded) follower.close();
    this.#guard(attached, follower.run());
  }

  async #deliver(attached: Attached): Promise<void> {
    while (!attached.isEnded) {
      const rows =
        this.#durableSeq > this.#ackedSeq
          ? await this.#options.store.queued(this.id, this.#ackedSeq, rowsAtOnce)
          : [];
      if (rows.length > 0) await Promise.all(rows.map((row) => this.#sendRow(attached, row)));
      else if (!attached.isEnded) await attached.sleep();
    }
  }

  async #sendRow(attached: Attached, row: QueuedMessages): Promise<void> {
    const { outbox, connection } = attached;
    const messages = parseMessages(row.messages);
    const sending = messages.map((message, i) => {
      const seq = row.lastSeq - messages.length + 1 + i;
      const dup = seq <= this.#sentSeq;
      this.#sentSeq = Math.max(this.#sentSeq, seq);
      return connection.mayReceive(message.topic) ? outbox.send(message, { dup }) : null;
    });
    await Promise.all(sending);
    this.#ackedSeq = Math.max(this.#ackedSeq, row.lastSeq);
    this.#release(row);
    this.#options.writer.forget(this.id, this.#ackedSeq);
  }

  #release({ count, bytes }: Pick<QueueSum, 'count' | 'bytes'>): void {
    this.#count -= count;
    this.#bytes -= bytes;
    this.#isFull = false;
  }

  /** What fails ends the connection: the client comes again, and nothing is lost. */
  #guard(attached: Attached, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (attached.isEnded || error instanceof OutboxEnded) return;
      this.#options.log.warn('a session of the broker cannot be served now', { session: this.id, error });
      attached.connection.wire.cut();
    });
  }
}

/** Items of which live values come by way of a session. */
function itemsOf(filters: readonly StoredFilter[]): string[] {
  const found = filters.map(({ topic, qos }) => (qos > 0 ? parseItemTopic(topic)?.item : undefined));
  return [...new Set(found.filter((item) => item !== undefined))];
}
