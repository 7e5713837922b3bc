/** What went wrong lately for each integration, in memory: failures of one kind together, so that a flood of one hides no other. */

import type { Clock } from '#model/environment';
import type { Failure } from '#model/failure';
import type { Limits } from '#model/limits';

/** What {@link RecentErrors} works with. */
export interface RecentErrorsOptions {
  clock: Clock;
  /** Looked at each time. */
  limits: Pick<Limits, 'recentErrorsMax'>;
}

/** Failures of one kind: the same method, code, place and problem. */
export interface RecentError extends Failure {
  /** How often, since it was seen first. Address and trace are those of the last time. */
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

/** How much went wrong for an integration since the service has been running. */
export interface ErrorSum {
  count: number;
  lastAtMs: number;
}

interface Record {
  /** By kind, the one that was seen last at the end. */
  kinds: Map<string, RecentError>;
  sum: ErrorSum;
}

/** Keeps kinds of failures, so many for each integration; the one that was seen longest ago makes room. */
export class RecentErrors {
  readonly #options: RecentErrorsOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: RecentErrorsOptions) {
    this.#options = options;
  }

  /** Notes a failure. Only of integrations that there are: nobody can make records up. */
  note(failure: Failure): void {
    const nowMs = Math.floor(this.#options.clock.nowUs() / 1000);
    const { kinds, sum } = this.#record(failure.integration);
    sum.count++;
    sum.lastAtMs = nowMs;
    const key = keyOf(failure);
    const { count = 0, firstAtMs = nowMs } = kinds.get(key) ?? {};
    kinds.delete(key);
    kinds.set(key, { ...failure, count: count + 1, firstAtMs, lastAtMs: nowMs });
    while (kinds.size > this.#options.limits.recentErrorsMax) kinds.delete(firstOf(kinds));
  }

  /** The kinds of an integration, what was seen last first. */
  list(integration: string): RecentError[] {
    return [...(this.#records.get(integration)?.kinds.values() ?? [])].reverse();
  }

  /** Null: nothing went wrong. */
  sumOf(integration: string): ErrorSum | null {
    return this.#records.get(integration)?.sum ?? null;
  }

  /** Forgets an integration that is gone. */
  forget(integration: string): void {
    this.#records.delete(integration);
  }

  #record(integration: string): Record {
    const known = this.#records.get(integration);
    if (known !== undefined) return known;
    const record = { kinds: new Map<string, RecentError>(), sum: { count: 0, lastAtMs: 0 } };
    this.#records.set(integration, record);
    return record;
  }
}

function keyOf({ method, code, path, problem, message }: Failure): string {
  return JSON.stringify([method, code, path, problem ?? message]);
}

function firstOf(kinds: ReadonlyMap<string, RecentError>): string {
  for (const key of kinds.keys()) return key;
  return '';
}
