/** Enforces plans: rejects what exceeds a hard plan, and meters what exceeds a soft one (L4). */

import type { Clock } from '#model/environment';
import { AppError, bug } from '#model/error';
import type { Plan } from '#model/plan';
import { RateExceeded } from '#model/rate-exceeded';
import type { RateStatus } from '#model/rate-status';
import { counted } from '#model/text';
import { bucketStatus, TokenBucket } from '#model/token-bucket';
import type { MetaReads, ResourceCounts } from '#storage/meta-store';
import type { PointQuota, PointsTaken } from '../ingest/ingest.ts';
import type { Permit, ResourceQuota } from '../signals/quota.ts';
import type { Usage } from '../usage/usage.ts';
import type { PlanCache } from './plan-cache.ts';

interface QuotaOptions {
  cache: PlanCache;
  usage: Usage;
  clock: Clock;
}

/** Checks the limits of plans before calls, and counts usage. */
export class Quota implements ResourceQuota, PointQuota {
  readonly #cache: PlanCache;
  readonly #usage: Usage;
  readonly #clock: Clock;
  /** Integration → method → its bucket, where the plan has a rate. */
  readonly #buckets = new Map<string, Map<string, TokenBucket>>();

  constructor({ cache, usage, clock }: QuotaOptions) {
    this.#cache = cache;
    this.#usage = usage;
    this.#clock = clock;
    cache.onChange(() => this.#forgetDeleted());
  }

  /** Counts a request body. */
  noteBody(integration: string, bytes: number): void {
    this.#usage.tally(integration).bytesIn += bytes;
  }

  /**
   * Counts a call of a method. Returns the status of the plan's rate for it, null if there is none. `RateExceeded` when the rate
   * of a hard plan is exceeded.
   */
  admit(integration: string, method: string): RateStatus | null {
    const tally = this.#usage.tally(integration);
    tally.requests++;
    const plan = this.#cache.planOf(integration);
    const rate = plan.rates.get(method);
    if (rate === undefined) return null;
    const bucket = this.#bucket(integration, method);
    const waitS = bucket.take(rate, this.#clock.nowUs());
    const status = bucketStatus('plan', bucket, rate, waitS);
    if (waitS === 0) return status;
    if (!plan.isHard) {
      tally.requestsOver++;
      return status;
    }
    tally.rejected++;
    throw new RateExceeded(`the plan "${plan.name}" for ${method}`, rate, status);
  }

  takePoints(integration: string, points: number): PointsTaken {
    const plan = this.#cache.planOf(integration);
    const tally = this.#usage.tally(integration);
    const day = this.#usage.today();
    const has = this.#usage.pointsToday(integration);
    const over = excess(has, points, plan.pointsPerDayMax);
    if (over > 0 && plan.isHard) {
      tally.rejected++;
      throw refusal(plan, `${limitOf(plan.pointsPerDayMax, 'point')} a day (UTC)`, has + points);
    }
    tally.points += points;
    tally.pointsOver += over;
    return { giveBack: () => this.#usage.takeBack(integration, day, points, over) };
  }

  async permit(
    reads: Pick<MetaReads, 'signals'>,
    integration: string,
    creating: ResourceCounts,
  ): Promise<Permit> {
    const plan = this.#cache.planOf(integration);
    const { signalsMax, itemsMax } = plan;
    const has =
      signalsMax === null && itemsMax === null
        ? { signals: 0, items: 0 }
        : await reads.signals.counts(integration);
    const over = {
      signals: excess(has.signals, creating.signals, signalsMax),
      items: excess(has.items, creating.items, itemsMax),
    };
    if (plan.isHard && over.signals + over.items > 0) {
      this.#usage.tally(integration).rejected++;
      throw over.signals > 0
        ? refusal(plan, limitOf(signalsMax, 'signal'), has.signals + creating.signals)
        : refusal(plan, limitOf(itemsMax, 'item'), has.items + creating.items);
    }
    return { settle: () => this.#noteCreated(integration, creating, over) };
  }

  #noteCreated(integration: string, created: ResourceCounts, over: ResourceCounts): void {
    const tally = this.#usage.tally(integration);
    tally.signals += created.signals;
    tally.items += created.items;
    tally.signalsOver += over.signals;
    tally.itemsOver += over.items;
  }

  #bucket(integration: string, method: string): TokenBucket {
    const buckets = this.#buckets.get(integration) ?? new Map<string, TokenBucket>();
    const bucket = buckets.get(method) ?? new TokenBucket();
    this.#buckets.set(integration, buckets);
    buckets.set(method, bucket);
    return bucket;
  }

  #forgetDeleted(): void {
    for (const integration of this.#buckets.keys()) {
      if (!this.#cache.knows(integration)) this.#buckets.delete(integration);
    }
  }
}

/** How many of `more` exceed a limit, when there are `has` already. */
function excess(has: number, more: number, max: number | null): number {
  return max === null ? 0 : Math.min(more, Math.max(0, has + more - max));
}

function limitOf(max: number | null, noun: string): string {
  return max === null ? bug(`there is no limit of ${noun}s to exceed`) : counted(max, noun);
}

function refusal(plan: Plan, allowed: string, value: number): AppError {
  return new AppError(
    'try-again',
    `Plan limit reached: the plan "${plan.name}" allows ${allowed}, this call would make it ${value}`,
  );
}
