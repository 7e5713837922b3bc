/**
 * The interface of the formula language (query.md F): what domain/query needs to plan and evaluate the calculations of one
 * request. Pure: no clock, no disk, no store.
 *
 * Use: {@link checkCalculations} before anything is known but the request; {@link planCalculations} before reading (it says
 * which columns are needed, and how far outside the window), then {@link evaluateCalculations} over the columns that were read.
 */
import { bug, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { ProblemList } from '#model/problem-list';
import type { Steps } from '#model/steps';
import { checkFormula, type FormulaHome } from './check.ts';
import { compileFormula } from './compile.ts';
import { run, Workspace } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { namedValuesByName } from './function-table.ts';
import { parseFormula } from './parse.ts';
import { FormulaError, printProblem } from './problem.ts';
import type { Program } from './program.ts';
import { type Need, needNothing, nested, type Reach, reachOf, widest, widestReach } from './reach.ts';

export { type Reach, widestReach } from './reach.ts';

/** A calculation as it was asked for. */
export interface Calculation {
  alias: string;
  formula: string;
}

/** What the calculations of one request may refer to. */
export interface CheckScope {
  /** The aliases of items and groups. */
  signals: ReadonlySet<string>;
  /** The narrowest bucket that can occur, µs (of days: 23 h or less); null with `window`: nothing outside is read. */
  bucketUsMin: number | null;
  limits: Limits;
  /** What the formulas are of; for errors. Default: an evaluate call. */
  of?: FormulaHome;
}

/** What calculations are to be computed over. */
export interface PlanScope {
  /** Alias of an item or group → how long gapfill carries a value, µs; Infinity where gapDetection is unset (F4). */
  gapsUs: ReadonlyMap<string, number>;
  /** The aliases that are returned (Q11); what they do not need is neither read nor computed. */
  returned: ReadonlySet<string>;
  /** Buckets of the window. */
  bucketCount: number;
  /** As in {@link CheckScope}. */
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

/** Calculations that are checked and ready: what they need, and how to compute them. */
export interface CalculationPlan {
  /** Items and groups that are needed by calculations, each with how far outside the window. Others are absent. */
  needs: ReadonlyMap<string, Reach>;
  /** How far outside the window buckets are needed: by how much the plan of the read is to be widened. */
  reach: Reach;
  /** In order of computing; those that are not needed are left out. */
  calculations: readonly PlannedCalculation[];
  /** Work for one bucket, in about nanoseconds. */
  work: number;
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

/** A formula that was parsed and checked. */
export interface CheckedCalculation {
  alias: string;
  expression: Expression;
  needs: ReadonlyMap<string, Need>;
  /** Everything it needs around a bucket where it is needed itself. */
  need: Need;
}

/** Reads and checks all formulas, in order; problems are noted by path `calculations.<index>.formula` (F6), of all formulas. */
export function checkCalculations(
  calculations: readonly Calculation[],
  scope: CheckScope,
  problems: ProblemList,
): CheckedCalculation[] {
  const hidden = new Set(calculations.map(({ alias }) => alias));
  const earlier = new Map<string, Need>();
  const checked: CheckedCalculation[] = [];
  calculations.forEach((calculation, index) => {
    let need = needNothing;
    try {
      const one = checkOne(calculation, scope, earlier, hidden);
      checked.push(one);
      need = one.need;
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      for (const problem of error.problems)
        problems.add(['calculations', index, 'formula'], printProblem(problem));
    }
    // A broken calculation stays known to later ones, so that its problem is reported once.
    hidden.delete(calculation.alias);
    earlier.set(calculation.alias, need);
  });
  return checked;
}

/**
 * Prepares the calculations that are needed. Fails with `invalid-params` by path `calculations` when together they are too much
 * work for this many buckets.
 */
export function planCalculations(checked: readonly CheckedCalculation[], scope: PlanScope): CalculationPlan {
  const { gapsUs, returned, bucketCount, bucketUsMin, limits } = scope;
  const { offsetBucketsMax } = limits;
  const demands = demandsOf(checked, returned);
  const wanted = checked.filter(({ alias }) => demands.has(alias));
  const planned = wanted.map((calculation, index) => planOne(calculation, wanted.slice(index + 1), scope));
  const needs = new Map<string, Reach>();
  for (const [alias, gapUs] of gapsUs) {
    const demand = demands.get(alias);
    const gapBuckets = bucketUsMin === null ? 0 : Math.min(offsetBucketsMax, Math.floor(gapUs / bucketUsMin));
    if (demand !== undefined) needs.set(alias, reachOf(demand, gapBuckets, offsetBucketsMax));
  }
  const own = wanted.map(({ alias, need }) => nested(demands.get(alias)!, need));
  const reach = widestReach([...needs.values(), ...own]);
  const columnsMax = columnsAtOnce(planned);
  const needsWhole = planned.some(({ program }) => program.needsWhole);
  const rows = bucketCount + reach.back + reach.ahead;
  const work = planned.reduce((sum, { program }) => sum + program.work, 0);
  const problem = tooMuchProblem(work, needsWhole ? columnsMax + needs.size : 0, rows, limits);
  if (problem !== null) throw invalidParams({ calculations: [problem] });
  return { needs, reach, calculations: planned, work, columnsMax, needsWhole, offsetBucketsMax };
}

/**
 * Computes the calculations of a plan that are returned: alias → values of the window's buckets (`buckets.count` each,
 * NaN for null; never infinite, never -0), in the order asked for. `columns` has every alias of `plan.needs`, each as
 * long as `buckets` (edgesUs.length - 1), NaN for null; they are not changed.
 */
export function* evaluateCalculations(
  plan: CalculationPlan,
  columns: ReadonlyMap<string, Float64Array>,
  buckets: BucketRun,
): Steps<Map<string, Float64Array>> {
  const { first, count } = buckets;
  const results = yield* evaluateAround(plan, columns, buckets);
  for (const [alias, column] of results) results.set(alias, column.subarray(first, first + count));
  return results;
}

/** As {@link evaluateCalculations}, with the values of the buckets around the window too; they are right as far as `columns` are. */
export function* evaluateAround(
  plan: CalculationPlan,
  columns: ReadonlyMap<string, Float64Array>,
  buckets: BucketRun,
): Steps<Map<string, Float64Array>> {
  const workspace = new Workspace({ ...buckets, offsetBucketsMax: plan.offsetBucketsMax });
  for (const alias of plan.needs.keys())
    workspace.columns.set(alias, columnFor(alias, columns, workspace.rows));
  const results = new Map<string, Float64Array>();
  for (const calculation of plan.calculations) {
    const column = yield* run(calculation.program, workspace);
    workspace.columns.set(calculation.alias, column);
    for (const name of calculation.frees) workspace.reclaim(name);
    if (calculation.returned) results.set(calculation.alias, column);
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

function checkOne(
  { alias, formula }: Calculation,
  { signals, bucketUsMin, limits, of = 'call' }: CheckScope,
  earlier: ReadonlyMap<string, Need>,
  hidden: ReadonlySet<string>,
): CheckedCalculation {
  const { offsetBucketsMax } = limits;
  const expression = parseFormula(formula, limits);
  const scope = { signals, earlier, hidden, bucketUsMin, offsetBucketsMax, of };
  const found = checkFormula(expression, scope);
  if (found.problems.length > 0) throw new FormulaError(found.problems);
  return { alias, expression, needs: found.needs, need: found.need };
}

/** Where the values of each alias are needed: from the last calculation to the first, as each one sees only earlier ones. */
function demandsOf(checked: readonly CheckedCalculation[], returned: ReadonlySet<string>): Map<string, Need> {
  const demands = new Map<string, Need>();
  for (const { alias, needs } of checked.toReversed()) {
    if (returned.has(alias)) demands.set(alias, widest(needNothing, demands.get(alias)));
    const demand = demands.get(alias);
    if (demand === undefined) continue;
    for (const [name, need] of needs) demands.set(name, widest(nested(demand, need), demands.get(name)));
  }
  return demands;
}

function planOne(
  { alias, expression, needs }: CheckedCalculation,
  later: readonly CheckedCalculation[],
  { gapsUs, returned }: PlanScope,
): PlannedCalculation {
  const isNeededLater = (name: string) => later.some((calculation) => calculation.needs.has(name));
  const frees = [...needs.keys()].filter(
    (name) => !gapsUs.has(name) && !returned.has(name) && !isNeededLater(name),
  );
  const gapUsOf = (name: string) => gapsUs.get(name) ?? bug(`gapfill of "${name}", which is no signal`);
  const program = compileFormula(expression, gapUsOf);
  return { alias, returned: returned.has(alias), program, frees };
}

/**
 * What is wrong with calculations that would take too long to compute, or too much memory: `columnsMax` columns over all
 * buckets; 0 where they are computed in pieces. `work` is that for one bucket. Null: they may be computed.
 */
export function tooMuchProblem(
  work: number,
  columnsMax: number,
  rows: number,
  limits: Limits,
): string | null {
  const workMs = Math.ceil((work * rows) / 1e6);
  const values = columnsMax * rows;
  const advice = `over ${rows} buckets; use wider buckets, a shorter window or shorter formulas`;
  if (workMs > limits.formulaWorkMsMax)
    return `must take at most ${limits.formulaWorkMsMax} ms to compute, estimated are ${workMs} ms ${advice}`;
  if (values > limits.formulaValuesMax)
    return `must hold at most ${limits.formulaValuesMax} values at one time, estimated are ${values} ${advice}`;
  return null;
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
