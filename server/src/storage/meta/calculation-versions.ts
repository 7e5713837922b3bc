/** The versions of the calculations of items, in SQL. */
import type { CalculationVersion } from '#model/calculation';
import type { CalculationVersionWrites } from '../meta-store.ts';
import { sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';

interface VersionRow {
  item: string;
  /** JSON. */
  calculation: string;
  actor: string;
  saved_at_ms: number;
}

/** The versions of a store. */
export function calculationVersionsIn(access: SqlAccess): CalculationVersionWrites {
  return {
    async ofItem(item) {
      const rows = await access.rows(
        sql<VersionRow>`select * from calculation_version where item = ${item} order by version desc`,
      );
      return rows.map(versionOf);
    },
    async insert({ item, calculation, actor, savedAtMs }) {
      await access.run(
        sql`insert into calculation_version (item, version, calculation, actor, saved_at_ms)
          values (${item}, ${calculation.version}, ${JSON.stringify(calculation)}, ${actor}, ${savedAtMs})`,
      );
    },
    async deleteThrough(item, version) {
      await access.run(sql`delete from calculation_version where item = ${item} and version <= ${version}`);
    },
  };
}

function versionOf({ item, calculation, actor, saved_at_ms }: VersionRow): CalculationVersion {
  return { item, calculation: JSON.parse(calculation), actor, savedAtMs: saved_at_ms };
}
