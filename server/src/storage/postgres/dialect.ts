/** What PostgreSQL does differently from other databases for metadata. */

import type { SqlDialect } from '../meta/dialect.ts';
import { type Bound, identifier, join, sql } from '../meta/sql.ts';
import { metaTopics } from '../meta-store.ts';

/** PostgreSQL 12 and newer. */
export const postgresDialect: SqlDialect = {
  parameter: (index, value) => (isFraction(value) ? `$${index}::numeric` : `$${index}`),
  tablesNamed: (name) =>
    sql`select count(*) as count from pg_catalog.pg_tables where schemaname = current_schema() and tablename = ${name}`,
  foundation: [
    'create sequence signal_number as bigint',
    'create sequence write_number as bigint',
    `create table node (id text not null primary key, version text not null, started_at timestamptz not null,
      seen_at timestamptz not null)`,
    'create table secret (name text not null primary key, value text not null)',
    `create table revision_part (topic text collate "C" not null, part integer not null, number bigint not null,
      constraint revision_part_key primary key (topic, part))`,
  ],
  openWrites: [
    `create table open_write (writer text not null primary key, number bigint, held_at timestamptz not null)
      with (fillfactor = 50)`,
  ],
  pointChanges: [
    `create table point_change (number bigint not null primary key, tx bigint not null default txid_current(),
      first_us double precision not null, last_us double precision not null)`,
    'create index point_change_by_tx on point_change (tx)',
  ],
  textType: 'text collate "C"',
  numberKeyType: 'bigint',
  clusteredEnd: '',
  orderedJoin: sql`join`,
  parametersMax: 65_535,
  elementsOf: (json, kind = 'text') => {
    const elements = sql`json_array_elements_text(${json}::json) as e (value)`;
    return kind === 'text'
      ? sql`(select e.value from ${elements})`
      : sql`(select e.value::numeric from ${elements})`;
  },
  arrayOf: (column) => sql`coalesce(json_agg(${column}), '[]')::text`,
  entryOf: (column, key) => sql`((${column}::json ->> ${key}::text) collate "C")`,
  spendWork: () => sql`true`,
  stepTerms: 20_000,
  takeNumbers: (count) =>
    sql`select nextval('signal_number') as number from generate_series(1, ${count}) order by number`,
  // Transactions that run side by side would all change the one row of a topic, and disturb one another: each changes one of 64
  // rows, by its connection. The revision is their sum.
  revisions: {
    raise: (topics) => {
      const rows = topics.map((topic) => sql`(${topic}, pg_backend_pid() % 64, 1)`);
      return sql`insert into revision_part (topic, part, number) values ${join(rows)}
        on conflict (topic, part) do update set number = revision_part.number + 1`;
    },
    all: sql`select t.topic, coalesce((select sum(p.number) from revision_part as p where p.topic = t.topic), 0) as number
      from (values ${join(metaTopics.map((topic) => sql`(${topic})`))}) as t (topic)`,
    givesRaised: false,
    // Another server may have taken the place of one that knew more changes. The topic is bound: only statements with values are
    // kept prepared.
    signalState: sql`select pg_postmaster_start_time()::text || ' ' || coalesce(sum(number), 0) as state
      from revision_part where topic = ${'signals'}`,
  },
  sortedTable: (sorted) => {
    const columns = sorted.map(({ kind }, i) => {
      const type = kind === 'text' ? sql`text collate "C"` : sql`bigint`;
      return sql`${identifier(`k${i}`)} ${type}`;
    });
    const drop = sql`drop table if exists pg_temp.found`;
    const create = sql`create temporary table found (${join([...columns, sql`id text collate "C"`])})`;
    return { create: [drop, create], name: sql`pg_temp.found`, drop };
  },
};

/** A number that a column of whole numbers cannot hold: it is compared as a fraction. */
function isFraction(value: Bound): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}
