/**
 * Messages from one thread to another over a pair of sockets. The sender of a message port holds a lock while it wakes the receiver:
 * where the receiver has the higher priority, it takes the processor from the sender and then waits for the lock until the sender
 * runs again. Sockets of the system have no such lock. See docs/decisions/0057-replies-over-sockets.md.
 */
import { Socket } from 'node:net';
import { Deserializer, Serializer } from 'node:v8';
import { freeMemory } from '#model/free-memory';
import { linuxFunctions } from './c-library.ts';

/** `AF_UNIX`, and `SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC`, on Linux. */
const unixFamily = 1;
const streamType = 0o2004001;

/** Before each message is the number of its bytes, in so many bytes. */
const headBytes = 4;

/** Bytes that are received at a time. */
const receivedBytes = 64 * 1024;

/** After so many bytes the event loop goes on with something else: to make a message of them takes milliseconds. */
const receivedBytesMax = 256 * 1024;

/** Memory for a message that comes in parts is kept up to this size, bytes. */
const keptBytesMax = 1024 * 1024;

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
  /** Received in this iteration of the event loop, bytes. */
  let receivedNow = 0;
  const goOn = () => {
    if (receivedNow >= receivedBytesMax) socket.resume();
    receivedNow = 0;
  };
  const socket = new Socket({
    ...{ fd: descriptor, readable: true, writable: false },
    onread: {
      buffer: Buffer.allocUnsafeSlow(receivedBytes),
      callback(count, { buffer }) {
        messages.add(Buffer.from(buffer, 0, count));
        if (receivedNow === 0) setImmediate(goOn);
        receivedNow += count;
        return receivedNow < receivedBytesMax;
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
  /** Where a message is put together that comes in parts, its head included. Memory that was used before costs less. */
  #memory = Buffer.allocUnsafeSlow(receivedBytes);
  /** Of such a message, bytes. */
  #gathered = 0;

  constructor(receive: (message: unknown) => void) {
    this.#receive = receive;
  }

  /** The caller may change the bytes afterwards. */
  add(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      const length = this.#gathered > 0 ? this.#gather(rest) : this.#receiveWhole(rest) || this.#gather(rest);
      rest = rest.subarray(length);
    }
  }

  /** Receives the message that begins here; its bytes. 0: it is not here as a whole. */
  #receiveWhole(bytes: Buffer): number {
    const length = lengthOf(bytes);
    if (bytes.length < length) return 0;
    this.#receive(messageIn(bytes.subarray(headBytes, length)));
    return length;
  }

  /** Adds to the message that comes in parts, and receives it if that was all of it. How many bytes belong to it. */
  #gather(bytes: Buffer): number {
    const length = this.#gathered < headBytes ? headBytes : lengthOf(this.#memory);
    const added = Math.min(bytes.length, length - this.#gathered);
    bytes.copy(this.#memory, this.#gathered, 0, added);
    this.#gathered += added;
    if (this.#gathered < length) return added;
    if (length === headBytes) this.#resize(lengthOf(this.#memory));
    else {
      this.#gathered = 0;
      this.#receiveWhole(this.#memory);
      this.#resize(receivedBytes);
    }
    return added;
  }

  /** Gives the memory room for `needed` bytes, and gives back that of a very long message. */
  #resize(needed: number): void {
    if (needed <= this.#memory.length && this.#memory.length <= keptBytesMax) return;
    const memory = Buffer.allocUnsafeSlow(Math.max(needed, receivedBytes));
    this.#memory.copy(memory, 0, 0, this.#gathered);
    freeMemory(this.#memory);
    this.#memory = memory;
  }
}

/** The bytes of the message that begins here, its head included; those of the head while that is not there. */
function lengthOf(bytes: Buffer): number {
  return bytes.length < headBytes ? headBytes : headBytes + bytes.readUInt32LE();
}

/** The message is a copy. */
function messageIn(bytes: Buffer): unknown {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
