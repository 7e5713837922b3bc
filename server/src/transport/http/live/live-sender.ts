/** Writes one stream of live values, as fast as its client reads. */
import type { ServerResponse } from 'node:http';
import type { Load } from '#load/load';
import type { LiveStep, LiveStream } from '#protocol/live';
import type { Exchange } from '../exchange.ts';
import { writeAtOnce } from '../send-pieces.ts';
import { beginningText, heartbeatText, insertText, resetText } from './event-text.ts';

/** After so long without an event there is a sign of life, ms. Proxies end connections on which nothing moves for a minute. */
export const heartbeatMs = 15_000;

/** Events that are made text at once. */
const eventsAtOnce = 32;

/** What {@link LiveSender} needs. */
export interface LiveSenderOptions {
  stream: LiveStream;
  exchange: Pick<Exchange, 'noteStreamed'>;
  response: ServerResponse;
  load: Load;
  /** Whose turn on the event loop it takes. */
  client: string;
  /** A client that reads nothing for so long is disconnected. */
  limits: { requestTimeoutMs: number };
  /** Ends the stream. */
  ending: AbortSignal;
}

/** The sender of one stream. */
export class LiveSender {
  readonly #options: LiveSenderOptions;
  #heartbeat: NodeJS.Timeout | undefined;
  #isSending = false;

  constructor(options: LiveSenderOptions) {
    this.#options = options;
  }

  /** Sends until the stream ends, or `ending` is aborted, and ends the answer. */
  async send(): Promise<void> {
    const { stream, ending, response } = this.#options;
    // Before a reset the client has no place: it may be disconnected before it is told.
    await this.#write(beginningText(stream.hasNews ? null : stream.place));
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
    try {
      for (let step = await stream.next(ending); step !== null; step = await stream.next(ending)) {
        this.#isSending = true;
        await this.#sendStep(step);
        this.#isSending = false;
        this.#heartbeat.refresh();
      }
    } finally {
      clearInterval(this.#heartbeat);
    }
    response.end();
  }

  /** Only when everything before the place has been sent. */
  #beat(): void {
    const { stream, response } = this.#options;
    if (this.#isSending || stream.hasNews || response.writableNeedDrain || response.destroyed) return;
    void this.#write(heartbeatText(stream.place));
  }

  async #sendStep(step: LiveStep): Promise<void> {
    if (step.kind === 'reset') return this.#write(resetText(step.position));
    const { load, client, ending } = this.#options;
    for (let from = 0; from < step.events.length && !ending.aborted; from += eventsAtOnce) {
      const some = step.events.slice(from, from + eventsAtOnce);
      await load.step(client, () => this.#writeNow(some.map(insertText).join('')));
      await this.#untilRead();
    }
  }

  async #write(text: string): Promise<void> {
    this.#writeNow(text);
    await this.#untilRead();
  }

  /** As bytes: what clients have not read yet would be as many texts in the heap, which the garbage collector moves. */
  #writeNow(text: string): void {
    const { response, exchange } = this.#options;
    if (response.destroyed) return;
    const bytes = Buffer.from(text);
    exchange.noteStreamed(bytes.length);
    writeAtOnce(bytes, { encoder: null, response, areOwn: true });
  }

  async #untilRead(): Promise<void> {
    const { response } = this.#options;
    if (response.writableNeedDrain && !response.destroyed) await this.#drained();
  }

  /** Waits until the client has read; one that reads nothing for too long is disconnected, and may come back. */
  #drained(): Promise<void> {
    const { response, limits } = this.#options;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        response.off('drain', done).off('close', done);
        resolve();
      };
      const timer = setTimeout(() => response.destroy(), limits.requestTimeoutMs);
      response.once('drain', done).once('close', done);
      if (response.destroyed) done();
    });
  }
}
