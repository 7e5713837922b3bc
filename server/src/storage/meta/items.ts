/** Items in SQL. */

import type { Ending } from '#model/ending';
import type { ResourceQuery } from '#model/filter';
import type { Item } from '#model/signal';
import type { FedItem, ItemWrites, Selected } from '../meta-store.ts';
import { type ItemRow, itemTables } from './resource.ts';
import { type RecordForm, ResourceTable } from './resource-table.ts';
import { type Sql, sql } from './sql.ts';

/** The items of a store. */
export class SqlItems extends ResourceTable<Item, ItemRow> implements ItemWrites {
  fedById(ids: readonly string[]): Promise<FedItem[]> {
    return this.recordsById(this.#fed(), ids);
  }

  select(query: ResourceQuery, ending?: Ending): Promise<Selected<Item>> {
    return this.selected(this.whole, query, null, ending);
  }

  selectFed(query: ResourceQuery, ending?: Ending): Promise<Selected<FedItem>> {
    return this.selected(this.#fed(), query, null, ending);
  }

  insert(items: readonly Item[]): Promise<void> {
    return this.insertAll(items);
  }

  calculated(): Promise<Item[]> {
    return this.records(this.whole, sql`calculation is not null order by id`);
  }

  async deleteCalculated(id: string): Promise<void> {
    this.access.touch('signals');
    const isCalculated = sql`id = ${id} and calculation is not null`;
    await this.access.run(
      sql`delete from item_label where resource in (select id from item where ${isCalculated})`,
    );
    await this.access.run(
      sql`delete from calculation_version where item in (select id from item where ${isCalculated})`,
    );
    await this.access.run(sql`delete from item where ${isCalculated}`);
  }

  /** Items with the numbers of their signals. */
  #fed(): RecordForm<FedItem, ItemRow & { signals: string }> {
    const numbers: Sql = this.access.context.dialect.arrayOf(sql`number`);
    return {
      name: 'fed',
      columns: sql`item.*, (select ${numbers} from signal where signal.item = item.id) as signals`,
      recordOf: ({ signals, ...row }) => {
        const fed: number[] = JSON.parse(signals);
        return { ...itemTables.recordOf(row), signals: fed.sort((a, b) => a - b) };
      },
    };
  }
}
