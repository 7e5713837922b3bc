/** A client of MQTT 3.1.1 that costs little: the packets of a measurement, and nothing else. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const kinds = { connect: 0x10, publish: 0x32, subscribe: 0x82 } as const;
const puback = 0x40;
const message = 3;

/** One connection. */
export class MqttLink {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, () => void>();
  #onMessage: (() => void) | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Connects, and resolves when the broker has accepted it. */
  static async open(port: number, user: string, password: string): Promise<MqttLink> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    // Clean, with user name and password, without keep-alive.
    const head = Buffer.from([0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0xc2, 0, 0]);
    socket.write(packet(kinds.connect, head, text(''), text(user), text(password)));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (answer[3] !== 0) throw new Error(`the broker refuses the connection: ${answer[3]}`);
    return new MqttLink(socket);
  }

  /** Publishes with QoS 1; resolves when the broker has acknowledged it. */
  publish(topic: string, payload: string): Promise<void> {
    return this.#send((id) => packet(kinds.publish, text(topic), id, Buffer.from(payload)));
  }

  /** Subscribes with QoS 1. */
  subscribe(filter: string): Promise<void> {
    return this.#send((id) => packet(kinds.subscribe, id, text(filter), Buffer.of(1)));
  }

  /** Resolves when the next message arrives. */
  nextMessage(): Promise<void> {
    return new Promise((resolve) => {
      this.#onMessage = resolve;
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#socket.destroy();
  }

  #send(make: (id: Buffer) => Buffer): Promise<void> {
    this.#lastId = (this.#lastId % 65_535) + 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.write(make(uint16(id)));
    });
  }

  #read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = packetEnd(bytes); end > 0; end = packetEnd(bytes)) {
      this.#onPacket(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }

  #onPacket(bytes: Buffer): void {
    if (bytes[0] >> 4 === message) {
      const topicBytes = bytes.readUInt16BE(headBytes(bytes));
      const id = bytes.readUInt16BE(headBytes(bytes) + 2 + topicBytes);
      this.#socket.write(Buffer.concat([Buffer.of(puback, 2), uint16(id)]));
      this.#onMessage?.();
      return;
    }
    const id = bytes.readUInt16BE(2);
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

function text(value: string): Buffer {
  return Buffer.concat([uint16(Buffer.byteLength(value)), Buffer.from(value)]);
}

function packet(kind: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let left = body.length; ; left >>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return Buffer.concat([Buffer.from([kind, ...length]), body]);
}

/** The bytes before the variable header. */
function headBytes(bytes: Buffer): number {
  let at = 1;
  while (bytes[at] > 127) at++;
  return at + 1;
}

/** Where the first packet ends; 0: it is not complete. */
function packetEnd(bytes: Buffer): number {
  let length = 0;
  for (let at = 1; at < bytes.length; at++) {
    length += (bytes[at] & 127) * 128 ** (at - 1);
    if (bytes[at] < 128) return bytes.length >= at + 1 + length ? at + 1 + length : 0;
  }
  return 0;
}
