/** What the server takes in at one time: calls under way, and the bytes of their bodies. What is too much is 503 at once. */
import type { Limits } from '#model/limits';
import { Budget } from '#protocol/budget';
import { HttpProblem } from './problem.ts';

/** The limits that decide; read at each call. */
export type IntakeLimits = Pick<Limits, 'requestsMax' | 'bodiesBytesMax' | 'integrationSharePercent'>;

const retryAfterS = '2';

/** Counts what is under way, for each integration and in all. */
export class Intake {
  readonly #requests: Budget;
  readonly #bodies: Budget;

  constructor(limits: IntakeLimits) {
    const share = () => limits.integrationSharePercent / 100;
    this.#requests = new Budget(() => limits.requestsMax, share);
    this.#bodies = new Budget(() => limits.bodiesBytesMax, share);
  }

  /** A call of an integration begins. 503 when it is one too many. */
  enter(integration: string): Stay {
    if (!this.#requests.take(integration, 1)) throw overloaded('too many calls are under way');
    return new Stay(integration, this.#requests, this.#bodies);
  }

  /** Calls under way. */
  get requestCount(): number {
    return this.#requests.takenAmount;
  }

  /** Bytes of their bodies. */
  get bodyBytes(): number {
    return this.#bodies.takenAmount;
  }
}

/** One call under way. */
export class Stay {
  readonly #integration: string;
  readonly #requests: Budget;
  readonly #bodies: Budget;
  #bytes = 0;

  constructor(integration: string, requests: Budget, bodies: Budget) {
    this.#integration = integration;
    this.#requests = requests;
    this.#bodies = bodies;
  }

  /** The body takes this much more. 503 when there is not enough. */
  grow(bytes: number): void {
    if (!this.#bodies.take(this.#integration, bytes)) throw overloaded('too many large bodies are under way');
    this.#bytes += bytes;
  }

  /** The call has ended; to be called once. */
  leave(): void {
    this.#requests.give(this.#integration, 1);
    if (this.#bytes > 0) this.#bodies.give(this.#integration, this.#bytes);
  }
}

/** The problem of a request that is one too many. */
export function overloaded(words: string, afterS: string = retryAfterS): HttpProblem {
  return new HttpProblem(503, `Try again: ${words}`, { 'retry-after': afterS });
}
