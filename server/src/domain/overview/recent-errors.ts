/** Recent failures of each integration, in memory, grouped by kind so that many of one kind do not hide others. */

import { type Clock, clockMs } from '#model/environment';
import type { Failure } from '#model/failure';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';

interface RecentErrorsOptions {
  clock: Clock;
  /** Evaluated for each failure. */
  limits: Pick<Limits, 'recentErrorsMax'>;
}

/** Failures of one kind: the same method, code, place and problem. */
export interface RecentError extends Failure {
  /** Number of failures since the first one. Address and trace are of the latest one. */
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

/** The number of failures of an integration since the service started. */
export interface ErrorSum {
  count: number;
  lastAtMs: number;
}

interface Record {
  /** By kind, the most recent one last. */
  kinds: LruCache<string, RecentError>;
  sum: ErrorSum;
}

/** Keeps a bounded number of kinds of failures for each integration; the least recent one is evicted. */
export class RecentErrors {
  readonly #options: RecentErrorsOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: RecentErrorsOptions) {
    this.#options = options;
  }

  /** Records a failure. Failures of unknown integrations are ignored, so that clients cannot create records. */
  note(failure: Failure): void {
    const nowMs = clockMs(this.#options.clock);
    const { kinds, sum } = this.#record(failure.integration);
    sum.count++;
    sum.lastAtMs = nowMs;
    const key = keyOf(failure);
    const { count = 0, firstAtMs = nowMs } = kinds.get(key) ?? {};
    kinds.sizeMax = this.#options.limits.recentErrorsMax;
    kinds.set(key, { ...failure, count: count + 1, firstAtMs, lastAtMs: nowMs });
  }

  /** The kinds of failures of an integration, most recent first. */
  list(integration: string): RecentError[] {
    return [...(this.#records.get(integration)?.kinds.values() ?? [])].reverse();
  }

  /** Null: no failures. */
  sumOf(integration: string): ErrorSum | null {
    return this.#records.get(integration)?.sum ?? null;
  }

  /** Removes a deleted integration. */
  forget(integration: string): void {
    this.#records.delete(integration);
  }

  #record(integration: string): Record {
    const known = this.#records.get(integration);
    if (known !== undefined) return known;
    const kinds = new LruCache<string, RecentError>(this.#options.limits.recentErrorsMax);
    const record = { kinds, sum: { count: 0, lastAtMs: 0 } };
    this.#records.set(integration, record);
    return record;
  }
}

function keyOf({ method, code, path, problem, message }: Failure): string {
  return JSON.stringify([method, code, path, problem ?? message]);
}
