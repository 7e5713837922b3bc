/**
 * Hands the bytes of a connection to the runtime's HTTP parser in slices. The parser emits every request of what it is given before
 * anything else runs: 64 KiB of pipelined requests are up to 3,600, though the connection is ended at the eighteenth.
 */

import type { Socket } from 'node:net';
import { freeMemory } from '#model/free-memory';

/** A slice is at least this long, where there are as many bytes: shorter than most heads, at most four of the shortest requests. */
const sliceBytesMin = 64;

/** The end of a head. */
const headEnd = '\r\n\r\n';

/** What a feed asks of the others. */
export interface FeedContext {
  /** Whether a request of the connection waits for the answer of another one. */
  isPipelining(): boolean;
  /** Whether a step of the connection may run now. */
  isPrompt(): boolean;
  /** Runs a step now. */
  runNow(work: () => void): void;
  /** Runs a step when it is the connection's turn on the event loop. */
  step(work: () => void): Promise<void>;
}

/**
 * Puts a feed between a new connection and its parser. As long as requests are pipelined, each slice waits for a turn; other bytes
 * are parsed at once while there is time in this iteration of the event loop: a thousand connections may have some. What is left when the connection can no more be written to is thrown away.
 */
export function feedInSlices(socket: Socket, context: FeedContext): void {
  const [parse] = socket.listeners('data');
  const feed = new Feed(socket, parse as Parse, context);
  // With a second listener the runtime reads by events, instead of past them.
  socket.on('data', feed.take);
  socket.off('data', parse as Parse);
  feeds.set(socket, feed);
}

const feeds = new WeakMap<Socket, Feed>();

/** Ends the feed of a connection that is no longer HTTP. Bytes that were not parsed are in the socket again, soon after. */
export function releaseFeed(socket: Socket): void {
  feeds.get(socket)?.release();
}

type Parse = (bytes: Buffer) => void;

class Feed {
  readonly #socket: Socket;
  readonly #parse: Parse;
  readonly #context: FeedContext;
  /** Bytes that are alone in their memory, until all of them are parsed. */
  #whole: Buffer | null = null;
  #isWaiting = false;
  /** Whether the slice that is next has its turn. */
  #hasTurn = false;
  #isReleased = false;

  constructor(socket: Socket, parse: Parse, context: FeedContext) {
    this.#socket = socket;
    this.#parse = parse;
    this.#context = context;
  }

  /** Parses what may be parsed now; the rest stays in the socket. The parser copies what it keeps. */
  readonly take = (bytes: Buffer): void => {
    if (bytes.length === bytes.buffer.byteLength) this.#whole = bytes;
    else if (bytes.buffer !== this.#whole?.buffer) this.#whole = null;
    if (!this.#parseAll(bytes) || this.#whole === null) return;
    freeMemory(this.#whole);
    this.#whole = null;
  };

  /** Whether all was parsed, and nobody else has the bytes. */
  #parseAll(bytes: Buffer): boolean {
    let rest = bytes;
    while (rest.length > 0 && this.#socket.writable) {
      if (this.#isReleased) {
        this.#socket.unshift(rest);
        return false;
      }
      // A socket that the runtime has paused is resumed by the runtime alone.
      if (!this.#socket.isPaused() && !this.#mayParse()) this.#wait();
      if (this.#socket.isPaused()) {
        this.#socket.unshift(rest);
        return false;
      }
      const end = sliceEnd(rest);
      const slice = rest.subarray(0, end);
      rest = rest.subarray(end);
      if (this.#hasTurn) {
        this.#hasTurn = false;
        this.#parse(slice);
      } else this.#context.runNow(() => this.#parse(slice));
    }
    return !this.#isReleased && this.#socket.writable;
  }

  /** Takes nothing more. */
  release(): void {
    this.#isReleased = true;
    this.#socket.off('data', this.take);
  }

  #mayParse(): boolean {
    if (this.#isWaiting) return false;
    return this.#hasTurn || (!this.#context.isPipelining() && this.#context.isPrompt());
  }

  #wait(): void {
    this.#socket.pause();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // Not before the rest is in the socket again.
    queueMicrotask(() => void this.#context.step(() => this.#goOn()));
  }

  #goOn(): void {
    this.#isWaiting = false;
    this.#hasTurn = true;
    this.#socket.resume();
    // Reads now, so that parsing is part of this step.
    this.#socket.read();
    this.#hasTurn = false;
  }
}

/** Where the first slice ends: behind the first head that ends in it or later, or at the end, where no further head ends before. */
function sliceEnd(bytes: Buffer): number {
  if (bytes.length <= sliceBytesMin) return bytes.length;
  const index = bytes.indexOf(headEnd, sliceBytesMin - headEnd.length, 'latin1');
  const end = index + headEnd.length;
  return index < 0 || bytes.indexOf(headEnd, end, 'latin1') < 0 ? bytes.length : end;
}
