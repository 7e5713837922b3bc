/** The embedded broker (M1-M4): aedes speaks MQTT; who may connect, and what messages mean and cost, is decided here. */
import type { EventEmitter } from 'node:events';
import {
  Aedes,
  type AedesOptions,
  type AedesPublishPacket,
  type Client,
  type ConnectPacket,
  type PublishPacket,
  type Subscription,
} from 'aedes';
import type { Clock, Log } from '#model/environment';
import { bug } from '#model/error';
import type { Fault } from '#protocol/fault';
import { type AdmissionOptions, admit, refusalBytes } from './admission.ts';
import { ItemFeed, type LiveItems } from './item-feed.ts';
import { MessageCalls, type MessageCallsOptions } from './message-calls.ts';
import { PacedQueue } from './paced-queue.ts';
import { PacketStream, type Wire } from './packet-stream.ts';
import { Session, type SessionOptions } from './session.ts';
import { errorsTopic, fullTopic, parseItemTopic } from './topics.ts';
import { ValueQueue } from './value-queue.ts';

/** Options of {@link Broker}. */
export interface BrokerOptions extends MessageCallsOptions, AdmissionOptions {
  clock: Clock;
  log: Log;
  /** Live values; null, the default: there are none. */
  items?: LiveItems | null;
  /** Called before credentials are looked at: learns of what other threads have changed; null: nothing. */
  catchUp(): Promise<unknown> | null;
}

/** Figures for metrics. */
export interface MqttFigures {
  /** Authenticated connections. */
  connectionCount: number;
  /** Messages of clients that were dealt with since the start, and those of them that were rejected. */
  messageCount: number;
  rejectedCount: number;
}

/** A client that has more than this to receive is disconnected, bytes. */
const unsentBytesMax = 1024 * 1024;

/** A client that takes nothing for so long is disconnected, ms. */
const drainMs = 30_000;

/** Time for a CONNECT, ms. */
const connectMsMax = 10_000;

/** How often it is checked whether credentials are still good, ms: they end their connections within a second. */
const recheckMs = 400;

/** Longer topics are shortened in the description of a rejected message. */
const topicCharactersMax = 1024;

/** aedes, but a message of a client is sent to subscribers only if the call that it is has succeeded. */
class CallBroker extends Aedes {
  readonly #withheld = new WeakSet<PublishPacket>();

  /** A message is not sent to anyone. */
  withhold(packet: PublishPacket): void {
    this.#withheld.add(packet);
  }

  /** aedes passes the client of a message as the second argument. */
  override publish(packet: PublishPacket, ...rest: unknown[]): void {
    const done = rest.at(-1) as (error?: Error) => void;
    if (rest.length < 2 || rest[0] === null) {
      super.publish(packet, done);
      return;
    }
    // The publisher does not wait for those who receive the message: they have limits of their own.
    if (!this.#withheld.has(packet)) super.publish({ ...packet, retain: false }, () => {});
    done();
  }
}

/** One for a service: it is on the first thread, so that sessions and client IDs are those of the whole service. */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #calls: MessageCalls;
  readonly #aedes: CallBroker;
  readonly #sessionOf = new WeakMap<Client, Session>();
  readonly #sessions = new Set<Session>();
  readonly #queues = new Map<string, ValueQueue>();
  /** Integration → subscriptions of its connections. */
  readonly #filterCounts = new Map<string, number>();
  readonly #ends = new PacedQueue();
  readonly #shared: SessionOptions;
  readonly #items: ItemFeed | null;
  readonly #timer: NodeJS.Timeout;
  #messageCount = 0;
  #rejectedCount = 0;
  #isClosing = false;

  private constructor(options: BrokerOptions) {
    this.#options = options;
    this.#calls = new MessageCalls(options);
    this.#shared = {
      calls: this.#calls,
      queueOf: (integration, method) => this.#queueOf(integration, method),
      refusalOf: async (item) => options.items?.refusalOf(item) ?? null,
      addItem: async (item) => this.#items?.add(item),
      dropItem: (item) => this.#items?.drop(item),
      countFilter: (integration, change) => {
        const count = (this.#filterCounts.get(integration) ?? 0) + change;
        if (count > 0) this.#filterCounts.set(integration, count);
        else this.#filterCounts.delete(integration);
      },
      onRejected: (integration, topic, fault) => this.#describe(integration, topic, fault),
    };
    this.#aedes = new CallBroker(this.#aedesOptions());
    const { items = null, log } = options;
    this.#items = items && new ItemFeed({ items, log, send: (...message) => this.#send(...message) });
    this.#aedes.on('subscribe', (filters, client) => this.#sendLatest(filters, client));
    this.#aedes.on('unsubscribe', (filters, client) => this.#sessionOf.get(client)?.unsubscribe(filters));
    const failures: EventEmitter = this.#aedes;
    failures.on('error', (error: unknown) => options.log.error('the broker has failed', { error }));
    this.#timer = setInterval(() => void this.#recheck(), recheckMs).unref();
  }

  /** Starts a broker that connections can be given to. */
  static async open(options: BrokerOptions): Promise<Broker> {
    const broker = new Broker(options);
    await broker.#aedes.listen();
    return broker;
  }

  /** What is under way and has been done. */
  get figures(): MqttFigures {
    return {
      connectionCount: this.#sessions.size,
      messageCount: this.#messageCount,
      rejectedCount: this.#rejectedCount,
    };
  }

  /** Serves a connection. `onKnown` is called when its client is authenticated. */
  serve(wire: Wire, address: string, onKnown: () => void): void {
    const { limits, load } = this.#options;
    const stream = new PacketStream(wire, {
      address,
      step: (work) => load.step(address, work),
      messageBytesMax: () => limits.bodyBytesMax,
      packetMsMax: limits.requestTimeoutMs,
      reserve: (bytes) => this.#reserve(bytes, address),
      onKnown,
      ends: this.#ends,
    });
    this.#aedes.handle(stream);
  }

  /** Ends all connections. Messages under way are not acknowledged unless they are durable; wills are not published. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    await this.#items?.close();
    await new Promise<void>((resolve) => this.#aedes.close(() => resolve()));
    await this.#calls.close();
  }

  #aedesOptions(): AedesOptions {
    return {
      // A slow subscriber must not hold back the messages of others.
      concurrency: 0,
      connectTimeout: connectMsMax,
      drainTimeout: drainMs,
      maxClientsIdLength: Number.POSITIVE_INFINITY,
      preConnect: (client, packet, done) => {
        this.#connect(client, packet).then(
          () => done(null, true),
          (error: Error) => done(error, false),
        );
      },
      authenticate: (client, _name, _password, done) => done(null, this.#sessionOf.has(client)),
      authorizePublish: (client, packet, done) => {
        this.#receive(client, packet).then(() => done(null), done);
      },
      authorizeSubscribe: (client, subscription, done) => {
        const subscribing = this.#sessionOf.get(client)?.subscribe(subscription.topic);
        Promise.resolve(subscribing).then(
          (isAllowed) => done(null, isAllowed === true ? withoutQos2(subscription) : null),
          done,
        );
      },
      authorizeForward: (client, packet) => (this.#maySend(client, packet) ? packet : null),
    };
  }

  /** Authenticates a client before aedes knows its ID, so that nothing happens to the session of another client of that ID. */
  async #connect(client: Client, packet: ConnectPacket): Promise<void> {
    const stream = streamOf(client);
    await this.#options.catchUp();
    const admission = await admit(this.#options, packet, stream.address);
    if (admission.caller === null) {
      stream.write(refusalBytes(packet, admission.code));
      throw new Error('the client was refused');
    }
    if (stream.destroyed || this.#isClosing) throw new Error('the connection has ended');
    packet.clientId = admission.clientId;
    // Sessions do not outlast their connections: what aedes would keep of them in memory has no bounds.
    packet.clean = true;
    const session = new Session(admission.caller, stream, this.#shared);
    this.#sessionOf.set(client, session);
    this.#sessions.add(session);
    stream.once('close', () => {
      this.#sessions.delete(session);
      session.end();
    });
    stream.noteKnown();
  }

  /** A message of a client, or its will, which comes after its connection has ended. */
  async #receive(client: Client | null, packet: PublishPacket): Promise<void> {
    const session = client === null ? undefined : this.#sessionOf.get(client);
    const isEnding = this.#isClosing || session?.isRevoked === true;
    if (client === null || session === undefined || isEnding) throw new Error('the connection has ended');
    const isWill = client.closed;
    if (!isWill && session.isRepeated(packet)) return session.stream.settle();
    try {
      const { topic } = packet;
      packet.topic = fullTopic(topic, session.caller.integration);
      const payload = bytesOf(packet.payload);
      // Wills of connections that end together come together; other messages come in a step of their connection.
      const receiving = isWill
        ? this.#options.load.step(session.address, () => session.receive(topic, payload))
        : session.receive(topic, payload);
      const isAccepted = await receiving;
      this.#messageCount++;
      if (isAccepted) return;
      this.#rejectedCount++;
      this.#aedes.withhold(packet);
    } finally {
      if (!isWill) session.stream.settle();
    }
  }

  #maySend(client: Client, packet: AedesPublishPacket): boolean {
    const session = this.#sessionOf.get(client);
    if (session === undefined || !session.mayReceive(packet.topic)) return false;
    if (session.stream.unsentBytes <= unsentBytesMax) return true;
    session.stream.cut();
    return false;
  }

  #queueOf(integration: string, method: string): ValueQueue {
    return this.#queues.getOrInsertComputed(integration, () => {
      return new ValueQueue({
        ...{ calls: this.#calls, clock: this.#options.clock, method },
        subscriberCount: () => this.#filterCounts.get(integration) ?? 0,
        onIdle: () => void this.#queues.delete(integration),
      });
    });
  }

  #describe(integration: string, topic: string, fault: Fault): void {
    const payload = JSON.stringify({ ...fault, topic: topic.slice(0, topicCharactersMax) });
    this.#send(errorsTopic(integration), payload, () => {});
  }

  #send(topic: string, payload: string, onSent: () => void): void {
    this.#aedes.publish({ cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false }, onSent);
  }

  /** What a client would get as retained: the newest values of items, which are in the store. */
  #sendLatest(filters: readonly Subscription[], client: Client): void {
    const isAllowed = (topic: string) => this.#sessionOf.get(client)?.mayReceive(topic) === true;
    for (const { topic, qos } of filters) {
      const found = parseItemTopic(topic);
      if (found === null || this.#items === null || Number(qos) > 2 || !isAllowed(topic)) continue;
      const message = { cmd: 'publish', topic, dup: false, retain: true, qos: qos === 0 ? 0 : 1 } as const;
      this.#items.latest(found.item, found.isFrame).then(
        (payload) => payload === null || client.closed || client.publish({ ...message, payload }, () => {}),
        (error: unknown) => this.#options.log.warn('the newest value of an item cannot be read', { error }),
      );
    }
  }

  /** Takes memory for a large message before it is read. */
  async #reserve(bytes: number, address: string): Promise<() => void> {
    const { load, limits } = this.#options;
    const ticket = load.open(address, () => AbortSignal.timeout(limits.requestTimeoutMs));
    try {
      await ticket.hold('body').take(bytes);
      return () => ticket.close();
    } catch (error) {
      ticket.close();
      throw error;
    }
  }

  /** Ends the connections of credentials that have ended, and notes which grants the others have now. */
  async #recheck(): Promise<void> {
    try {
      await this.#options.catchUp();
    } catch (error) {
      this.#options.log.warn('credentials cannot be read; trying again', { error });
    }
    for (const session of this.#sessions) {
      const caller = this.#options.authenticator.recheck(session.caller, null);
      if (caller !== null) session.caller = caller;
      else {
        session.isRevoked = true;
        session.stream.cut();
      }
    }
  }
}

function streamOf({ conn }: Client): PacketStream {
  return conn instanceof PacketStream ? conn : bug('a connection of the broker is not a packet stream');
}

/** Subscribers get messages with QoS 1 at most. */
function withoutQos2(subscription: Subscription): Subscription {
  return subscription.qos === 2 ? { ...subscription, qos: 1 } : subscription;
}

function bytesOf(payload: Buffer | string): Buffer {
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
}
