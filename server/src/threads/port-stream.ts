/** A stream between two threads over a message port, of bounded memory in both directions. */
import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

type Message =
  | { kind: 'data'; bytes: Uint8Array }
  | { kind: 'taken'; count: number }
  | { kind: 'end' | 'notice' };

/** Bytes that may be on their way to the other end before more are accepted. */
const windowBytes = 256 * 1024;

/** One end; the other thread has the other one. When one is destroyed, the other is too. */
export class PortStream extends Duplex {
  readonly #port: MessagePort;
  #sentBytes = 0;
  /** Bytes that were received and that the reader has not asked for yet. */
  #unreadBytes = 0;
  #onRoom: (() => void) | null = null;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message: Message) => this.#receive(message));
    port.on('close', () => this.destroy());
  }

  /** Emits `notice` at the other end. */
  notify(): void {
    this.#post({ kind: 'notice' });
  }

  override _read(): void {
    if (this.#unreadBytes === 0) return;
    this.#post({ kind: 'taken', count: this.#unreadBytes });
    this.#unreadBytes = 0;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#sentBytes += chunk.length;
    // A copy, since a part of a buffer would take all of it along.
    const bytes = Uint8Array.from(chunk);
    this.#port.postMessage({ kind: 'data', bytes } satisfies Message, [bytes.buffer]);
    if (this.#sentBytes < windowBytes) done();
    else this.#onRoom = done;
  }

  override _final(done: () => void): void {
    this.#post({ kind: 'end' });
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#port.close();
    done(error);
  }

  #receive(message: Message): void {
    if (message.kind === 'data') {
      this.#unreadBytes += message.bytes.length;
      // Buffers arrive as plain arrays.
      const { buffer, byteOffset, byteLength } = message.bytes;
      if (this.push(Buffer.from(buffer, byteOffset, byteLength))) this._read();
    } else if (message.kind === 'taken') this.#makeRoom(message.count);
    else if (message.kind === 'end') this.push(null);
    else this.emit('notice');
  }

  #makeRoom(count: number): void {
    this.#sentBytes -= count;
    if (this.#sentBytes >= windowBytes) return;
    const done = this.#onRoom;
    this.#onRoom = null;
    done?.();
  }

  #post(message: Message): void {
    this.#port.postMessage(message);
  }
}
