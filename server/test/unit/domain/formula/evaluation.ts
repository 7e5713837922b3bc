/** Evaluates formulas over a few buckets of one minute, in compact notation: `1 _ 3` is a column with a null. */
import type { Calculation, Scope } from '#domain/formula/formula';
import { evaluateCalculations, planCalculations } from '#domain/formula/formula';
import type { Limits } from '#model/limits';
import { limitDefaults } from '#model/limits';

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
  const results = await evaluateCalculations(plan, columns, buckets, { pause: async () => {} });
  return Object.fromEntries([...results].map(([alias, values]) => [alias, printColumn(values)]));
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
