/** The differences between SQL databases for metadata; all other SQL is common. */
import type { MetaTopic } from '../meta-store.ts';
import type { Slot } from './search.ts';
import { type Bound, identifier, join, type Sql, sql } from './sql.ts';

/** The properties of one database. Code depends on properties, never on which database it is. */
export interface SqlDialect {
  /** The placeholder of a bound value in the text, counted from 1. The text depends on the type of the value at most. */
  parameter(index: number, value: Bound): string;
  /** The number of tables with this name in the place where this connection makes tables. */
  tablesNamed(name: string): Sql<{ count: number }>;
  /** What a new database needs besides the tables. */
  foundation: readonly string[];
  /** Step 10 of the tables: which writes of points nodes have begun, where there may be several. */
  openWrites: readonly string[];
  /** Makes the table of the time ranges in which points have changed, where several nodes read them. */
  pointChanges: readonly string[];
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
  /** A subquery: the elements of a JSON array that is bound as text; all of one kind. */
  elementsOf(json: string | Slot, kind?: 'text' | 'number'): Sql;
  /** An aggregate: the values of a column as a JSON array, in no order. */
  arrayOf(column: Sql): Sql;
  /** The text under a key of a JSON object in a column, or null. The key is one that R2 allows. */
  entryOf(column: Sql, key: string): Sql<string | null>;
  /** True for each row; ends the statement when its rows exceed the bound on work, where the database does not bound it otherwise. */
  spendWork(units: number): Sql<boolean>;
  /** Approximate number of comparisons of one statement of a search in steps. */
  stepTerms: number;
  /** Takes signal numbers that are never used again, ascending; null: the transaction counts `sequence` up. */
  takeNumbers: ((count: number) => Sql<{ number: number }>) | null;
  revisions: RevisionSql;
  /** A table of this connection with columns `k0`, `k1`, … and `id`, kept in their order; each key ascends or descends. */
  sortedTable(keys: readonly SortedKey[]): {
    create: readonly Sql[];
    name: Sql;
    drop: Sql;
  };
}

/** A key of {@link SqlDialect.sortedTable}. */
export interface SortedKey {
  descending: boolean;
  kind: 'text' | 'number';
}

/** The revision of a topic. */
export interface Revision {
  topic: MetaTopic;
  number: number;
}

/** How revisions of topics are stored. */
interface RevisionSql {
  /**
   * Raises the revision of some topics, inside of the transaction that changes them. If it {@link givesRaised}, it gives those revisions,
   * and `next`, the number of the next signal.
   */
  raise(topics: readonly MetaTopic[]): Sql<Revision & { next: number }>;
  /** All topics with their revisions. */
  all: Sql<Revision>;
  givesRaised: boolean;
  /** What is different after each change of signals or items, where several nodes make them; null: revisions are known without a read. */
  signalState: Sql<{ state: string }> | null;
}

/** SQLite with the functions that storage/sqlite/functions.ts registers. */
export const sqliteDialect: SqlDialect = {
  parameter: () => '?',
  tablesNamed: (name) =>
    sql`select count(*) as count from sqlite_schema where type = 'table' and name = ${name}`,
  foundation: [],
  openWrites: [],
  pointChanges: [],
  textType: 'text',
  numberKeyType: 'integer',
  clusteredEnd: 'without rowid',
  orderedJoin: sql`cross join`,
  parametersMax: 32_766,
  elementsOf: (json) => sql`(select value from json_each(${json}))`,
  arrayOf: (column) => sql`json_group_array(${column})`,
  entryOf: (column, key) => sql`(${column} ->> ${key})`,
  spendWork: (units) => sql`spend_work(${units})`,
  stepTerms: 2000,
  takeNumbers: null,
  revisions: {
    raise: (topics) =>
      sql`update revision set number = number + 1 where topic in (${join(topics)})
        returning topic, number, (select next from sequence where name = 'signal') as next`,
    all: sql`select topic, number from revision`,
    givesRaised: true,
    signalState: null,
  },
  sortedTable: (sorted) => {
    const keys = sorted.map((_, i) => identifier(`k${i}`));
    const order = keys.map((key, i) => (sorted[i].descending ? sql`${key} desc` : key));
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
