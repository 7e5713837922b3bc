/** Live values as an async iterator that resumes by itself: it continues after its last place, so nothing is missed and nothing comes twice. */

import { lostAnswer } from './certificates.ts';
import type { Prover } from './credentials.ts';
import type { Environment } from './environment.ts';
import { httpError, ServiceError } from './error.ts';
import { readEvents } from './event-stream.ts';
import type { RetryPolicy } from './retry.ts';

/** The points that one insert brought for one item: times in RFC 3339, ascending, each with its value. */
export interface LivePoints {
  times: string[];
  values: number[];
}

/**
 * `points`: what one insert brought, by the ID of the item. `reset`: the service cannot tell any more what came meanwhile, so
 * read again what you show; the values of `points` that follow came later than the reset.
 */
export type LiveEvent =
  | { kind: 'points'; position: string; items: Readonly<Record<string, LivePoints>> }
  | { kind: 'reset'; position: string };

/** IDs of items, or a resource query whose items are selected whenever it connects. */
export type LiveItems = readonly string[] | { query: Readonly<Record<string, unknown>> };

/** Options of `Client.live`. */
export interface LiveOptions {
  /** The position of the event after which to begin; default: now. */
  after?: string;
  /** Ends the iteration; it then fails with the signal's reason. */
  signal?: AbortSignal;
  /** Called when the service has answered: what is inserted from then on will come. */
  onConnect?: () => void;
  /** Called when the connection is lost, with the pause before the next attempt. */
  onLost?: (error: ServiceError, pauseMs: number) => void;
}

/** The service gives a sign of life every 15 s; when this long nothing came, the connection is dead, ms. */
const silenceMs = 45_000;

const method = 'live';

/** How to connect. */
interface Connecting {
  url: string;
  prove: Prover;
  retry: RetryPolicy;
  environment: Environment;
}

/** Events, over as many connections as it takes. */
export async function* followLive(
  shared: Connecting,
  items: LiveItems,
  { after, signal, onConnect = () => {}, onLost = () => {} }: LiveOptions,
): AsyncGenerator<LiveEvent, void, undefined> {
  let position = after ?? '';
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const connection = new Connection(shared, signal);
      try {
        const response = await connection.open(items, position);
        let isNew = true;
        for await (const { id, event, data } of readEvents(response, () => connection.touch())) {
          failures = 0;
          position = id;
          // The first block is the place: from here on nothing is missed.
          if (isNew) onConnect();
          isNew = false;
          if (data !== '') yield eventOf(event, id, data);
        }
        throw new ServiceError('the stream has ended', { kind: 'network', method });
      } finally {
        connection.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      const lost = lossOf(error, shared.url);
      const pauseMs = pauseOf(lost, failures++, shared);
      onLost(lost, pauseMs);
      await shared.environment.wait(pauseMs, signal);
    }
  }
}

function eventOf(event: string, position: string, data: string): LiveEvent {
  return event === 'reset'
    ? { kind: 'reset', position }
    : { kind: 'points', position, items: JSON.parse(data) as Record<string, LivePoints> };
}

/** One connection, which ends when nothing comes any more. */
class Connection {
  readonly #shared: Connecting;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(shared: Connecting, signal: AbortSignal | undefined) {
    this.#shared = shared;
    this.#signal = signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal]);
  }

  /** Connects; a second attempt where a token was refused that had been kept. */
  async open(items: LiveItems, position: string): Promise<Response> {
    for (let isSecond = false; ; isSecond = true) {
      const proof = await this.#shared.prove();
      this.touch();
      const response = await this.#fetch(items, position, proof.headers);
      if (response.status === 200) return response;
      const isStale = response.status === 401 && proof.refused() && !isSecond;
      if (!isStale) throw await httpError(method, response);
      await response.body?.cancel();
    }
  }

  /** Something has come. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end.abort(), silenceMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  #fetch(items: LiveItems, position: string, proof: Record<string, string>): Promise<Response> {
    const { environment, url } = this.#shared;
    const asked: Record<string, string> =
      'query' in items ? { query: JSON.stringify(items.query) } : { items: items.join(',') };
    return environment.fetch(`${url}?${new URLSearchParams(asked)}`, {
      headers: {
        accept: 'text/event-stream',
        ...(position === '' ? {} : { 'last-event-id': position }),
        ...proof,
      },
      credentials: 'same-origin',
      redirect: 'manual',
      cache: 'no-store',
      signal: this.#signal,
    });
  }
}

/** Errors of the connection as a {@link ServiceError}; defects, such as text that is no event, as they are. */
function lossOf(error: unknown, url: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SyntaxError) throw error;
  return lostAnswer(method, url, error);
}

/** How long to wait before the next attempt; throws what further attempts do not change. */
function pauseOf(error: ServiceError, failures: number, { retry, environment }: Connecting): number {
  const { kind, status, retryAfterMs } = error;
  const passes = kind === 'network' || status === 429 || (status !== null && status >= 500);
  if (!passes) throw error;
  const ceilingMs = Math.min(retry.firstMs * 2 ** Math.min(failures, 20), retry.longestMs);
  // Many clients lose their connections at the same time.
  return Math.max(ceilingMs * (0.5 + environment.random() / 2), retryAfterMs ?? 0);
}
