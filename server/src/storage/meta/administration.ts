/** Plans, usage and the audit: records ⇄ rows of their tables. */
import { type RawBuilder, sql } from 'kysely';
import type { Plan, Rate } from '#model/plan';
import { type Tally, tallied, type UsageRow } from '#model/usage';
import type { AuditRow } from '#storage/store';
import { numberOrNull } from './resource.ts';
import type { SqlRow } from './sql-runner.ts';

/** The plan in a row. */
export function planOf(row: SqlRow): Plan {
  return {
    name: String(row.name),
    signalsMax: numberOrNull(row.signals_max),
    itemsMax: numberOrNull(row.items_max),
    pointsPerDayMax: numberOrNull(row.points_per_day_max),
    rates: new Map(Object.entries(JSON.parse(String(row.rates)) as Record<string, Rate>)),
    isHard: Number(row.is_hard) === 1,
  };
}

/** The columns of a plan's row, without its name. */
export function planColumns({ signalsMax, itemsMax, pointsPerDayMax, rates, isHard }: Plan) {
  return {
    signals_max: signalsMax,
    items_max: itemsMax,
    points_per_day_max: pointsPerDayMax,
    rates: JSON.stringify(Object.fromEntries(rates)),
    is_hard: isHard ? 1 : 0,
  };
}

/** The column of each count. */
const columnOf = Object.fromEntries(
  tallied.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
) as Record<keyof Tally, string>;

/** The usage in a row. */
export function usageOf(row: SqlRow): UsageRow {
  const tally = Object.fromEntries(tallied.map((name) => [name, Number(row[columnOf[name]])])) as Tally;
  return { integration: String(row.integration), day: Number(row.day), tally };
}

/** The statement that adds counts to rows, or makes them, and gives them back. Each key occurs once. */
export function usageAddition(rows: readonly UsageRow[]): RawBuilder<unknown> {
  const columns = tallied.map((name) => columnOf[name]);
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const values = rows.map(
    ({ integration, day, tally }) =>
      sql`(${sql.join([day, integration, ...tallied.map((name) => tally[name])])})`,
  );
  const sums = columns.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`usage.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  return sql`insert into usage (day, integration, ${names}) values ${sql.join(values)}
    on conflict (day, integration) do update set ${sql.join(sums)} returning *`;
}

/** The audit row in a row. */
export function auditRowOf(row: SqlRow): AuditRow {
  return {
    seq: Number(row.seq),
    timeMs: Number(row.time_ms),
    actor: String(row.actor),
    origin: String(row.origin),
    action: String(row.action),
    target: String(row.target),
    change: String(row.change),
    previous: String(row.previous),
    hash: String(row.hash),
  };
}
