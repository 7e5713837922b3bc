/** The statements that make the tables of the metadata, for operators who run such statements themselves. */
import { statementsAfter, versionTable } from '../meta/migrations.ts';
import { postgresDialect } from './dialect.ts';
import { defaultSchema, quoted } from './schema.ts';

/**
 * The statements that bring a database of a version to that of this release, all or nothing; 0: there is no table yet. Without
 * semicolons.
 */
export function schemaScript(version: number, schema = defaultSchema): string[] {
  return [
    'begin',
    ...(version === 0 ? [`create schema if not exists ${quoted(schema)}`] : []),
    `set search_path to ${quoted(schema)}`,
    ...(version === 0 ? versionTable : []),
    ...statementsAfter(version, postgresDialect),
    'commit',
  ];
}

/** What a role needs that only reads and writes rows. */
export function grantScript(role: string, schema = defaultSchema): string[] {
  const to = `in schema ${quoted(schema)} to ${quoted(role)}`;
  return [
    `grant usage on schema ${quoted(schema)} to ${quoted(role)}`,
    `grant select, insert, update, delete on all tables ${to}`,
    `grant usage, select on all sequences ${to}`,
  ];
}
