/** The embedded broker (M1-M4): aedes speaks MQTT; who may connect, and what messages mean and cost, is decided here. */
import type { EventEmitter } from 'node:events';
import type {
  AedesOptions,
  AedesPublishPacket,
  Client,
  ConnectPacket,
  PublishPacket,
  Subscription,
} from 'aedes';
import type { Clock, Log } from '#model/environment';
import { AppError, bug } from '#model/error';
import type { Fault } from '#protocol/fault';
import { type AdmissionOptions, admit, refusalBytes } from './admission.ts';
import { CallBroker } from './call-broker.ts';
import { ItemFeed, type LiveItems, type Send } from './item-feed.ts';
import { MessageCalls, type MessageCallsOptions, type Sender } from './message-calls.ts';
import { PacedQueue } from './paced-queue.ts';
import { PacketStream, type Wire } from './packet-stream.ts';
import { AedesPersistence } from './persistent/aedes-persistence.ts';
import type { PersistentSession } from './persistent/persistent-session.ts';
import { PersistentSessions, type PersistentSessionsOptions } from './persistent/persistent-sessions.ts';
import { rejectionText } from './rejection.ts';
import { Session, type SessionOptions } from './session.ts';
import { errorsTopic, fullTopic, parseItemTopic } from './topics.ts';
import { MessagesUnderWay } from './under-way.ts';
import { ValueQueues } from './value-queues.ts';

/** Counts for each integration. */
export interface Traffic {
  /** A client has connected; what is returned is called when its connection has ended. */
  connect(integration: string): () => void;
  note(integration: string, kind: 'received' | 'rejected' | 'delivered'): void;
}

/** Options of {@link Broker}. */
export interface BrokerOptions extends MessageCallsOptions, AdmissionOptions {
  clock: Clock;
  log: Log;
  traffic: Traffic;
  limits: MessageCallsOptions['limits'] & PersistentSessionsOptions['limits'];
  /** Where persistent sessions are stored. */
  sessions: Pick<PersistentSessionsOptions, 'store' | 'isShared' | 'owner'>;
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
  /** Persistent sessions, messages that wait for their clients, and messages for which there was no room. */
  sessionCount: number;
  queuedCount: number;
  droppedCount: number;
}

/** A client that exceeds one of these is disconnected. */
const clientMost = {
  /** What it has yet to receive, bytes. */
  unsentBytes: 1024 * 1024,
  /** How long it takes nothing, ms. */
  drainMs: 30_000,
  /** Time for a CONNECT, ms. */
  connectMs: 10_000,
} as const;

/** How often it is checked whether credentials are still good, ms: they end their connections within a second. */
const recheckMs = 400;

/** One for a service: it is on the first thread, so that sessions and client IDs are those of the whole service. */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #calls: MessageCalls;
  readonly #aedes: CallBroker;
  readonly #sessionOf = new WeakMap<Client, Session>();
  readonly #sessions = new Set<Session>();
  readonly #connects = new PacedQueue(8);
  readonly #ends = new PacedQueue(16);
  readonly #deliveries = new PacedQueue(12);
  readonly #writes = new PacedQueue(16);
  readonly #underWay = new MessagesUnderWay();
  readonly #shared: SessionOptions;
  readonly #items: ItemFeed | null;
  readonly #persistent: PersistentSessions;
  readonly #timer: NodeJS.Timeout;
  #messageCount = 0;
  #rejectedCount = 0;
  #isClosing = false;

  private constructor(options: BrokerOptions, calls: MessageCalls, persistent: PersistentSessions) {
    this.#options = options;
    this.#calls = calls;
    this.#persistent = persistent;
    const room = () => this.#deliveries.room();
    const queues = new ValueQueues({ calls, clock: options.clock, room });
    this.#shared = {
      calls,
      queueOf: (integration, method) => queues.of(integration, method),
      refusalOf: async (item) => options.items?.refusalOf(item) ?? null,
      addItem: async (item) => this.#items?.add(item),
      dropItem: (item) => this.#items?.drop(item),
      onRejected: (session, topic, fault) => this.#describe(session, topic, fault),
      mayPersist: (session) => persistent.hasRoomFor(session),
      onDelivered: ({ caller }) => options.traffic.note(caller.integration, 'delivered'),
    };
    this.#aedes = new CallBroker(this.#aedesOptions(), this.#deliveries);
    const { items = null, log } = options;
    const send: Send = (...message) => this.#aedes.send(...message);
    this.#items = items && new ItemFeed({ items, log, room, send });
    this.#aedes.on('connackSent', (_packet, client) => this.#attach(client));
    this.#aedes.on('subscribe', (filters, client) => this.#sendLatest(filters, client));
    this.#aedes.on('unsubscribe', (filters, client) => this.#sessionOf.get(client)?.unsubscribe(filters));
    const failures: EventEmitter = this.#aedes;
    failures.on('error', (error: unknown) => options.log.error('the broker has failed', { error }));
    this.#timer = setInterval(() => void this.#recheck(), recheckMs).unref();
  }

  /** Starts a broker that connections can be given to. */
  static async open(options: BrokerOptions): Promise<Broker> {
    const { items = null, sessions } = options;
    const calls = new MessageCalls(options);
    const onFull = (session: PersistentSession, sender: Sender) => void broker.#describeFull(session, sender);
    const persistent = await PersistentSessions.open({ ...options, ...sessions, items, onFull });
    const broker = new Broker(options, calls, persistent);
    await broker.#aedes.listen();
    return broker;
  }

  /** What is under way and has been done. */
  get figures(): MqttFigures {
    return {
      connectionCount: this.#sessions.size,
      messageCount: this.#messageCount,
      rejectedCount: this.#rejectedCount,
      ...this.#persistent.figures,
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
      writes: this.#writes,
      underWay: this.#underWay,
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
    await this.#persistent.close();
  }

  #aedesOptions(): AedesOptions {
    return {
      // A slow subscriber must not hold back the messages of others.
      concurrency: 0,
      connectTimeout: clientMost.connectMs,
      drainTimeout: clientMost.drainMs,
      maxClientsIdLength: Number.POSITIVE_INFINITY,
      persistence: this.#persistence(),
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
        this.#subscribe(client, subscription).then(
          (isAllowed) => done(null, isAllowed ? withoutQos2(subscription) : null),
          done,
        );
      },
      authorizeForward: (client, packet) => (this.#maySend(client, packet) ? packet : null),
    };
  }

  #persistence(): AedesPersistence {
    const sessionOf = (client: Client) => this.#sessionOf.get(client);
    return new AedesPersistence({
      filtersOf: (clientId) => this.#persistent.filtersOf(clientId),
      end: (clientId) => this.#persistent.end(clientId),
      keep: async (client, filters) => {
        const session = sessionOf(client);
        if (session?.persistent == null) return;
        const granted = new Set(session.subscribed(filters.map(({ topic }) => topic)));
        await this.#persistent.keep(
          session.persistent,
          filters.filter(({ topic }) => granted.has(topic)),
        );
      },
      drop: async (client, topics) => {
        const persistent = sessionOf(client)?.persistent ?? null;
        if (persistent !== null) await this.#persistent.drop(persistent, topics);
      },
      acknowledge: (client, messageId) => {
        const session = sessionOf(client);
        session?.persistent?.acknowledge(session, messageId);
      },
    });
  }

  /** Authenticates a client before aedes knows its ID, so that nothing happens to the session of another client of that ID. */
  async #connect(client: Client, packet: ConnectPacket): Promise<void> {
    const stream = streamOf(client);
    // The step in which the packet was read does not count what follows.
    await new Promise<void>((resolve) => this.#connects.add(resolve));
    await this.#options.catchUp();
    const admission = await admit(this.#options, packet, stream.address);
    if (admission.caller === null) {
      stream.write(refusalBytes(packet, admission.code));
      throw new Error('the client was refused');
    }
    if (stream.destroyed || this.#isClosing) throw new Error('the connection has ended');
    packet.clientId = admission.clientId;
    const { integration } = admission.caller;
    const isPersistent = packet.clean === false;
    const persistent = isPersistent ? await this.#persistent.prepare(packet.clientId, integration) : null;
    if (stream.destroyed || this.#isClosing) throw new Error('the connection has ended');
    const session = new Session(admission.caller, stream, persistent, this.#shared);
    this.#sessionOf.set(client, session);
    this.#sessions.add(session);
    const disconnect = this.#options.traffic.connect(integration);
    stream.once('close', () => {
      disconnect();
      this.#sessions.delete(session);
      session.end();
    });
    stream.noteKnown(integration);
  }

  /** What has waited for a client is sent when it knows that it has a session. */
  #attach(client: Client): void {
    const session = this.#sessionOf.get(client);
    if (session !== undefined && !session.stream.destroyed) session.persistent?.attach(session);
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
      this.#options.traffic.note(session.caller.integration, 'received');
      if (isAccepted && packet.qos > 0)
        await this.#persistent.queue(session, { topic: packet.topic, payload });
      if (isAccepted) return;
      this.#rejectedCount++;
      this.#options.traffic.note(session.caller.integration, 'rejected');
      this.#aedes.withhold(packet);
    } finally {
      if (!isWill) session.stream.settle();
    }
  }

  async #subscribe(client: Client, subscription: Subscription): Promise<boolean> {
    const session = this.#sessionOf.get(client);
    if (session === undefined) return false;
    return this.#options.load.step(session.address, () => session.subscribe(subscription));
  }

  #maySend(client: Client, packet: AedesPublishPacket): boolean {
    const session = this.#sessionOf.get(client);
    if (session === undefined || !session.mayReceive(packet.topic)) return false;
    // These are sent from the store.
    if (packet.qos > 0 && session.persistent?.takes(packet.topic) === true) return false;
    if (session.stream.unsentBytes > clientMost.unsentBytes) {
      session.stream.cut();
      return false;
    }
    this.#shared.onDelivered(session);
    return true;
  }

  /** Resolves when the description is durable for those that are away. */
  async #describe(sender: Sender, about: string, fault: Fault): Promise<void> {
    const text = rejectionText(fault, about);
    const topic = errorsTopic(sender.caller.integration);
    this.#aedes.send(topic, text, () => {});
    await this.#persistent.queue(sender, { topic, payload: Buffer.from(text) });
  }

  async #describeFull({ id, queuedCount }: PersistentSession, sender: Sender): Promise<void> {
    const client = id.slice(id.indexOf('/') + 1);
    const words = `The session of the client ${client} has no room: ${queuedCount} messages wait for it, and further ones are not queued until it takes them`;
    try {
      const fault = await this.#calls.refuse(new AppError('unavailable', words), sender);
      if (fault !== null) await this.#describe(sender, client, fault);
    } catch (error) {
      this.#options.log.warn('a full session of the broker cannot be described', { error });
    }
  }

  /** What a client would get as retained: the newest values of items, which are in the store. */
  #sendLatest(filters: readonly Subscription[], client: Client): void {
    const session = this.#sessionOf.get(client);
    session?.persistent?.sendLatest(filters.map(({ topic }) => topic));
    const isAllowed = (topic: string) =>
      session?.mayReceive(topic) === true && session.persistent?.takes(topic) !== true;
    for (const { topic, qos } of filters) {
      const found = parseItemTopic(topic);
      if (found === null || this.#items === null || Number(qos) > 2 || !isAllowed(topic)) continue;
      void this.#sendNewest(client, { topic, qos: qos === 0 ? 0 : 1 }, found);
    }
  }

  async #sendNewest(
    client: Client,
    { topic, qos }: Pick<PublishPacket, 'topic' | 'qos'>,
    { item, isFrame }: { item: string; isFrame: boolean },
  ): Promise<void> {
    const { load, log } = this.#options;
    try {
      const read = () => this.#items?.latest(item, isFrame);
      const payload = await load.step(streamOf(client).address, read);
      if (payload == null) return;
      const message = { cmd: 'publish', topic, dup: false, retain: true, qos, payload } as const;
      // After the messages that were sent before.
      this.#deliveries.add(() => client.closed || client.publish(message, () => {}));
    } catch (error) {
      log.warn('the newest value of an item cannot be read', { error });
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
