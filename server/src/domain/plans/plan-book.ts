/** Plans and who is assigned to them, cached in memory so that calls do not wait for the store; updated when it changes (L4f). */

import type { Log } from '#model/environment';
import { defaultPlanName, type Plan, unlimitedPlan } from '#model/plan';
import type { MetaStore } from '#storage/meta-store';

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

/** The plans as last read from the store. */
export class PlanBook {
  readonly #meta: MetaStore;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  readonly #listeners: (() => void)[] = [];
  #plans = new Map<string, Plan>([[defaultPlanName, unlimitedPlan(defaultPlanName)]]);
  #assignments = new Map<string, string>();
  #loading: Promise<void> = Promise.resolve();
  #isQueued = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(meta: MetaStore, log: Log) {
    this.#meta = meta;
    this.#log = log;
    this.#unsubscribe = meta.subscribe((topic) => {
      if (topic !== 'signals') this.#follow();
    });
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

  /** Reads the store again. When it resolves, everything committed before the call is known. */
  reload(): Promise<void> {
    if (!this.#isQueued) {
      this.#isQueued = true;
      this.#loading = this.#loading.catch(() => undefined).then(() => this.#load());
    }
    return this.#loading;
  }

  /** Stops following the store. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#retry);
    await this.#loading.catch(() => undefined);
    clearTimeout(this.#retry);
  }

  #follow(): void {
    this.reload().catch((error: unknown) => {
      this.#log.warn('plans cannot be read; trying again', { error });
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#follow(), retryMs);
      this.#retry.unref();
    });
  }

  async #load(): Promise<void> {
    this.#isQueued = false;
    const [plans, integrations] = await Promise.all([this.#meta.plans.all(), this.#meta.integrations.all()]);
    this.#plans = new Map(plans.map((plan) => [plan.name, plan]));
    this.#assignments = new Map(integrations.map(({ id, plan }) => [id, plan]));
    for (const listener of this.#listeners) listener();
  }
}
