/**
 * Recent failures of each integration, in memory, grouped by kind so that many of one kind do not hide others. Each service
 * thread notes those that it has seen; a question is answered by all of them.
 */

import { type Clock, clockMs } from '#model/environment';
import type { Failure } from '#model/failure';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';
import type { Members, NodeGroup } from '#storage/coordination';
import { FirstMember } from '#threads/members';
import { soleNode } from '#threads/node-group';

interface RecentErrorsOptions {
  clock: Clock;
  /** Evaluated for each failure. */
  limits: Pick<Limits, 'recentErrorsMax'>;
  /** Default: there is one thread. */
  members?: Members;
  /** Default: there is one process. */
  nodes?: NodeGroup;
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
  readonly #nodes: NodeGroup;
  readonly #records = new Map<string, Record>();

  constructor(options: RecentErrorsOptions) {
    this.#options = options;
    const members = options.members ?? new FirstMember();
    this.#nodes = options.nodes ?? soleNode(members);
    members.answer('errors', (integration: string) => [
      ...(this.#records.get(integration)?.kinds.values() ?? []),
    ]);
    members.answer('sums of errors', () => [...this.#records].map(([id, { sum }]) => [id, sum]));
    members.answer('forget errors', (integration: string) => this.#records.delete(integration));
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

  /** The kinds of failures of an integration on all nodes, most recent first; nodes that did not answer are added to `silent`. */
  async list(integration: string, silent?: Set<string>): Promise<RecentError[]> {
    const found = (await this.#nodes.askAll<RecentError[]>('errors', integration, silent)).flat();
    const byKind = Map.groupBy(found, keyOf);
    const errors = [...byKind.values()]
      .map(merged)
      .reverse()
      .sort((a, b) => b.lastAtMs - a.lastAtMs);
    return errors.slice(0, this.#options.limits.recentErrorsMax);
  }

  /** The numbers of failures, by integration; those without failures are missing. */
  async sums(): Promise<ReadonlyMap<string, ErrorSum>> {
    const sums = new Map<string, ErrorSum>();
    for (const [id, sum] of (await this.#nodes.askAll<[string, ErrorSum][]>('sums of errors')).flat()) {
      const { count, lastAtMs } = sums.get(id) ?? { count: 0, lastAtMs: 0 };
      sums.set(id, { count: count + sum.count, lastAtMs: Math.max(lastAtMs, sum.lastAtMs) });
    }
    return sums;
  }

  /** Removes a deleted integration. */
  async forget(integration: string): Promise<void> {
    await this.#nodes.ask('forget errors', integration);
  }

  #record(integration: string): Record {
    return this.#records.getOrInsertComputed(integration, () => {
      return { kinds: new LruCache(this.#options.limits.recentErrorsMax), sum: { count: 0, lastAtMs: 0 } };
    });
  }
}

/** Failures of one kind that several threads have noted; the newest one first among equals. */
function merged(found: readonly RecentError[]): RecentError {
  const newest = found.reduce((best, other) => (other.lastAtMs > best.lastAtMs ? other : best));
  const count = found.reduce((sum, error) => sum + error.count, 0);
  return { ...newest, count, firstAtMs: Math.min(...found.map(({ firstAtMs }) => firstAtMs)) };
}

function keyOf({ method, code, path, problem, message }: Failure): string {
  return JSON.stringify([method, code, path, problem ?? message]);
}
