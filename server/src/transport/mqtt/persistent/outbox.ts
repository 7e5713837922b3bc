/** Messages of QoS 1 on their way to one connection: so many at one time, each until the client has acknowledged it. */
import { publishPacket, type WaitingMessage } from './message.ts';

/** Where packets are written. */
export interface OutboxWire {
  write(bytes: Buffer): unknown;
}

/** The connection has ended before the client acknowledged a message. */
export class OutboxEnded extends Error {
  override readonly name = 'OutboxEnded';
}

/** Messages that may be on their way, and their bytes, which one alone may exceed. */
const onTheWayMax = 100;
const bytesMax = 256 * 1024;

const messageIdMax = 65_535;

interface OnTheWay {
  bytes: number;
  done(): void;
  fail(error: Error): void;
}

interface Sending extends OnTheWay {
  message: WaitingMessage;
  dup: boolean;
  retain: boolean;
}

/** The messages of one connection. */
export class Outbox {
  readonly #wire: OutboxWire;
  readonly #waiting: Sending[] = [];
  readonly #onTheWay = new Map<number, OnTheWay>();
  #bytes = 0;
  #lastId = 0;
  #isEnded = false;

  constructor(wire: OutboxWire) {
    this.#wire = wire;
  }

  /** Sends a message, after those before it; resolves when the client has acknowledged it. Rejects with `OutboxEnded`. */
  send(message: WaitingMessage, { dup = false, retain = false } = {}): Promise<void> {
    return new Promise((done, fail) => {
      const bytes = message.topic.length + message.payload.length;
      this.#waiting.push({ message, dup, retain, bytes, done, fail });
      this.#sendNext();
    });
  }

  /** The client has acknowledged a message. */
  acknowledge(messageId: number): void {
    const sent = this.#onTheWay.get(messageId);
    if (sent === undefined) return;
    this.#onTheWay.delete(messageId);
    this.#bytes -= sent.bytes;
    sent.done();
    this.#sendNext();
  }

  /** The connection has ended. */
  end(): void {
    this.#isEnded = true;
    const ended = new OutboxEnded('the connection has ended');
    for (const { fail } of [...this.#onTheWay.values(), ...this.#waiting.splice(0)]) fail(ended);
    this.#onTheWay.clear();
  }

  #sendNext(): void {
    if (this.#isEnded) this.end();
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const [next] = this.#waiting.splice(0, 1);
      const messageId = this.#takeId();
      this.#onTheWay.set(messageId, next);
      this.#bytes += next.bytes;
      this.#wire.write(publishPacket(next.message, { messageId, dup: next.dup, retain: next.retain }));
    }
  }

  #hasRoom(): boolean {
    const { size } = this.#onTheWay;
    return size === 0 || (size < onTheWayMax && this.#bytes + this.#waiting[0].bytes <= bytesMax);
  }

  #takeId(): number {
    do this.#lastId = (this.#lastId % messageIdMax) + 1;
    while (this.#onTheWay.has(this.#lastId));
    return this.#lastId;
  }
}
