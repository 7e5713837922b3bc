/** Signals in SQL. */

import type { Ending } from '#model/ending';
import type { ResourceQuery } from '#model/filter';
import type { ResourceCounts } from '#model/plan';
import type { Signal } from '#model/signal';
import type { NewSignal, Selected, SignalOwner, SignalWrites } from '../meta-store.ts';
import type { SignalRow } from './resource.ts';
import { ResourceTable } from './resource-table.ts';
import { sql } from './sql.ts';

/** The signals of a store. */
export class SqlSignals extends ResourceTable<Signal, SignalRow> implements SignalWrites {
  byInput(integration: string, inputs: readonly string[]): Promise<Signal[]> {
    return this.records(
      this.whole,
      sql`integration = ${integration} and ${this.access.oneOf('input', inputs)}`,
    );
  }

  ofItems(items: readonly string[]): Promise<Signal[]> {
    return this.records(this.whole, sql`${this.access.oneOf('item', items)} order by number`);
  }

  select(query: ResourceQuery, integration: string | null, ending?: Ending): Promise<Selected<Signal>> {
    return this.selected(this.whole, query, integration, ending);
  }

  async counts(integration: string): Promise<ResourceCounts> {
    const [counts] = await this.access.rows(
      sql<ResourceCounts>`select count(*) as signals, count(distinct item) as items from signal where integration = ${integration}`,
    );
    return counts;
  }

  async countsByIntegration(): Promise<Map<string, ResourceCounts>> {
    const rows = await this.access.rows(
      sql<
        ResourceCounts & { integration: string }
      >`select integration, count(*) as signals, count(distinct item) as items from signal group by integration`,
    );
    return new Map(rows.map(({ integration, ...counts }) => [integration, counts]));
  }

  owners(): Promise<SignalOwner[]> {
    return this.access.rows(sql<SignalOwner>`select id, number, integration from signal order by number`);
  }

  async insert(signals: readonly NewSignal[]): Promise<Signal[]> {
    if (signals.length === 0) return [];
    const { takeNumbers } = this.access.context.dialect;
    const numbers = takeNumbers === null ? null : await this.access.changed(takeNumbers(signals.length));
    const numbered = signals.map((signal, i) => ({ ...signal, number: numbers?.[i].number ?? 0 }));
    if (numbers === null) await this.#insertNumbering(numbered);
    else await this.insertAll(numbered);
    return numbered;
  }

  /** Nothing is waited for: other writes wait for the transaction. So the database makes the numbers, and gives the next one at its end. */
  async #insertNumbering(signals: readonly Signal[]): Promise<void> {
    await this.access.run(sql`update sequence set next = next + ${signals.length} where name = 'signal'`);
    const fromNext = signals.map((signal, i) => ({ ...signal, number: i - signals.length }));
    await this.insertAll(fromNext, sql`(select next from sequence where name = 'signal')`);
    this.access.created.push(...signals);
  }
}
