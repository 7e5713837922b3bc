/** Sums over rows of usage. */
import type { UsageRow } from '@tidemark/client/wire';
import { csvOf } from '../../parts/csv.ts';

/** Counts of an integration, over a day or more. */
export type Tally = Omit<UsageRow, 'day' | 'integration'>;

/** The counts of one integration over all days. */
export interface UsageSum {
  integration: string;
  tally: Tally;
}

/** The sum for each integration. */
export function byIntegration(rows: readonly UsageRow[]): UsageSum[] {
  const groups = Map.groupBy(rows, ({ integration }) => integration);
  return [...groups].map(([integration, own]) => ({ integration, tally: own.map(tallyOf).reduce(add) }));
}

/** The points of each of the last `count` UTC days, today last; also for days without usage. */
export function byDay(
  rows: readonly UsageRow[],
  count: number,
  nowMs: number,
): { day: string; points: number }[] {
  const groups = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(nowMs - (count - 1 - i) * 86_400_000).toISOString().slice(0, 10);
    return { day, points: (groups.get(day) ?? []).reduce((sum, { points }) => sum + points, 0) };
  });
}

/** All rows as CSV (RFC 4180), with a line of column names if there are rows. */
export function toCsv(rows: readonly UsageRow[], names: ReadonlyMap<string, string>): string {
  const lines = rows.map(({ day, integration, ...counts }) => {
    const name = names.get(integration) ?? '';
    return { day, integration, name, ...counts };
  });
  const head = Object.keys(lines[0] ?? {});
  return csvOf([head, ...lines.map((line) => Object.values(line).map(String))]);
}

function tallyOf({ day: _day, integration: _integration, ...tally }: UsageRow): Tally {
  return tally;
}

function add(a: Tally, b: Tally): Tally {
  const names = Object.keys(a) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Tally;
}
