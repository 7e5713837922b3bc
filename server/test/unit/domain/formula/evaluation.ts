/** Evaluates formulas over a few buckets of one minute, in compact notation: `1 _ 3` is a column with a null. */
import type { Calculation, CalculationPlan } from '#domain/formula/formula';
import * as formula from '#domain/formula/formula';
import type { Limits } from '#model/limits';
import { limitDefaults } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { runAtOnce, runSteps, type Steps } from '#model/steps';

/** What a test sets in addition to the formulas; everything else is as in production. */
export interface Setting {
  /** Columns by alias, in compact notation. A `|` is before the window's first bucket, another after its last. */
  given?: Record<string, string>;
  gapUs?: number;
  bucketUs?: number;
  startUs?: number;
  limits?: Partial<Limits>;
  returned?: string[];
}

/** `1 _ -3.5` → values, NaN for `_`. */
export function readColumn(text: string): Float64Array {
  const words = text.split(/[\s|]+/).filter((word) => word !== '');
  return Float64Array.from(words, (word) => (word === '_' ? Number.NaN : Number(word)));
}

/** Values → `1 _ -3.5`. */
export function printColumn(values: Iterable<number>): string {
  return Array.from(values, (value) =>
    Number.isNaN(value) ? '_' : Object.is(value, -0) ? '-0' : String(value),
  ).join(' ');
}

/** Evaluates calculations; alias → column in compact notation. */
export async function evaluateAll(
  calculations: Calculation[],
  setting: Setting = {},
): Promise<Record<string, string>> {
  const { given = { a: '0' }, bucketUs = 60e6, startUs = 0 } = setting;
  const texts = Object.values(given);
  const [before, inside, after] = texts[0].includes('|')
    ? texts[0].split('|').map(readColumn)
    : [[], readColumn(texts[0]), []];
  const total = before.length + inside.length + after.length;
  const edgesUs = Float64Array.from(
    { length: total + 1 },
    (_, i) => startUs + (i - before.length) * bucketUs,
  );
  const plan = planCalculations(calculations, scopeOf(setting, inside.length));
  const columns = new Map(Object.entries(given).map(([alias, text]) => [alias, readColumn(text)]));
  const buckets = { edgesUs, first: before.length, count: inside.length };
  const results = await atOnce(formula.evaluateCalculations(plan, columns, buckets));
  return Object.fromEntries([...results].map(([alias, values]) => [alias, printColumn(values)]));
}

/** The result of a computation whose steps nothing interrupts. */
export function atOnce<T>(steps: Steps<T>): Promise<T> {
  return runSteps(steps, runAtOnce);
}

/** What calculations can refer to, and what they are computed over. */
export interface Scope {
  signals: ReadonlyMap<string, { gapUs: number }>;
  /** Null: all are returned. */
  returned: ReadonlySet<string> | null;
  bucketCount: number;
  bucketUsMin: number | null;
  limits: Limits;
}

/** Checks calculations and plans them, as a request does. Fails with `invalid-params`. */
export function planCalculations(calculations: Calculation[], scope: Scope): CalculationPlan {
  const { signals, returned, ...rest } = scope;
  const problems = new ProblemList();
  const checked = formula.checkCalculations(
    calculations,
    { signals: new Set(signals.keys()), ...rest },
    problems,
  );
  problems.throwIfAny();
  return formula.planCalculations(checked, {
    ...rest,
    gapsUs: new Map([...signals].map(([alias, { gapUs }]) => [alias, gapUs])),
    returned: returned ?? new Set(calculations.map(({ alias }) => alias)),
  });
}

/** The scope of {@link evaluateAll}. */
export function scopeOf(setting: Setting, bucketCount: number): Scope {
  const { given = { a: '0' }, gapUs = Number.POSITIVE_INFINITY, bucketUs = 60e6 } = setting;
  return {
    signals: new Map(Object.keys(given).map((alias) => [alias, { gapUs }])),
    returned: setting.returned === undefined ? null : new Set(setting.returned),
    bucketCount,
    bucketUsMin: bucketUs,
    limits: { ...limitDefaults, ...setting.limits },
  };
}

/** Evaluates one formula over the columns given. */
export async function evaluate(formula: string, setting: Setting = {}): Promise<string> {
  const results = await evaluateAll([{ alias: 'c1', formula }], setting);
  return results.c1;
}
