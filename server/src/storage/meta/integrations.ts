/** Integrations in SQL. */

import type { Integration, IntegrationWrites } from '../meta-store.ts';
import { SqlBrokerSessions } from './broker-sessions.ts';
import { json, type Mapping, plain, RecordTable } from './record-table.ts';
import { retentionRules } from './retention-rules.ts';
import { join, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';

/** The table has also `last_seen_at_ms`. */
const mapping: Mapping<Integration, 'id'> = {
  table: 'integration',
  key: 'id',
  topic: 'identity',
  fields: { ...plain('id', 'name', 'plan', 'createdAtMs', 'disabledAtMs'), grants: json() },
  updated: ['name', 'grants', 'plan', 'disabledAtMs'],
};

/** The integrations of a store. */
export class SqlIntegrations extends RecordTable<Integration, 'id'> implements IntegrationWrites {
  constructor(access: SqlAccess) {
    super(access, mapping);
  }

  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.access.rows(
      sql<{ id: string; last_seen_at_ms: number }>`
        select id, last_seen_at_ms from integration where last_seen_at_ms is not null`,
    );
    return new Map(rows.map((row) => [row.id, row.last_seen_at_ms]));
  }

  async noteSeen(seenMs: ReadonlyMap<string, number>): Promise<void> {
    if (seenMs.size === 0) return;
    const rows = Array.from(seenMs, ([id, atMs]) => sql`(${id}, ${atMs})`);
    const atMs = sql`cast(v.column2 as bigint)`;
    await this.access.run(
      sql`update integration set last_seen_at_ms = ${atMs} from (values ${join(rows)}) as v
        where integration.id = v.column1 and (last_seen_at_ms is null or last_seen_at_ms < ${atMs})`,
    );
  }

  async deleteWithSignals(id: string): Promise<number[]> {
    this.access.touch('signals');
    const rows = await this.access.rows(
      sql<{ number: number }>`select number from signal where integration = ${id} order by number`,
    );
    await this.access.run(
      sql`delete from signal_label where resource in (select id from signal where integration = ${id})`,
    );
    await this.access.run(sql`delete from signal where integration = ${id}`);
    await this.access.run(sql`delete from credential where integration = ${id}`);
    await new SqlBrokerSessions(this.access).deleteOf(id);
    await this.delete(id);
    await new RecordTable(this.access, retentionRules).delete({ kind: 'integration', integration: id });
    return rows.map(({ number }) => number);
  }
}
