/** Whether the schema of the metadata has the tables of its version: one that was made in part, or has lost some, is refused. */
import { conflict } from '#model/error';
import { schemaVersion, statementsAfter } from '../meta/migrations.ts';
import type { Connection } from './connection.ts';
import { postgresDialect } from './dialect.ts';

/** What is wrong with the tables of a version; null: nothing. `present` are the names of all tables of the schema. */
export function incompleteness(schema: string, version: number, present: readonly string[]): string | null {
  const later = tablesOf(statementsAfter(version, postgresDialect));
  const expected = tablesOf(statementsAfter(0, postgresDialect)).filter((name) => !later.includes(name));
  const missing = expected.filter((name) => !present.includes(name));
  const early = later.filter((name) => present.includes(name));
  if (missing.length === 0 && early.length === 0) return null;
  const wrong = [
    ...(missing.length === 0 ? [] : [`lacks the tables ${missing.join(', ')}`]),
    ...(early.length === 0 ? [] : [`has the tables ${early.join(', ')} already`]),
  ].join(' and ');
  return `the schema ${schema} is half made: it has version ${version} and ${wrong}; restore it from a backup, or, if nothing is stored in it yet, run "drop schema ${schema} cascade" and begin again`;
}

/** Fails with `conflict` where a schema that has a version has not the tables of it. */
export async function requireCompleteSchema(connection: Connection, schema: string): Promise<void> {
  const named = await connection.run(
    "select count(*) as count from pg_catalog.pg_tables where schemaname = $1 and tablename = 'meta_version'",
    [schema],
  );
  if (Number(named.rows[0].count) === 0) return;
  // One statement: another node may bring the tables forward at this time.
  const { rows } = await connection.run(
    `select (select coalesce(max(version), 0) from meta_version) as version,
      (select json_agg(tablename) from pg_catalog.pg_tables where schemaname = $1) as tables`,
    [schema],
  );
  const [{ version, tables }] = rows as unknown as { version: number; tables: string[] }[];
  const wrong = version > schemaVersion ? null : incompleteness(schema, version, tables);
  if (wrong !== null) throw conflict(wrong);
}

function tablesOf(statements: readonly string[]): string[] {
  return statements.flatMap((statement) => /^create table (\w+)/.exec(statement)?.[1] ?? []);
}
