/** The bytes that a client sends and receives in binary messages of a WebSocket, as a stream. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { closeCode, closeFrame, FrameError, FrameReader, opcode, serverHead } from './frames.ts';

/** While more than this is unsent, pings are not answered. */
const pongUnsentMax = 4096;

/** A connection whose handshake is done. How long messages are does not matter: what arrives of one is passed on at once. */
export class WebSocketStream extends Duplex {
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  #isClosing = false;

  /** `head`: what has arrived behind the handshake. */
  constructor(socket: Socket, head: Buffer) {
    super();
    this.#socket = socket;
    this.#reader = new FrameReader({
      onData: (bytes) => this.#onBytes(bytes),
      onControl: (kind, payload) => this.#onControl(kind, payload),
    });
    if (head.length > 0) socket.unshift(head);
    socket.on('data', (chunk: Buffer) => this.#feed(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
    socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: () => void): void {
    this.#close(closeCode.normal, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #send(parts: readonly Buffer[], done: (error?: Error | null) => void): void {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    this.#socket.write(Buffer.concat([serverHead(opcode.binary, bytes), ...parts]), done);
  }

  #feed(chunk: Buffer): void {
    if (this.#isClosing) return;
    try {
      this.#reader.feed(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#close(error.code, () => this.destroy());
    }
  }

  #onBytes(bytes: Buffer): void {
    if (!this.push(bytes)) this.#socket.pause();
  }

  #onControl(kind: number, payload: Buffer): void {
    if (kind === opcode.close) this.#onClose();
    // A client that does not read its answers gets no more of them.
    else if (kind === opcode.ping && this.#socket.writableLength <= pongUnsentMax)
      this.#socket.write(Buffer.concat([serverHead(opcode.pong, payload.length), payload]));
  }

  #onClose(): void {
    if (!this.#isClosing) this.#close(closeCode.normal, () => {});
    if (!this.readableEnded) this.push(null);
  }

  /** Says goodbye, once, and ends the connection. */
  #close(code: number, done: () => void): void {
    if (this.#isClosing) done();
    else {
      this.#isClosing = true;
      this.#socket.end(closeFrame(code), () => done());
    }
  }
}
