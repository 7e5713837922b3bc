/** `tidemark plan …`: plans, which are named sets of limits, and the integrations that they apply to (L4). */
import type { ListedPlan } from '#domain/plans/plans';
import { type Plan, printRate, unlimitedPlan } from '#model/plan';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { planOptions, readPlanOptions } from './plan-options.ts';
import { mayRemove, removalOptions } from './removal.ts';
import { printResult } from './result.ts';
import { printCount, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'create <name>',
    summary: 'create a plan; limits that are not given are unlimited',
    options: planOptions,
    action: create,
  },
  {
    usage: 'set <name>',
    summary: 'change a plan, within a second; "default" is the plan of integrations without another one',
    options: planOptions,
    action: set,
  },
  {
    usage: 'assign <integration> <name>',
    summary: 'assign a plan to an integration, within a second',
    action: assign,
  },
  { usage: 'list', summary: 'list plans', action: list },
  {
    usage: 'delete <name>',
    summary: 'delete a plan to which no integration is assigned',
    options: removalOptions,
    action: remove,
  },
];

async function create(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  const change = await readPlanOptions(call);
  const plan = await changeDomain(call, false, ({ plans }) =>
    plans.create(cliAct(), change(unlimitedPlan(name))),
  );
  printResult(call, viewOf(plan), `created the plan ${name}`);
}

async function set(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  const change = await readPlanOptions(call);
  const plan = await changeDomain(call, false, ({ plans }) => plans.set(cliAct(), name, change));
  printResult(call, viewOf(plan), `changed the plan ${name}`);
}

async function assign(call: Call): Promise<undefined> {
  const [integration, plan] = call.args.map(String);
  await changeDomain(call, false, ({ plans }) => plans.assign(cliAct(), integration, plan));
  printResult(call, { integration, plan }, `integration ${integration} has the plan ${plan}`);
}

async function list(call: Call): Promise<undefined> {
  const plans = await withDomain(call, false, (domain) => domain.plans.list());
  const headings = ['name', 'mode', 'signals', 'items', 'points a day', 'rates', 'integrations'];
  const views = plans.map((plan) => ({ ...viewOf(plan), integrations: plan.integrations }));
  printResult(call, views, printTable(headings, plans.map(cellsOf)));
}

async function remove(call: Call): Promise<undefined> {
  const name = String(call.args[0]);
  const isConfirmed = await mayRemove(call, async ({ plans }) => {
    const plan = (await plans.list()).find((known) => known.name === name);
    if (plan === undefined) throw new UsageError(`unknown plan ${JSON.stringify(name)}`);
    const { integrations } = plan;
    const assigned = `${printCount(integrations, 'integration is', 'integrations are')} assigned`;
    return { text: `the plan ${name}, to which ${assigned}`, view: { plan: name, integrations } };
  });
  if (!isConfirmed) return;
  await changeDomain(call, false, ({ plans }) => plans.delete(cliAct(), name));
  printResult(call, { deleted: name }, `deleted the plan ${name}`);
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

function cellsOf(plan: ListedPlan): string[] {
  const { name, mode, signals, items, pointsPerDay } = viewOf(plan);
  const limits = [signals, items, pointsPerDay].map((max) => String(max ?? 'unlimited'));
  const rates = [...plan.rates].map(([method, rate]) => `${method}=${printRate(rate)}`).join(' ');
  return [name, mode, ...limits, rates || '-', String(plan.integrations)];
}
