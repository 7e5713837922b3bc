/**
 * Messages from one thread to another over a pair of sockets. The sender of a message port holds a lock while it wakes the receiver:
 * where the receiver has the higher priority, it takes the processor from the sender and then waits for the lock until the sender
 * runs again. Sockets of the system have no such lock. See docs/decisions/0057-replies-over-sockets.md.
 */
import { Socket } from 'node:net';
import { Deserializer, Serializer } from 'node:v8';
import { linuxFunctions } from './c-library.ts';

/** `AF_UNIX`, and `SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC`, on Linux. */
const unixFamily = 1;
const streamType = 0o2004001;

/** Before each message is the number of its bytes, in so many bytes. */
const headBytes = 4;

/** Bytes that are received at a time. */
const receivedBytes = 64 * 1024;

/** The file descriptors of two sockets that are connected to each other; null where the runtime cannot make them. */
export function openSocketPair(): Int32Array | null {
  const functions = linuxFunctions({
    socketpair: { arguments: ['i32', 'i32', 'i32', 'buffer'], return: 'i32' },
  });
  const descriptors = new Int32Array(2);
  const result = functions?.socketpair(unixFamily, streamType, 0, new Uint8Array(descriptors.buffer));
  return result === 0 ? descriptors : null;
}

/** The sending end. */
export class MessageSender {
  readonly #socket: Socket;

  /** Takes over the file descriptor. `lost` is called if messages can no longer be sent, since the other end is closed. */
  constructor(descriptor: number, lost: () => void) {
    this.#socket = new Socket({ fd: descriptor, readable: false, writable: true });
    this.#socket.on('error', lost);
  }

  /** Sends a copy of a value, with all buffers in it. The value must be one that can be cloned. */
  send(value: unknown): void {
    const serializer = new Serializer();
    serializer.writeRawBytes(new Uint8Array(headBytes));
    serializer.writeHeader();
    serializer.writeValue(value);
    const bytes = serializer.releaseBuffer();
    bytes.writeUInt32LE(bytes.length - headBytes);
    this.#socket.write(bytes);
  }

  /** Ends the connection after what was sent. */
  end(): void {
    this.#socket.end();
  }
}

/** What the receiver does. */
interface Receiver {
  receive(message: unknown): void;
  /** No message will come any more. */
  ended(): void;
}

/** The receiving end. Takes over the file descriptor. */
export function receiveMessages(descriptor: number, { receive, ended }: Receiver): { close(): void } {
  const messages = new MessageParser(receive);
  const socket = new Socket({
    ...{ fd: descriptor, readable: true, writable: false },
    onread: {
      buffer: Buffer.allocUnsafeSlow(receivedBytes),
      callback(count, { buffer }) {
        messages.add(Buffer.from(buffer, 0, count));
        return true;
      },
    },
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', ended);
  socket.resume();
  return { close: () => socket.destroy() };
}

/** Makes messages of the bytes that come. */
class MessageParser {
  readonly #receive: (message: unknown) => void;
  /** Of a message that has not come whole, in parts. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** The first bytes of that message, as far as is known how many it has. */
  #neededBytes = headBytes;

  constructor(receive: (message: unknown) => void) {
    this.#receive = receive;
  }

  /** The caller may change the bytes afterwards. */
  add(bytes: Buffer): void {
    if (this.#keptBytes + bytes.length < this.#neededBytes) this.#keep(Buffer.from(bytes));
    else this.#parse(this.#keptBytes === 0 ? bytes : Buffer.concat([...this.#kept, bytes]));
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
  }

  #parse(bytes: Buffer): void {
    let rest = bytes;
    this.#neededBytes = neededOf(rest);
    while (rest.length >= this.#neededBytes) {
      this.#receive(messageIn(rest.subarray(headBytes, this.#neededBytes)));
      rest = rest.subarray(this.#neededBytes);
      this.#neededBytes = neededOf(rest);
    }
    this.#kept = [];
    this.#keptBytes = 0;
    this.#keep(Buffer.from(rest));
  }
}

/** The bytes of the message that begins here, its head included; those of the head while that is not there. */
function neededOf(bytes: Buffer): number {
  return bytes.length < headBytes ? headBytes : headBytes + bytes.readUInt32LE();
}

/** The message is a copy. */
function messageIn(bytes: Buffer): unknown {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
