/**
 * The interface of the formula language (query.md F): what domain/query needs to plan and evaluate the calculations of one
 * request. Pure: no clock, no disk, no store; pausing is a hook of the caller.
 *
 * Use: {@link planCalculations} before reading (it says which columns are needed, and how far outside the window),
 * then {@link evaluateCalculations} over the columns that were read.
 */
import type { ParamProblems } from '#model/error';
import { bug, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { SignalFacts } from './check.ts';
import { checkFormula } from './check.ts';
import { compileFormula } from './compile.ts';
import { run, Workspace } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { namedValuesByName } from './function-table.ts';
import { parseFormula } from './parse.ts';
import { FormulaError, printProblem } from './problem.ts';
import type { Program } from './program.ts';
import type { Need, Reach } from './reach.ts';
import { needNothing, nested, reachOf, widest } from './reach.ts';

export type { SignalFacts } from './check.ts';
export type { Reach } from './reach.ts';

/** A calculation as it was asked for. */
export interface Calculation {
  alias: string;
  formula: string;
}

/** What the calculations of one request may refer to, and what they are to be computed over. */
export interface Scope {
  /** Items and groups by alias. */
  signals: ReadonlyMap<string, SignalFacts>;
  /** The aliases that are returned (Q11), or null for all; what they do not need is neither read nor computed. */
  returned: ReadonlySet<string> | null;
  /** Buckets of the window. */
  bucketCount: number;
  /** The narrowest bucket that can occur, µs (of days: 23 h or less); null with `window`: nothing outside is read. */
  bucketUsMin: number | null;
  limits: Limits;
}

/** The buckets of the columns: the window's, and those around it that {@link CalculationPlan.reach} asks for. */
export interface BucketRun {
  /** Bucket i is `[edgesUs[i], edgesUs[i + 1])`; one more edge than the columns have values. */
  edgesUs: Float64Array;
  /** Index of the window's first bucket: how many buckets lie before the window; at least `reach.back`. */
  first: number;
  /** Number of buckets in the window; at least `reach.ahead` more follow. */
  count: number;
}

/** How a long evaluation stays polite. */
export interface RunOptions {
  /** Ends the evaluation: its reason is thrown. Checked about every 5 ms of work. */
  signal?: AbortSignal | undefined;
  /** Awaited about every 5 ms of work, so that others get a turn (`setImmediate` as a promise). */
  pause: () => Promise<void>;
}

/** Calculations that are checked and ready: what they need, and how to compute them. */
export interface CalculationPlan {
  /** Items and groups that are needed by calculations, each with how far outside the window. Others are absent. */
  needs: ReadonlyMap<string, Reach>;
  /** How far outside the window buckets are needed: by how much the plan of the read is to be widened. */
  reach: Reach;
  /** In order of computing; those that are not needed are left out. */
  calculations: readonly PlannedCalculation[];
  /** The most columns that exist at one time while it is computed, results among them. */
  columnsMax: number;
  /** Whether all buckets of the window have to be computed at once; otherwise they may be in pieces, each with its reach. */
  needsWhole: boolean;
  offsetBucketsMax: number;
}

/** One calculation of a {@link CalculationPlan}. */
export interface PlannedCalculation {
  alias: string;
  returned: boolean;
  program: Program;
  /** Calculations that nothing needs any more once this one is computed, and that are not returned. */
  frees: readonly string[];
}

/** A formula that was read and checked, on its way into a plan. */
interface Checked {
  alias: string;
  expression: Expression;
  needs: ReadonlyMap<string, Need>;
  /** Everything it needs around a bucket where it is needed itself. */
  need: Need;
}

/**
 * Checks all calculations, in order, and prepares those that are needed.
 * Fails with `invalid-params`: problems by path `calculations.<index>.formula` (F6), of all formulas at once; by path
 * `calculations` when together they are too much work for this many buckets.
 */
export function planCalculations(calculations: readonly Calculation[], scope: Scope): CalculationPlan {
  const checked = checkAll(calculations, scope);
  const demands = demandsOf(checked, scope.returned);
  const offsetBucketsMax = scope.limits.offsetBucketsMax;
  const wanted = checked.filter(({ alias }) => demands.has(alias));
  const planned = wanted.map((calculation, index) => planOne(calculation, wanted.slice(index + 1), scope));
  const all = wanted.reduce(
    (sum, { alias, need }) => widest(nested(demands.get(alias)!, need), sum),
    needNothing,
  );
  const needs = new Map<string, Reach>();
  for (const alias of scope.signals.keys()) {
    const demand = demands.get(alias);
    if (demand !== undefined) needs.set(alias, reachOf(demand, offsetBucketsMax));
  }
  const reach = reachOf(all, offsetBucketsMax);
  const columnsMax = columnsAtOnce(planned);
  const needsWhole = planned.some(({ program }) => program.needsWhole);
  const rows = scope.bucketCount + reach.back + reach.ahead;
  refuseTooMuch(planned, needsWhole ? columnsMax + needs.size : 0, rows, scope.limits);
  return { needs, reach, calculations: planned, columnsMax, needsWhole, offsetBucketsMax };
}

/**
 * Computes the calculations of a plan that are returned: alias → values of the window's buckets (`buckets.count` each,
 * NaN for null; never infinite, never -0), in the order asked for. `columns` has every alias of `plan.needs`, each as
 * long as `buckets` (edgesUs.length - 1), NaN for null; they are not changed.
 */
export async function evaluateCalculations(
  plan: CalculationPlan,
  columns: ReadonlyMap<string, Float64Array>,
  buckets: BucketRun,
  options: RunOptions,
): Promise<Map<string, Float64Array>> {
  const workspace = new Workspace({ ...buckets, offsetBucketsMax: plan.offsetBucketsMax });
  for (const alias of plan.needs.keys())
    workspace.columns.set(alias, columnFor(alias, columns, workspace.rows));
  const results = new Map<string, Float64Array>();
  for (const calculation of plan.calculations) {
    const column = await drive(run(calculation.program, workspace), options);
    workspace.columns.set(calculation.alias, column);
    for (const name of calculation.frees) workspace.reclaim(name);
    if (calculation.returned) {
      results.set(calculation.alias, column.subarray(buckets.first, buckets.first + buckets.count));
    }
  }
  return results;
}

/**
 * Why this alias cannot be used (its form, or the name of a constant or variable: Q11), or null when it can. The name of a
 * function can: in formulas it is the function only where a parenthesis follows.
 */
export function aliasProblem(alias: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,27}$/.test(alias)) {
    return `must be 1 to 28 letters, digits or _, not beginning with a digit, got ${JSON.stringify(alias.slice(0, 64))}`;
  }
  if (namedValuesByName.has(alias)) return `must not be the name of a constant or variable, got "${alias}"`;
  return null;
}

/** Reads and checks every formula; fails with the problems of all. */
function checkAll(calculations: readonly Calculation[], scope: Scope): Checked[] {
  const problems: ParamProblems = {};
  const hidden = new Set(calculations.map(({ alias }) => alias));
  const earlier = new Map<string, Need>();
  const checked: Checked[] = [];
  calculations.forEach((calculation, index) => {
    let need = needNothing;
    try {
      const one = checkOne(calculation, scope, earlier, hidden);
      checked.push(one);
      need = one.need;
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      problems[`calculations.${index}.formula`] = error.problems.map(printProblem);
    }
    // A broken calculation stays known to later ones, so that its problem is reported once.
    hidden.delete(calculation.alias);
    earlier.set(calculation.alias, need);
  });
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
  return checked;
}

function checkOne(
  { alias, formula }: Calculation,
  { signals, bucketUsMin, limits }: Scope,
  earlier: ReadonlyMap<string, Need>,
  hidden: ReadonlySet<string>,
): Checked {
  const { offsetBucketsMax } = limits;
  const expression = parseFormula(formula, limits);
  const found = checkFormula(expression, { signals, earlier, hidden, bucketUsMin, offsetBucketsMax });
  if (found.problems.length > 0) throw new FormulaError(found.problems);
  return { alias, expression, needs: found.needs, need: found.need };
}

/** Where the values of each alias are needed: from the last calculation to the first, as each one sees only earlier ones. */
function demandsOf(checked: readonly Checked[], returned: ReadonlySet<string> | null): Map<string, Need> {
  const demands = new Map<string, Need>();
  for (const { alias, needs } of checked.toReversed()) {
    if (returned === null || returned.has(alias)) demands.set(alias, widest(needNothing, demands.get(alias)));
    const demand = demands.get(alias);
    if (demand === undefined) continue;
    for (const [name, need] of needs) demands.set(name, widest(nested(demand, need), demands.get(name)));
  }
  return demands;
}

function planOne(
  { alias, expression, needs }: Checked,
  later: readonly Checked[],
  { signals, returned }: Scope,
): PlannedCalculation {
  const isReturned = (name: string) => returned === null || returned.has(name);
  const isNeededLater = (name: string) => later.some((calculation) => calculation.needs.has(name));
  const frees = [...needs.keys()].filter(
    (name) => !signals.has(name) && !isReturned(name) && !isNeededLater(name),
  );
  const gapUsOf = (name: string) =>
    signals.get(name)?.gapUs ?? bug(`gapfill of "${name}", which is no signal`);
  const program = compileFormula(expression, gapUsOf);
  return { alias, returned: isReturned(alias), program, frees };
}

/**
 * Refuses before anything is read what would take too long to compute, or too much memory: `columnsMax` columns over all
 * buckets; 0 where they are computed in pieces.
 */
function refuseTooMuch(
  planned: readonly PlannedCalculation[],
  columnsMax: number,
  rows: number,
  limits: Limits,
): void {
  const workMs = Math.ceil((planned.reduce((sum, { program }) => sum + program.work, 0) * rows) / 1e6);
  const values = columnsMax * rows;
  const advice = `over ${rows} buckets; use wider buckets, a shorter window or shorter formulas`;
  const problem =
    workMs > limits.formulaWorkMsMax
      ? `must take at most ${limits.formulaWorkMsMax} ms to compute, estimated are ${workMs} ms ${advice}`
      : values > limits.formulaValuesMax
        ? `must hold at most ${limits.formulaValuesMax} values at one time, estimated are ${values} ${advice}`
        : null;
  if (problem !== null) throw invalidParams({ calculations: [problem] });
}

/** The most columns that exist at one time: results that are still needed, and those of the formula being computed. */
function columnsAtOnce(planned: readonly PlannedCalculation[]): number {
  let kept = 0;
  let most = 0;
  for (const { program, frees } of planned) {
    most = Math.max(most, kept + program.columnsMax);
    kept += 1 - frees.length;
  }
  return most;
}

function columnFor(alias: string, columns: ReadonlyMap<string, Float64Array>, rows: number): Float64Array {
  const column = columns.get(alias) ?? bug(`no column for "${alias}"`);
  return column.length === rows ? column : bug(`"${alias}" has ${column.length} values, not ${rows}`);
}

/** Runs a program to its end; others get their turns, and the caller can end it. */
async function drive<T>(running: Generator<void, T>, { signal, pause }: RunOptions): Promise<T> {
  signal?.throwIfAborted();
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
    await pause();
    signal?.throwIfAborted();
  }
}
