/** Plans and who is assigned to them, cached in memory so that calls do not wait for the store; updated when it changes (L4f). */

import type { Log } from '#model/environment';
import { defaultPlanName, type Plan, unlimitedPlan } from '#model/plan';
import type { MetaPart } from '#storage/meta-store';
import { Follower } from '../follower.ts';

type PlanMeta = MetaPart<'plans' | 'integrations'>;

/** The plans as last read from the store. */
export class PlanCache extends Follower {
  readonly #meta: PlanMeta;
  readonly #listeners: (() => void)[] = [];
  #plans = new Map<string, Plan>([[defaultPlanName, unlimitedPlan(defaultPlanName)]]);
  #assignments = new Map<string, string>();

  constructor(meta: PlanMeta, log: Log) {
    super({ meta, topics: ['identity', 'plans'], warning: 'plans cannot be read; trying again', log });
    this.#meta = meta;
  }

  /** The plan of an integration; the default one where it is not known yet. */
  planOf(integration: string): Plan {
    const name = this.#assignments.get(integration) ?? defaultPlanName;
    return this.#plans.get(name) ?? (this.#plans.get(defaultPlanName) as Plan);
  }

  /** Whether there is such an integration. */
  knows(integration: string): boolean {
    return this.#assignments.has(integration);
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  protected override async load(): Promise<void> {
    const [plans, integrations] = await Promise.all([this.#meta.plans.all(), this.#meta.integrations.all()]);
    this.#plans = new Map(plans.map((plan) => [plan.name, plan]));
    this.#assignments = new Map(integrations.map(({ id, plan }) => [id, plan]));
    for (const listener of this.#listeners) listener();
  }
}
