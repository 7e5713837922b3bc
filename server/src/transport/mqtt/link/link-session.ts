/**
 * One session at another broker: it stays there without a connection, and the broker gives each message to one of the sessions. What
 * has arrived is acknowledged when it is durable; whatever was not, the broker gives to the next connection of the session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IPublishPacket } from 'mqtt-packet';
import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { BrokerConnection } from './connection.ts';
import { KeptConnection, type KeptConnectionOptions } from './kept-connection.ts';
import type { LargeMessage, MqttVersion } from './packet-intake.ts';

/** What deals with the messages. */
export interface LinkReceiver {
  /** Resolves when a message is durable or rejected. Rejects when it could not be dealt with. */
  receive(topic: string, payload: Buffer): Promise<void>;
  /** Rejects a message that cannot be read. */
  refuse(topic: string, error: AppError): Promise<void>;
  /** Forgets the senders: their order is that of one connection. */
  reset(): void;
}

/** What a connection tells its session. */
export interface SessionEvents {
  onMessage(packet: IPublishPacket): void;
  onTooLarge(message: LargeMessage): void;
}

/** Options of {@link LinkSession}. */
export interface LinkSessionOptions extends Omit<KeptConnectionOptions, 'connect' | 'onConnected'> {
  filters: readonly string[];
  connect(version: MqttVersion, events: SessionEvents): Promise<BrokerConnection>;
  receiver: LinkReceiver;
  messageBytesMax(): number;
  log: Log;
}

/** What one session may have under way before it reads no more: messages, and their bytes. */
const underWayMost = { messages: 2000, bytes: 8 * 1024 * 1024 } as const;

/** The wait before a message that could not be dealt with is tried again, ms; it doubles. */
const retryMs = { first: 500, most: 30_000 } as const;

/** How long what has been received may take when the session is left, ms. */
const leaveMsMax = 3000;

/** One session. */
export class LinkSession {
  readonly #options: LinkSessionOptions;
  readonly #kept: KeptConnection;
  #underWay = 0;
  #bytes = 0;
  #onIdle = () => {};
  #isClosing = false;

  constructor(options: LinkSessionOptions) {
    this.#options = options;
    const { filters, receiver } = options;
    this.#kept = new KeptConnection({
      ...options,
      connect: (version) => this.#connect(version),
      onConnected: (connection) => {
        receiver.reset();
        return connection.subscribe(filters);
      },
    });
  }

  /** Whether it has a connection. */
  get isConnected(): boolean {
    return this.#kept.current !== null;
  }

  /** Messages that are being dealt with. */
  get underWayCount(): number {
    return this.#underWay;
  }

  /** Takes nothing more, deals with what has been received, and leaves. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#kept.current?.hold();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    if (this.#underWay > 0) await Promise.race([idle, sleep(leaveMsMax, null, { ref: false })]);
    await this.#kept.close();
  }

  async #connect(version: MqttVersion): Promise<BrokerConnection> {
    // What arrives together with the answer to the CONNECT belongs to it.
    const { promise, resolve } = Promise.withResolvers<BrokerConnection>();
    const connection = await this.#options.connect(version, {
      onMessage: ({ topic, payload, qos, messageId = 0 }) => {
        const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
        const work = () => this.#options.receiver.receive(topic, bytes);
        void this.#deal(promise, qos === 0 ? null : messageId, bytes.length, work);
      },
      onTooLarge: ({ topic, bytes, messageId }) => {
        const words = `Invalid request: the payload has about ${bytes} bytes, at most ${this.#options.messageBytesMax()} are allowed`;
        const work = () => this.#options.receiver.refuse(topic, new AppError('invalid-request', words));
        void this.#deal(promise, messageId, 0, work);
      },
    });
    resolve(connection);
    return connection;
  }

  /** Deals with one message, and acknowledges it. */
  async #deal(
    connecting: Promise<BrokerConnection>,
    messageId: number | null,
    bytes: number,
    work: () => Promise<void>,
  ): Promise<void> {
    this.#underWay++;
    this.#bytes += bytes;
    const connection = await connecting;
    const isHeld = this.#underWay >= underWayMost.messages || this.#bytes >= underWayMost.bytes;
    if (isHeld) connection.hold();
    const isDone = await this.#insist(connection, work);
    if (isDone && messageId !== null) connection.acknowledge(messageId);
    if (isHeld) connection.release();
    this.#bytes -= bytes;
    if (--this.#underWay === 0) this.#onIdle();
  }

  /** Tries until it has succeeded, or the connection has ended: then the broker sends the message again. */
  async #insist(connection: BrokerConnection, work: () => Promise<void>): Promise<boolean> {
    for (let waitMs: number = retryMs.first; ; waitMs = Math.min(retryMs.most, 2 * waitMs)) {
      try {
        await work();
        return true;
      } catch (error) {
        if (connection.isEnded || this.#isClosing) return false;
        this.#options.log.warn('a message of the broker cannot be dealt with; trying again', { error });
      }
      await sleep(waitMs, null, { ref: false });
      if (connection.isEnded || this.#isClosing) return false;
    }
  }
}
