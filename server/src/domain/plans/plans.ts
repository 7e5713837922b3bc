/** Administration of plans: creating, changing, assigning and deleting them (L4). */
import type { Act } from '#model/act';
import type { Clock } from '#model/environment';
import { AppError, conflict, invalidParams } from '#model/error';
import { defaultPlanName, type Plan } from '#model/plan';
import { counted } from '#model/text';
import type { Integration, MetaPart, MetaReads, MetaWrites } from '#storage/meta-store';
import type { Json } from '../audit/canonical.ts';
import { changesOf, record } from '../audit/record.ts';
import type { PlanCache } from './plan-cache.ts';

/** A plan, and how many integrations are assigned to it. */
export interface ListedPlan extends Plan {
  integrations: number;
}

type Subject = 'plans' | 'integrations' | 'audit';

interface PlansOptions {
  meta: MetaPart<Subject>;
  clock: Clock;
  cache: PlanCache;
}

const nameForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Plans of one store. A change takes effect in this process when its promise resolves, in others within a second. */
export class Plans {
  readonly #options: PlansOptions;

  constructor(options: PlansOptions) {
    this.#options = options;
  }

  /** All plans, by name. */
  async list(): Promise<ListedPlan[]> {
    const [plans, integrations] = await Promise.all([
      this.#options.meta.plans.all(),
      this.#options.meta.integrations.all(),
    ]);
    return plans.map((plan) => ({
      ...plan,
      integrations: integrations.filter((integration) => integration.plan === plan.name).length,
    }));
  }

  /** Creates a plan. `invalid-params`; `conflict` when there is one of this name. */
  async create(act: Act, plan: Plan): Promise<Plan> {
    checkPlan(plan);
    return this.#change(async (tx) => {
      if ((await tx.plans.find(plan.name)) !== undefined) {
        throw conflict(`there is a plan "${plan.name}" already; change it with "plan set"`);
      }
      await tx.plans.insert(plan);
      await record(tx, act, this.#options.clock, {
        action: 'plan.create',
        target: plan.name,
        change: changesOf({}, viewOf(plan)),
      });
      return plan;
    });
  }

  /** Replaces a plan by the result of `change`. `not-found`; `invalid-params`. */
  async set(act: Act, name: string, change: (before: Plan) => Plan): Promise<Plan> {
    return this.#change(async (tx) => {
      const before = await requirePlan(tx, name);
      const after = { ...change(before), name };
      checkPlan(after);
      const changes = changesOf(viewOf(before), viewOf(after));
      if (Object.keys(changes).length === 0) return before;
      await tx.plans.update(after);
      await record(tx, act, this.#options.clock, { action: 'plan.set', target: name, change: changes });
      return after;
    });
  }

  /** Assigns an integration to a plan. `not-found`. */
  async assign(act: Act, integration: string, name: string): Promise<Integration> {
    return this.#change(async (tx) => {
      await requirePlan(tx, name);
      const before = await tx.integrations.find(integration);
      if (before === undefined) throw new AppError('not-found', `unknown integration ${integration}`);
      if (before.plan === name) return before;
      const after = { ...before, plan: name };
      await tx.integrations.update(after);
      await record(tx, act, this.#options.clock, {
        action: 'plan.assign',
        target: integration,
        change: { plan: [before.plan, name] },
      });
      return after;
    });
  }

  /** Deletes a plan. `not-found`; `conflict` while integrations are assigned to it, and for the default plan. */
  async delete(act: Act, name: string): Promise<void> {
    return this.#change(async (tx) => {
      const before = await requirePlan(tx, name);
      if (name === defaultPlanName) throw conflict('the default plan cannot be deleted');
      const assigned = (await tx.integrations.all()).filter(({ plan }) => plan === name);
      if (assigned.length > 0) {
        const ids = assigned.slice(0, 5).map(({ id }) => id);
        const isOne = assigned.length === 1;
        const words = `${counted(assigned.length, 'integration')} ${isOne ? 'is' : 'are'} assigned to the plan "${name}"`;
        const advice = `assign ${isOne ? 'it' : 'them'} to another one first`;
        throw conflict(`${words}; ${advice}: ${ids.join(' ')}`);
      }
      await tx.plans.delete(name);
      await record(tx, act, this.#options.clock, {
        action: 'plan.delete',
        target: name,
        change: changesOf(viewOf(before), {}),
      });
    });
  }

  async #change<T>(work: (tx: Pick<MetaWrites, Subject>) => Promise<T>): Promise<T> {
    const result = await this.#options.meta.write(work);
    await this.#options.cache.reload();
    return result;
  }
}

async function requirePlan(tx: Pick<MetaReads, 'plans'>, name: string): Promise<Plan> {
  const plan = await tx.plans.find(name);
  if (plan === undefined) throw new AppError('not-found', `there is no plan "${name}"`);
  return plan;
}

/** `invalid-params` with the field that is wrong. */
function checkPlan(plan: Plan): void {
  if (!nameForm.test(plan.name)) {
    const allowed = '1 to 64 lower-case letters, digits, dots, dashes and underscores';
    throw invalidParams({ name: [`must be ${allowed}, got ${JSON.stringify(plan.name)}`] });
  }
  for (const field of ['signalsMax', 'itemsMax', 'pointsPerDayMax'] as const) {
    const value = plan[field];
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw invalidParams({ [field]: [`must be a whole number of at least 0, got ${value}`] });
  }
  for (const [method, { perSecond, burst }] of plan.rates) {
    const isRate = perSecond > 0 && perSecond <= 1e6;
    if (isRate && Number.isSafeInteger(burst) && burst >= 1 && burst <= 1e6) continue;
    const allowed = 'more than 0 and at most 1000000 calls a second, with a burst of 1 to 1000000';
    throw invalidParams({ [`rates.${method}`]: [`must be ${allowed}, got ${perSecond} and ${burst}`] });
  }
}

/** A plan's fields in the audit; null: unlimited. */
function viewOf({ signalsMax, itemsMax, pointsPerDayMax, rates, isHard }: Plan): { [field: string]: Json } {
  const perMethod = [...rates].map(([method, rate]): [string, Json] => [`rates.${method}`, { ...rate }]);
  return { signalsMax, itemsMax, pointsPerDayMax, isHard, ...Object.fromEntries(perMethod) };
}
