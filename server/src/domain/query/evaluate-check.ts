/** What can be wrong with an evaluate call before anything is looked up (Q9-Q12, L1). */
import { aliasProblem } from '#domain/formula/formula';
import { invalidParams, type ParamProblems } from '#model/error';
import type { Limits } from '#model/limits';
import { stateMax } from '#model/state-time';
import { isStateAggregation } from './aggregation.ts';
import type { Aggregated, EvaluateRequest } from './request.ts';

/** Fails with `invalid-params`, all problems at once, by path. */
export function checkEvaluate(request: EvaluateRequest, limits: Limits): void {
  const problems: ParamProblems = {};
  checkCounts(request, limits, problems);
  checkAliases(request, problems);
  const isWindow = request.data.rollup === 'window';
  for (const [i, item] of request.items.entries())
    checkAggregated(item, `items.${i}`, isWindow, limits, problems);
  for (const [i, group] of request.groups.entries())
    checkAggregated(group, `groups.${i}`, isWindow, limits, problems);
  if (request.data.rollup === null) add(problems, request.paths.rollup, 'required');
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
}

function add(problems: ParamProblems, path: string, text: string): void {
  problems[path] ??= [];
  problems[path].push(text);
}

/** Groups have the limit of calculations: each is a query of its own. */
function checkCounts(
  { calculations, groups }: EvaluateRequest,
  limits: Limits,
  problems: ParamProblems,
): void {
  const max = limits.calculationsMax;
  for (const [path, { length }] of Object.entries({ calculations, groups })) {
    if (length > max) add(problems, path, `must have at most ${max} entries, got ${length}`);
  }
}

/** Every alias is valid and occurs once; those that are to be returned exist (Q11). */
function checkAliases(
  { items, groups, calculations, data, paths }: EvaluateRequest,
  problems: ParamProblems,
): void {
  const pathByAlias = new Map<string, string>();
  for (const [list, entries] of Object.entries({ items, groups, calculations })) {
    entries.forEach(({ alias }: { alias: string }, i: number) => {
      const problem = aliasProblem(alias) ?? repeatProblem(alias, pathByAlias.get(alias));
      if (problem !== null) add(problems, `${list}.${i}.alias`, problem);
      else pathByAlias.set(alias, `${list}.${i}`);
    });
  }
  data.series?.forEach((alias, i) => {
    const problem = `unknown alias ${JSON.stringify(alias.slice(0, 64))}; no item, group or calculation has it`;
    if (!pathByAlias.has(alias)) add(problems, `${paths.series}.${i}`, problem);
  });
}

function repeatProblem(alias: string, path: string | undefined): string | null {
  return path === undefined ? null : `must be unique, but ${path} has the alias "${alias}" too`;
}

function checkAggregated(
  { aggregation, state, lead, lag }: Aggregated,
  path: string,
  isWindow: boolean,
  limits: Limits,
  problems: ParamProblems,
): void {
  checkOffset(lead, lag, path, isWindow, limits, problems);
  if (!isStateAggregation(aggregation)) return;
  if (state === null) add(problems, `${path}.state`, 'required');
  else if (!Number.isInteger(state) || state < 0 || state > stateMax) {
    add(problems, `${path}.state`, `must be a whole number from 0 to ${stateMax}, got ${state}`);
  }
}

/** Lead and lag on their own, then their difference (Q9). */
function checkOffset(
  lead: number,
  lag: number,
  path: string,
  isWindow: boolean,
  { offsetBucketsMax: max }: Limits,
  problems: ParamProblems,
): void {
  let isValid = true;
  for (const [name, value] of Object.entries({ lead, lag })) {
    if (Number.isInteger(value) && Math.abs(value) <= max) continue;
    add(problems, `${path}.${name}`, `must be a whole number from ${-max} to ${max}, got ${value}`);
    isValid = false;
  }
  const offset = lead - lag;
  if (!isValid || Math.abs(offset) <= (isWindow ? 0 : max)) return;
  const problem = isWindow
    ? `lead minus lag must be 0 with rollup "window": there is no other bucket to shift from; use a duration as rollup, got ${offset}`
    : `lead minus lag must be from ${-max} to ${max}, got ${offset}`;
  add(problems, `${path}.${lag === 0 ? 'lead' : 'lag'}`, problem);
}
