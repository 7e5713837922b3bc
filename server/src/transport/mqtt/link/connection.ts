/** One connection to another broker, as a client of it: sign in, subscribe, receive, acknowledge, publish. */
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import mqttPacket, {
  type IConnackPacket,
  type IPublishPacket,
  type ISubackPacket,
  type Packet,
} from 'mqtt-packet';
import type { Stopwatch } from '#model/environment';
import { type LargeMessage, type MqttVersion, PacketIntake } from './packet-intake.ts';
import { isVersionRefusal, refusalWords } from './refusal.ts';

/** Where the broker is, and who the service is there. */
export interface BrokerTarget {
  host: string;
  port: number;
  isSecure: boolean;
  /** Certificates of the CA in PEM; null: those that the system knows. */
  ca: string | null;
  user: string;
  password: string;
}

/** Options of {@link BrokerConnection}. */
export interface ConnectionOptions {
  stopwatch: Stopwatch;
  target: BrokerTarget;
  version: MqttVersion;
  clientId: string;
  /** How long the broker keeps the session without a connection, s; 0: not at all. */
  sessionS: number;
  messageBytesMax(): number;
  /** Runs a step when it is this connection's turn on the event loop. */
  step(work: () => void): Promise<void>;
  onMessage(packet: IPublishPacket): void;
  onTooLarge(message: LargeMessage): void;
}

/** The broker has refused something for a reason that it told. */
export class BrokerRefusal extends Error {
  override readonly name = 'BrokerRefusal';
  /** Whether another version of the protocol may be accepted. */
  readonly isVersion: boolean;

  constructor(words: string, isVersion = false) {
    super(words);
    this.isVersion = isVersion;
  }
}

/** Time for a connection to be accepted, and for an answer, ms. */
const answerMsMax = 15_000;

/** After so long without a packet a ping is sent; after twice that the broker is taken for gone. */
const pingMs = 20_000;
const keepAliveS = 60;

/** Messages that are under way at one time: to the broker, if it does not want fewer, and from it; it may send fewer. */
const underWayMost = { sent: 20, received: 200 } as const;

/** One connection. */
export class BrokerConnection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (packet: Packet) => void>();
  readonly #ended = Promise.withResolvers<Error>();
  #onConnack: ((packet: IConnackPacket) => void) | null = null;
  #sendingMax: number = underWayMost.sent;
  #onRoom: (() => void)[] = [];
  #lastId = 0;
  #holds = 0;
  #heardMs: number;
  #timer: NodeJS.Timeout | null = null;
  #error: Error | null = null;

  private constructor(options: ConnectionOptions, socket: Socket) {
    this.#options = options;
    this.#heardMs = options.stopwatch.elapsedMs();
    this.#socket = socket;
    const { version, messageBytesMax, onTooLarge } = options;
    const onPacket = (packet: Packet) => this.#onPacket(packet);
    const intake = new PacketIntake({ version, messageBytesMax, onPacket, onTooLarge });
    socket.on('data', (chunk: Buffer) => void this.#receive(() => intake.feed(chunk)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the broker has ended the connection')));
  }

  /** Connects and signs in. Rejects with {@link BrokerRefusal}, or with the system's error. */
  static async open(options: ConnectionOptions): Promise<BrokerConnection> {
    const connection = new BrokerConnection(options, await openSocket(options.target));
    try {
      await connection.#signIn();
      return connection;
    } catch (error) {
      connection.#socket.destroy();
      throw error;
    }
  }

  /** Resolves with the reason when the connection has ended. */
  get ended(): Promise<Error> {
    return this.#ended.promise;
  }

  /** Whether it has ended. */
  get isEnded(): boolean {
    return this.#error !== null;
  }

  /** The address of the broker. */
  get address(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** Subscribes with QoS 1. Rejects with {@link BrokerRefusal} when one of the filters is refused. */
  async subscribe(filters: readonly string[]): Promise<void> {
    const subscriptions = filters.map((topic) => ({ topic, qos: 1 as const }));
    const answer = await this.#ask((messageId) => ({ cmd: 'subscribe', messageId, subscriptions }));
    const granted = (answer as ISubackPacket).granted as number[];
    const refused = filters.filter((_, i) => granted[i] >= 128);
    if (refused.length > 0)
      throw new BrokerRefusal(
        `the broker refuses subscriptions: let the user ${this.#options.target.user} subscribe to ${refused.join(', ')}`,
      );
  }

  /** Sends a message with QoS 1; resolves when the broker has it. Waits while too many are under way. Rejects as {@link subscribe} does. */
  async publish(topic: string, payload: string, retain: boolean): Promise<void> {
    while (this.#error === null && this.#waiting.size >= this.#sendingMax)
      await new Promise<void>((resolve) => this.#onRoom.push(resolve));
    await this.#ask((messageId) => ({
      cmd: 'publish',
      messageId,
      topic,
      payload,
      retain,
      qos: 1,
      dup: false,
    }));
  }

  /** Tells the broker that a message has been dealt with. */
  acknowledge(messageId: number): void {
    if (this.#error === null) this.#write({ cmd: 'puback', messageId, reasonCode: 0 });
  }

  /** Reads nothing until {@link release} has been called as often. */
  hold(): void {
    this.#holds++;
    this.#socket.pause();
  }

  /** Reads on, if nothing else holds it. */
  release(): void {
    if (--this.#holds === 0) this.#socket.resume();
  }

  /** Takes leave of the broker. */
  async end(): Promise<void> {
    if (this.#error !== null) return;
    this.#write({ cmd: 'disconnect', reasonCode: 0 });
    this.#fail(new Error('the service has ended the connection'));
    this.#socket.end();
    const cut = setTimeout(() => this.#socket.destroy(), 1000);
    if (!this.#socket.closed) await once(this.#socket, 'close').catch(() => undefined);
    clearTimeout(cut);
  }

  async #signIn(): Promise<void> {
    const { target, version, clientId, sessionS } = this.#options;
    const answered = new Promise<IConnackPacket>((resolve) => {
      this.#onConnack = resolve;
    });
    this.#write({
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: version, clientId, clean: sessionS === 0 },
      ...{ keepalive: keepAliveS, username: target.user, password: Buffer.from(target.password) },
      ...(version === 5
        ? { properties: { sessionExpiryInterval: sessionS, receiveMaximum: underWayMost.received } }
        : {}),
    });
    const { reasonCode, returnCode, properties } = await this.#within(answered);
    const code = reasonCode ?? returnCode ?? 0;
    if (code !== 0) throw new BrokerRefusal(refusalWords(code, target.user), isVersionRefusal(code));
    this.#sendingMax = Math.min(underWayMost.sent, properties?.receiveMaximum ?? underWayMost.sent);
    const keptS = properties?.serverKeepAlive ?? keepAliveS;
    this.#timer = setInterval(() => this.#ping(), Math.min(pingMs, 500 * keptS)).unref();
  }

  /** Sends a packet with a number, and waits for the answer with that number. */
  async #ask(packetOf: (messageId: number) => Packet): Promise<Packet> {
    if (this.#error !== null) throw this.#error;
    const messageId = this.#freeId();
    const answered = new Promise<Packet>((resolve) => this.#waiting.set(messageId, resolve));
    this.#write(packetOf(messageId));
    return this.#within(answered);
  }

  #freeId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1;
    while (this.#waiting.has(this.#lastId));
    return this.#lastId;
  }

  /** Waits for an answer, but not for ever: then the connection ends. */
  async #within<T>(answered: Promise<T>): Promise<T> {
    const late = setTimeout(() => this.#fail(new Error('the broker does not answer')), answerMsMax);
    const ended = this.#ended.promise.then((error) => {
      throw error;
    });
    try {
      return await Promise.race([answered, ended]);
    } finally {
      clearTimeout(late);
    }
  }

  async #receive(read: () => void): Promise<void> {
    this.hold();
    try {
      await this.#options.step(() => {
        this.#heardMs = this.#options.stopwatch.elapsedMs();
        if (this.#error === null) read();
      });
    } catch (error) {
      this.#fail(error as Error);
    }
    this.release();
  }

  #onPacket(packet: Packet): void {
    if (packet.cmd === 'connack') this.#onConnack?.(packet);
    else if (packet.cmd === 'publish') this.#options.onMessage(packet);
    else if (packet.cmd === 'suback' || packet.cmd === 'puback') this.#onAnswer(packet);
    else if (packet.cmd === 'disconnect')
      this.#fail(new BrokerRefusal(refusalWords(packet.reasonCode ?? 0, this.#options.target.user)));
  }

  #onAnswer(packet: Packet): void {
    const { messageId = 0 } = packet;
    this.#waiting.get(messageId)?.(packet);
    this.#waiting.delete(messageId);
    this.#onRoom.shift()?.();
  }

  #ping(): void {
    const silentMs = this.#options.stopwatch.elapsedMs() - this.#heardMs;
    if (silentMs > 2 * pingMs) this.#fail(new Error('the broker does not answer'));
    else this.#write({ cmd: 'pingreq' });
  }

  #write(packet: Packet): void {
    this.#socket.write(mqttPacket.generate(packet, { protocolVersion: this.#options.version }));
  }

  #fail(error: Error): void {
    if (this.#error !== null) return;
    this.#error = error;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#socket.writable) this.#socket.destroySoon();
    this.#ended.resolve(error);
    for (const wake of this.#onRoom.splice(0)) wake();
  }
}

async function openSocket({ host, port, isSecure, ca }: BrokerTarget): Promise<Socket> {
  const socket = isSecure
    ? connectSecure({ host, port, ca: ca ?? undefined, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain({ host, port });
  const late = setTimeout(() => socket.destroy(new Error('the broker does not answer')), answerMsMax);
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return socket.setNoDelay(true);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}
