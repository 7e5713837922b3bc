/** The differences between SQL databases for metadata; all other SQL is common. */
import type { Slot } from './search.ts';
import { identifier, join, type Sql, sql } from './sql.ts';

/** The properties of one database. Code depends on properties, never on which database it is. */
export interface SqlDialect {
  /** The placeholder of a bound value in the text, counted from 1. */
  parameter(index: number): string;
  /** The type of a text column that compares bytewise, as R14 wants. */
  textType: string;
  /** The type of a signal's number as the primary key. */
  numberKeyType: string;
  /** The suffix of CREATE TABLE for a table stored in order of its primary key. */
  clusteredEnd: string;
  /** An inner join that is executed from left to right, overriding the planner. */
  orderedJoin: Sql;
  /** The most parameters that one statement may bind. */
  parametersMax: number;
  /** A subquery: the elements of a JSON array that is bound as text. */
  elementsOf(json: string | Slot): Sql;
  /** An aggregate: the values of a column as a JSON array, in no order. */
  arrayOf(column: Sql): Sql;
  /** The text under a key of a JSON object in a column, or null. The key is one that R2 allows. */
  entryOf(column: Sql, key: string): Sql<string | null>;
  /** True for each row; ends the statement when its rows exceed the bound on work. */
  spendWork(units: number): Sql<boolean>;
  /** A table of this connection with columns `k0`, `k1`, … and `id`, kept in their order; each key ascends or descends. */
  sortedTable(descending: readonly boolean[]): {
    create: readonly Sql[];
    name: Sql;
    drop: Sql;
  };
}

/** SQLite with the functions that storage/sqlite/functions.ts registers. */
export const sqliteDialect: SqlDialect = {
  parameter: () => '?',
  textType: 'text',
  numberKeyType: 'integer',
  clusteredEnd: 'without rowid',
  orderedJoin: sql`cross join`,
  parametersMax: 32_766,
  elementsOf: (json) => sql`(select value from json_each(${json}))`,
  arrayOf: (column) => sql`json_group_array(${column})`,
  entryOf: (column, key) => sql`(${column} ->> ${key})`,
  spendWork: (units) => sql`spend_work(${units})`,
  sortedTable: (descending) => {
    const keys = descending.map((_, i) => identifier(`k${i}`));
    const order = keys.map((key, i) => (descending[i] ? sql`${key} desc` : key));
    const drop = sql`drop table if exists temp.found`;
    return {
      create: [
        drop,
        sql`create temp table found (${join([...keys, sql`id`])})`,
        sql`create index temp.found_order on found (${join([...order, sql`id`])})`,
      ],
      name: sql`temp.found`,
      drop,
    };
  },
};
