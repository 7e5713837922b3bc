/** Enforces plans: rejects what exceeds a hard plan, and meters what exceeds a soft one (L4). */
import type { Account, Accounts, Permit, PointsTaken } from '#load/account';
import { AppError, bug } from '#model/error';
import type { Limits } from '#model/limits';
import type { Plan, ResourceCounts } from '#model/plan';
import { RateExceeded } from '#model/rate-exceeded';
import type { RateStatus } from '#model/rate-status';
import { counted } from '#model/text';
import type { Tally } from '#model/usage';
import type { Rates } from '#storage/coordination';
import type { Usage } from '../usage/usage.ts';
import type { PlanCache } from './plan-cache.ts';

interface QuotaOptions {
  cache: PlanCache;
  usage: Usage;
  /** By integration and method, where the plan has a rate. */
  callRates: Rates;
  /** By integration. */
  newSignalRates: Rates;
  /** Read at each use. */
  limits: Pick<Limits, 'newSignalsPerHourMax'>;
}

/** The accounts of integrations. */
export class Quota implements Accounts {
  readonly #options: QuotaOptions;
  readonly #accounts = new Map<string, PlanAccount>();

  constructor(options: QuotaOptions) {
    this.#options = options;
    options.cache.onChange(() => this.#forgetDeleted());
  }

  accountOf(integration: string): Account {
    return this.#accounts.getOrInsertComputed(integration, () => new PlanAccount(integration, this.#options));
  }

  #forgetDeleted(): void {
    for (const integration of this.#accounts.keys()) {
      if (!this.#options.cache.knows(integration)) this.#accounts.delete(integration);
    }
  }
}

/** One integration's: its plan may change at any time. */
class PlanAccount implements Account {
  readonly #integration: string;
  readonly #options: QuotaOptions;

  constructor(integration: string, options: QuotaOptions) {
    this.#integration = integration;
    this.#options = options;
  }

  get #plan(): Plan {
    return this.#options.cache.planOf(this.#integration);
  }

  get #tally(): Tally {
    return this.#options.usage.tally(this.#integration);
  }

  get limitsSignals(): boolean {
    return this.#plan.signalsMax !== null;
  }

  noteBody(bytes: number): void {
    this.#tally.bytesIn += bytes;
  }

  admit(method: string): RateStatus | null {
    const tally = this.#tally;
    tally.requests++;
    const plan = this.#plan;
    const rate = plan.rates.get(method);
    if (rate === undefined) return null;
    const { waitS, status } = this.#options.callRates.take(`${this.#integration} ${method}`, rate);
    if (waitS === 0) return status;
    if (!plan.isHard) {
      tally.requestsOver++;
      return status;
    }
    tally.rejected++;
    throw new RateExceeded(`the plan "${plan.name}" for ${method}`, rate, status);
  }

  takePoints(points: number): PointsTaken {
    const { usage } = this.#options;
    const integration = this.#integration;
    const plan = this.#plan;
    const tally = this.#tally;
    const day = usage.today();
    const has = usage.countPoints(integration, points);
    const over = excess(has, points, plan.pointsPerDayMax);
    if (over > 0 && plan.isHard) {
      tally.rejected++;
      usage.countPoints(integration, -points);
      throw refusal(plan, `${limitOf(plan.pointsPerDayMax, 'point')} a day (UTC)`, has + points);
    }
    tally.points += points;
    tally.pointsOver += over;
    return { giveBack: () => usage.takeBack(integration, day, points, over) };
  }

  async permit(creating: ResourceCounts, existing: () => Promise<ResourceCounts>): Promise<Permit> {
    const plan = this.#plan;
    const { signalsMax, itemsMax } = plan;
    const has = signalsMax === null && itemsMax === null ? { signals: 0, items: 0 } : await existing();
    const over = {
      signals: excess(has.signals, creating.signals, signalsMax),
      items: excess(has.items, creating.items, itemsMax),
    };
    if (plan.isHard && over.signals + over.items > 0) {
      this.#tally.rejected++;
      throw over.signals > 0
        ? refusal(plan, limitOf(signalsMax, 'signal'), has.signals + creating.signals)
        : refusal(plan, limitOf(itemsMax, 'item'), has.items + creating.items);
    }
    this.#takeNewSignals(creating.signals);
    return { settle: (created = creating) => this.#noteCreated(created, over) };
  }

  /** A program that makes a key of each value is stopped (L4g). */
  #takeNewSignals(count: number): void {
    if (count === 0) return;
    const max = this.#options.limits.newSignalsPerHourMax;
    const rate = { perSecond: max / 3600, burst: max };
    const { waitS } = this.#options.newSignalRates.take(this.#integration, rate, count);
    if (waitS === 0) return;
    throw new AppError(
      'try-again',
      `Too many new signals: an integration may create ${max} an hour; ${count} more are possible in ${Math.ceil(waitS)} s`,
    );
  }

  #noteCreated(created: ResourceCounts, over: ResourceCounts): void {
    const tally = this.#tally;
    tally.signals += created.signals;
    tally.items += created.items;
    tally.signalsOver += over.signals;
    tally.itemsOver += over.items;
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
