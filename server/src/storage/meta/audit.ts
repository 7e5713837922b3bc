/** The audit in SQL. */

import type { AuditRow, AuditWrites } from '../meta-store.ts';
import { all } from './filter-sql.ts';
import { identifier, insertion, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';

/** A row of the table. */
export type StoredAuditRow = Omit<AuditRow, 'timeMs'> & { time_ms: number };

/** The audit of a store. */
export function auditIn(access: SqlAccess): AuditWrites {
  return {
    async list({ isDescending, afterSeq, beforeSeq, limit, ...equal }) {
      const conditions = (['actor', 'action', 'target'] as const).flatMap((column) =>
        equal[column] === null ? [] : [sql`${identifier(column)} = ${equal[column]}`],
      );
      if (beforeSeq !== undefined) conditions.push(sql`seq < ${beforeSeq}`);
      const order = isDescending ? sql`desc` : sql`asc`;
      const rows = await access.rows(
        sql<StoredAuditRow>`select * from audit where ${all([sql`seq > ${afterSeq}`, ...conditions])} order by seq ${order} limit ${limit}`,
      );
      return rows.map(auditRowOf);
    },
    async insert({ timeMs, ...row }) {
      await access.run(insertion(sql`audit`, [{ ...row, time_ms: timeMs }]));
    },
    async deleteThrough(seq) {
      await access.run(sql`delete from audit where seq <= ${seq}`);
    },
  };
}

/** The row of the audit in a row of the table. */
export function auditRowOf({ time_ms: timeMs, ...row }: StoredAuditRow): AuditRow {
  return { ...row, timeMs };
}
