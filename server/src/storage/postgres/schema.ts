/** The schema of the metadata in a database: recognising it, and making it where the rights allow. */
import { type AppError, conflict } from '#model/error';
import type { Connection } from './connection.ts';
import { stateOf } from './errors.ts';

/** The schema that has the tables, in a database that may have others. */
export const defaultSchema = 'tidemark';

/** Makes the schema if it is missing. Fails with `conflict` when it has tables of another program, or may not be used. */
export async function prepareSchema(connection: Connection, schema: string): Promise<void> {
  const found = await schemaFacts(connection, schema);
  if (!found.exists) await makeSchema(connection, schema);
  else if (!found.usable) throw notUsable(schema, found.role);
  else if (found.tables > 0 && found.ours === 0) throw foreign(schema);
}

interface SchemaFacts {
  exists: boolean;
  usable: boolean;
  tables: number;
  ours: number;
  role: string;
}

async function schemaFacts(connection: Connection, schema: string): Promise<SchemaFacts> {
  const { rows } = await connection.run(
    `select count(n.oid) > 0 as exists, coalesce(bool_or(has_schema_privilege(n.oid, 'usage')), false) as usable,
      current_user::text as role,
      (select count(*) from pg_catalog.pg_tables where schemaname = $1) as tables,
      (select count(*) from pg_catalog.pg_tables where schemaname = $1 and tablename = 'meta_version') as ours
      from pg_catalog.pg_namespace as n where n.nspname = $1`,
    [schema],
  );
  return rows[0] as unknown as SchemaFacts;
}

/** Another node may make it at the same time. */
async function makeSchema(connection: Connection, schema: string): Promise<void> {
  try {
    await connection.run(`create schema ${quoted(schema)}`);
  } catch (error) {
    if (stateOf(error) === '42P06' || stateOf(error) === '23505') return;
    if (stateOf(error) !== '42501') throw error;
    throw conflict(
      `The schema ${schema} is missing, and this role may not create it: run "create schema ${schema} authorization ROLE" as the owner of the database, or the output of "tidemark schema print"`,
      { cause: error },
    );
  }
}

function notUsable(schema: string, role: string): AppError {
  return conflict(
    `The role ${role} may not use the schema ${schema}: run "grant usage, create on schema ${schema} to ${quoted(role)}" as its owner`,
  );
}

function foreign(schema: string): AppError {
  return conflict(
    `The schema ${schema} has tables of another program: use another database for the metadata`,
  );
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
