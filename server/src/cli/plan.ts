/** `tidemark plan …`: named sets of limits, and who is held to them (L4). */
import type { Command } from 'commander';
import type { Domain } from '#domain/domain';
import type { ListedPlan } from '#domain/plans/plans';
import { type Plan, printRate, unlimitedPlan } from '#model/plan';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { planOptions, readPlanOptions } from './plan-options.ts';
import { mayRemove, type Removal, removalOptions } from './removal.ts';
import { printCount, printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** Adds the commands. */
export function definePlan(root: Command, run: Runner): void {
  const group = root.command('plan').summary('manage plans: what integrations may use');
  define(group, run, {
    usage: 'create <name>',
    summary: 'create a plan; what no flag limits is unlimited',
    settings: ['data'],
    options: planOptions(),
    action: create,
  });
  define(group, run, {
    usage: 'set <name>',
    summary: 'change a plan, within a second; "default" is the plan of those assigned to no other',
    settings: ['data'],
    options: planOptions(),
    action: set,
  });
  define(group, run, {
    usage: 'assign <integration> <name>',
    summary: 'put an integration on a plan, within a second',
    settings: ['data'],
    action: assign,
  });
  define(group, run, { usage: 'list', summary: 'list plans', settings: ['data'], action: list });
  define(group, run, {
    usage: 'delete <name>',
    summary: 'delete a plan to which no integration is assigned',
    settings: ['data'],
    options: removalOptions(),
    action: remove,
  });
}

async function create(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  const change = await readPlanOptions(call);
  const plan = await changeDomain(call, false, ({ plans }) =>
    plans.create(cliAct(), change(unlimitedPlan(name))),
  );
  say(call, viewOf(plan), `created the plan ${name}`);
}

async function set(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  const change = await readPlanOptions(call);
  const plan = await changeDomain(call, false, ({ plans }) => plans.set(cliAct(), name, change));
  say(call, viewOf(plan), `changed the plan ${name}`);
}

async function assign(call: Call): Promise<undefined> {
  const [integration, plan] = call.args.map(String);
  await changeDomain(call, false, ({ plans }) => plans.assign(cliAct(), integration, plan));
  say(call, { integration, plan }, `integration ${integration} is on the plan ${plan}`);
}

async function list(call: Call): Promise<undefined> {
  const plans = await withDomain(call, false, (domain) => domain.plans.list());
  const headings = ['name', 'mode', 'signals', 'items', 'points a day', 'rates', 'integrations'];
  const views = plans.map((plan) => ({ ...viewOf(plan), integrations: plan.integrations }));
  say(call, views, printTable(headings, plans.map(rowOf)).trimEnd());
}

async function remove(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  if (!(await mayRemove(call, ({ plans }) => describe(plans, name)))) return;
  await changeDomain(call, false, ({ plans }) => plans.delete(cliAct(), name));
  say(call, { deleted: name }, `deleted the plan ${name}`);
}

async function describe(plans: Domain['plans'], name: string): Promise<Removal> {
  const plan = (await plans.list()).find((known) => known.name === name);
  if (plan === undefined) throw new UsageError(`unknown plan ${JSON.stringify(name)}`);
  const { integrations } = plan;
  return {
    text: `the plan ${name}, to which ${printCount(integrations, 'integration is', 'integrations are')} assigned`,
    view: { plan: name, integrations },
  };
}

function say({ config, terminal }: Call, value: unknown, text: string): void {
  terminal.stdout.write(config.settings.json ? printJson(value) : `${text}\n`);
}

function viewOf({ name, signalsMax, itemsMax, pointsPerDayMax, rates, isHard }: Plan) {
  return {
    name,
    mode: isHard ? 'hard' : 'soft',
    signals: signalsMax,
    items: itemsMax,
    pointsPerDay: pointsPerDayMax,
    rates: Object.fromEntries(rates),
  };
}

function rowOf(plan: ListedPlan): string[] {
  const { name, signalsMax, itemsMax, pointsPerDayMax, rates, isHard, integrations } = plan;
  const perMethod = [...rates].map(([method, rate]) => `${method}=${printRate(rate)}`);
  return [
    name,
    isHard ? 'hard' : 'soft',
    printMax(signalsMax),
    printMax(itemsMax),
    printMax(pointsPerDayMax),
    perMethod.join(' ') || '-',
    String(integrations),
  ];
}

function printMax(max: number | null): string {
  return max === null ? 'unlimited' : String(max);
}
