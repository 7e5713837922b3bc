/** Usage in SQL. */

import { type Tally, tallied, type UsageRow } from '#model/usage';
import type { UsageWrites } from '../meta-store.ts';
import { columnOf } from './record-table.ts';
import { identifier, insertion, join, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';
import type { SqlRow } from './sql-runner.ts';

/** Rows in one statement: each has a dozen parameters, and a statement is compiled for each count of rows. */
const rowsMax = 100;

/** With a column for each count. */
interface StoredUsage extends SqlRow {
  integration: string;
  day: number;
}

const columns = tallied.map(columnOf);

/** The usage of a store. */
export function usageIn(access: SqlAccess): UsageWrites {
  return {
    async list(integration, fromDay) {
      const mine = integration === null ? sql`` : sql`and integration = ${integration}`;
      const rows = await access.rows(
        sql<StoredUsage>`select * from usage where day >= ${fromDay} ${mine} order by day, integration`,
      );
      return rows.map(usageOf);
    },
    async add(rows) {
      const sums: UsageRow[] = [];
      for (let start = 0; start < rows.length; start += rowsMax) {
        const stored = await access.changed(additionOf(rows.slice(start, start + rowsMax)));
        sums.push(...stored.map(usageOf));
      }
      return sums;
    },
    async noteFlush(flush) {
      const noted = await access.changed(sql<{
        number: number;
      }>`${insertion(sql`usage_flush`, [{ ...flush }])}
        on conflict (writer) do update set number = excluded.number, day = excluded.day
        where usage_flush.number < excluded.number returning number`);
      return noted.length > 0;
    },
    async deleteBefore(day) {
      for (const table of ['usage', 'usage_flush'])
        await access.run(sql`delete from ${identifier(table)} where day < ${day}`);
    },
  };
}

function usageOf({ integration, day, ...counts }: StoredUsage): UsageRow {
  const tally = Object.fromEntries(tallied.map((name, i) => [name, counts[columns[i]]])) as Tally;
  return { integration, day, tally };
}

/** Adds counts to rows, or creates them, and returns them. Each key occurs once. */
function additionOf(rows: readonly UsageRow[]) {
  const names = join(columns.map((name) => identifier(name)));
  const values = rows.map(
    ({ integration, day, tally }) =>
      sql`(${join([day, integration, ...tallied.map((name) => tally[name])])})`,
  );
  const sums = columns.map(
    (name) => sql`${identifier(name)} = ${identifier(`usage.${name}`)} + ${identifier(`excluded.${name}`)}`,
  );
  return sql<StoredUsage>`insert into usage (day, integration, ${names}) values ${join(values)}
    on conflict (day, integration) do update set ${join(sums)} returning *`;
}
