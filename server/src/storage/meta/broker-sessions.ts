/** Sessions of the message broker in SQL, with what waits for them. */
import type { BrokerSession, QueuedMessages, QueueSum } from '#model/broker-session';
import type { BrokerSessionWrites } from '../meta-store.ts';
import { json, type Mapping, plain, RecordTable } from './record-table.ts';
import { insertion, sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';
import type { SqlRow } from './sql-runner.ts';

const mapping: Mapping<BrokerSession, 'id'> = {
  table: 'broker_session',
  key: 'id',
  topic: null,
  fields: { ...plain('id', 'integration', 'owner', 'place', 'leftAtMs'), filters: json() },
  updated: ['owner', 'filters', 'place', 'leftAtMs'],
};

type QueueRow = SqlRow & {
  session: string;
  last_seq: number;
  count: number;
  bytes: number;
  messages: string;
};

/** Rows of one statement. */
const rowsMax = 100;

/** The sessions of a store. */
export class SqlBrokerSessions extends RecordTable<BrokerSession, 'id'> implements BrokerSessionWrites {
  constructor(access: SqlAccess) {
    super(access, mapping);
  }

  async queueSums(): Promise<QueueSum[]> {
    const rows = await this.access.rows(
      sql<QueueRow>`select session, max(last_seq) as last_seq, sum(count) as count, sum(bytes) as bytes
        from broker_queue group by session`,
    );
    return rows.map(({ session, last_seq, count, bytes }) => {
      return { session, lastSeq: Number(last_seq), count: Number(count), bytes: Number(bytes) };
    });
  }

  async queued(session: string, afterSeq: number, rowsAtMost: number): Promise<QueuedMessages[]> {
    const rows = await this.access.rows(
      sql<QueueRow>`select * from broker_queue where session = ${session} and last_seq > ${afterSeq}
        order by last_seq limit ${rowsAtMost}`,
    );
    return rows.map(({ last_seq: lastSeq, count, bytes, messages }) => {
      return { session, lastSeq, count, bytes, messages };
    });
  }

  async ownedBy(owner: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.access.rows(
      sql<{
        id: string;
      }>`select id from broker_session where owner = ${owner} and ${this.access.oneOf('id', ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  async append(queued: readonly QueuedMessages[]): Promise<void> {
    for (let from = 0; from < queued.length; from += rowsMax) {
      const rows = queued.slice(from, from + rowsMax);
      const stored = rows.map(({ lastSeq, ...row }) => ({ ...row, last_seq: lastSeq }));
      await this.access.run(insertion(sql`broker_queue`, stored));
    }
  }

  async forget(session: string, throughSeq: number): Promise<void> {
    await this.access.run(
      sql`delete from broker_queue where session = ${session} and last_seq <= ${throughSeq}`,
    );
  }

  override async delete(id: string): Promise<void> {
    await this.access.run(sql`delete from broker_queue where session = ${id}`);
    await super.delete(id);
  }

  async deleteOf(integration: string): Promise<void> {
    await this.access.run(
      sql`delete from broker_queue where session in (select id from broker_session where integration = ${integration})`,
    );
    await this.access.run(sql`delete from broker_session where integration = ${integration}`);
  }
}
