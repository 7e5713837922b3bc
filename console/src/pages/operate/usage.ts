/** Sums over rows of usage. */
import type { UsageRow } from '@tidemark/client/wire';
import { csvOf } from '../../parts/csv.ts';

/** What is counted. */
export const tallied = [
  'points',
  'requests',
  'bytesIn',
  'signals',
  'items',
  'rejected',
  'pointsOver',
  'requestsOver',
  'signalsOver',
  'itemsOver',
] as const;

/** Counts of an integration, over a day or more. */
export type Tally = Record<(typeof tallied)[number], number>;

/** The counts of one integration over all days. */
export interface UsageSum {
  integration: string;
  tally: Tally;
}

/** The sum for each integration. */
export function byIntegration(rows: readonly UsageRow[]): UsageSum[] {
  const groups = Map.groupBy(rows, ({ integration }) => integration);
  return [...groups].map(([integration, own]) => ({ integration, tally: sumOf(own) }));
}

/** The sum for each of the last `count` UTC days, today last; also for days without usage. */
export function byDay(
  rows: readonly UsageRow[],
  count: number,
  nowMs: number,
): { day: string; tally: Tally }[] {
  const groups = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(nowMs - (count - 1 - i) * 86_400_000).toISOString().slice(0, 10);
    return { day, tally: sumOf(groups.get(day) ?? []) };
  });
}

/** All rows as CSV (RFC 4180). */
export function toCsv(rows: readonly UsageRow[], names: ReadonlyMap<string, string>): string {
  const head = ['day', 'integration', 'name', ...tallied];
  const lines = rows.map((row) => [
    row.day,
    row.integration,
    names.get(row.integration) ?? '',
    ...tallied.map((name) => String(row[name])),
  ]);
  return csvOf([head, ...lines]);
}

function sumOf(rows: readonly UsageRow[]): Tally {
  const entries = tallied.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)] as const);
  return Object.fromEntries(entries) as Tally;
}
