/** Sends points until the service has them, or has refused them for good. */
import type { CallOptions } from './client.ts';
import type { Environment } from './environment.ts';
import { ServiceError } from './error.ts';
import { type Columns, fromColumns } from './frame.ts';
import { countFrame, cutFrames, halveFrame, usualCellsMax } from './point-frames.ts';
import type { Points } from './points.ts';
import { type Refusal, refusalOf, withoutNamed } from './refusal.ts';
import type { RetryPolicy } from './retry.ts';

/** What a writer uses of a client. */
export interface Inserter {
  callAny(method: string, params: object, options: CallOptions): Promise<unknown>;
  insertArrow(integration: string, stream: Uint8Array<ArrayBuffer>, options: CallOptions): Promise<unknown>;
}

/** What writes Arrow streams: the module `@tidemark/client/arrow`. */
export interface ArrowWriter {
  writeArrow(columns: Columns): Uint8Array<ArrayBuffer>;
}

/** The pauses between attempts; the longest is that which the service has not asked for. */
export type Patience = Omit<RetryPolicy, 'retries'>;

/** What a sender is made with. */
export interface SenderOptions {
  client: Inserter;
  integration: string;
  patience: Patience;
  arrow: ArrowWriter | undefined;
  environment: Environment;
  /** Called for each failed attempt that will be repeated. */
  onRetry(error: ServiceError, pauseMs: number): void;
  /** Called when the service has stored points. */
  onSent(points: number): void;
  /** Called when the service has refused points for good. */
  onRefused(points: number, error: ServiceError): void;
}

/** However long the service asks to wait: an administrator may have changed a plan since. */
const retryAfterMsMax = 300_000;

/** Errors name some of the invalid points; a frame in which still others are found after so many attempts is refused whole. */
const roundsMax = 50;

/** Sends frames of one integration. */
export class Sender {
  readonly #options: SenderOptions;
  #cellsMax = usualCellsMax;
  #isArrow: boolean;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#isArrow = options.arrow !== undefined;
  }

  /** Resolves when no point needs to be sent any more. Fails with the signal's reason only. */
  async send(points: Points, signal: AbortSignal): Promise<void> {
    for (const frame of cutFrames(points, this.#cellsMax)) await this.#sendFrame(frame, signal);
  }

  async #sendFrame(whole: Columns, signal: AbortSignal): Promise<void> {
    let frame = whole;
    for (let attempt = 0, rounds = 0; ; attempt++) {
      const error = await this.#attempt(frame, signal);
      if (error === null) return this.#options.onSent(countFrame(frame));
      const refusal = refusalOf(error);
      if (refusal === 'large') return this.#sendHalves(frame, error, signal);
      if (refusal !== 'refused') {
        await this.#pause(refusal, error, attempt, signal);
        continue;
      }
      const rest = rounds++ < roundsMax ? withoutNamed(frame, error) : { frame, removed: 0 };
      this.#options.onRefused(rest.removed || countFrame(frame), error);
      if (rest.removed === 0 || countFrame(rest.frame) === 0) return;
      frame = rest.frame;
    }
  }

  /** The error of an attempt, null if there is none. */
  async #attempt(frame: Columns, signal: AbortSignal): Promise<ServiceError | null> {
    try {
      await this.#insert(frame, signal);
      return null;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  async #insert(frame: Columns, signal: AbortSignal): Promise<void> {
    const { client, integration, arrow } = this.#options;
    const options: CallOptions = { signal, retry: { retries: 0 }, compress: true };
    // A stream has one column of that name already.
    if (arrow !== undefined && this.#isArrow && !frame.series.has('time')) {
      try {
        await client.insertArrow(integration, arrow.writeArrow(frame), options);
        return;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 415) throw error;
        this.#isArrow = false;
      }
    }
    await client.callAny('integration.insert', { integration, data: fromColumns(frame) }, options);
  }

  /** Further frames are cut smaller as well. */
  async #sendHalves(frame: Columns, error: ServiceError, signal: AbortSignal): Promise<void> {
    this.#cellsMax = Math.max(100, Math.floor(this.#cellsMax / 2));
    const halves = halveFrame(frame);
    if (halves === null) return this.#options.onRefused(countFrame(frame), error);
    for (const half of halves) await this.#sendFrame(half, signal);
  }

  async #pause(refusal: Refusal, error: ServiceError, attempt: number, signal: AbortSignal): Promise<void> {
    const { patience, environment, onRetry } = this.#options;
    const { firstMs, longestMs } = patience;
    const ceilingMs =
      refusal === 'held' ? longestMs : Math.min(firstMs * 2 ** Math.min(attempt, 30), longestMs);
    const random = environment.random();
    const askedMs = Math.min(error.retryAfterMs ?? 0, retryAfterMsMax);
    const pauseMs = Math.max(ceilingMs * (0.5 + random / 2), askedMs + firstMs * random);
    onRetry(error, pauseMs);
    await environment.wait(pauseMs, signal);
  }
}
