/** Checks whether the metadata can be kept in a PostgreSQL: what it is, what this role may do, and what is missing. */
import type { Clock } from '#model/environment';
import { AppError } from '#model/error';
import { clockFinding, type StoreFinding } from '#model/store-finding';
import { schemaVersion } from '../meta/migrations.ts';
import { addressesIn, shown } from './addresses.ts';
import { incompleteness } from './complete-schema.ts';
import { Connection } from './connection.ts';
import { openingError } from './opening-error.ts';
import { defaultSchema } from './schema.ts';
import { schemaScript } from './schema-script.ts';
import { printVersion } from './server-facts.ts';

interface Facts {
  version: number;
  nowMs: number;
  role: string;
  database: string;
  exists: boolean;
  usable: boolean;
  creatable: boolean;
  temporary: boolean;
  tables: string[];
  used: number;
  max: number;
}

const factsStatement = `select current_setting('server_version_num')::int as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs", current_user::text as role, current_database()::text as database,
  n.oid is not null as exists, coalesce(has_schema_privilege(n.oid, 'usage'), false) as usable,
  coalesce(has_schema_privilege(n.oid, 'create'), has_database_privilege(current_database(), 'create')) as creatable,
  has_database_privilege(current_database(), 'temporary') as temporary,
  (select coalesce(json_agg(tablename), '[]') from pg_catalog.pg_tables where schemaname = $1) as tables,
  (select count(*) from pg_catalog.pg_stat_activity) as used, current_setting('max_connections')::int as max
  from (select 1) as one left join pg_catalog.pg_namespace as n on n.nspname = $1`;

/** Checks every address. Does not change anything. */
export async function checkPostgres(
  url: string,
  clock: Clock,
  schema = defaultSchema,
): Promise<StoreFinding[]> {
  const findings: StoreFinding[] = [];
  let isPrimaryFound = false;
  for (const address of addressesIn(url)) {
    const checked = await checkAddress(address, schema, clock);
    isPrimaryFound ||= checked.some(({ kind }) => kind === 'good');
    findings.push(...checked);
  }
  // A standby, or a server that is down, is no problem beside a primary that can be used.
  return isPrimaryFound ? findings.map(lessened) : findings;
}

function lessened(finding: StoreFinding): StoreFinding {
  return finding.kind === 'problem' && finding.sql.length === 0 && finding.text.startsWith(isOut)
    ? { ...finding, kind: 'note' }
    : finding;
}

/** How the text of a server begins that cannot be used at all now. */
const isOut = 'cannot be used now: ';

async function checkAddress(address: string, schema: string, clock: Clock): Promise<StoreFinding[]> {
  const place = `PostgreSQL ${shown(address)}`;
  let connection: Connection | null = null;
  try {
    connection = await Connection.open({ addresses: [address], schema });
    const facts = (await connection.run(factsStatement, [schema])).rows[0] as unknown as Facts;
    const atMs = clock.nowUs() / 1000;
    const stored =
      facts.usable && facts.tables.includes('meta_version') ? await storedVersion(connection) : null;
    const texts = [factsFinding(facts), ...rightsFindings(facts), schemaFinding(facts, stored, schema)];
    return [...texts.map((finding) => ({ place, ...finding })), clockFinding(place, facts.nowMs, atMs)];
  } catch (error) {
    const explained = openingError(error, [address]);
    const text = explained instanceof Error ? explained.message : String(explained);
    const isTemporary = explained instanceof AppError && explained.kind === 'unavailable';
    return [{ place, kind: 'problem', text: isTemporary ? `${isOut}${text}` : text, sql: [] }];
  } finally {
    connection?.close();
  }
}

type Finding = Omit<StoreFinding, 'place'>;

function factsFinding({ version, role, used, max }: Facts): Finding {
  const text = `version ${printVersion(version)}, role ${role}, ${used} of ${max} connections in use`;
  if (max - used >= 30) return { kind: 'good', text, sql: [] };
  return { kind: 'note', text: `${text}: a node takes up to 36; raise max_connections`, sql: [] };
}

function rightsFindings({ temporary, role, database }: Facts): Finding[] {
  if (temporary) return [];
  const sql = [`grant temporary on database "${database}" to "${role}"`];
  return [
    { kind: 'problem', text: 'the role may not make temporary tables, which sorted searches need', sql },
  ];
}

async function storedVersion(connection: Connection): Promise<number | string> {
  try {
    const { rows } = await connection.run('select version from meta_version');
    return Number(rows[0]?.version ?? 0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function schemaFinding(facts: Facts, stored: number | string | null, schema: string): Finding {
  const { exists, usable, creatable, tables } = facts;
  const problem = (text: string, sql: readonly string[] = []): Finding => ({ kind: 'problem', text, sql });
  if (exists && !usable)
    return problem(`the role may not use the schema ${schema}`, [
      `grant usage, create on schema ${schema} to ${facts.role}`,
    ]);
  if (tables.length > 0 && !tables.includes('meta_version'))
    return problem(`the schema ${schema} has tables of another program: use another database`);
  if (typeof stored === 'string')
    return problem(`the tables may not be read: ${stored}`, [
      `grant select, insert, update, delete on all tables in schema ${schema} to ${facts.role}`,
      `grant usage, select on all sequences in schema ${schema} to ${facts.role}`,
    ]);
  const wrong = stored === null || stored > schemaVersion ? null : incompleteness(schema, stored, tables);
  return wrong === null ? versionFinding(stored, creatable, schema) : problem(wrong);
}

function versionFinding(stored: number | null, creatable: boolean, schema: string): Finding {
  if (stored === schemaVersion)
    return { kind: 'good', text: `the tables are there, version ${stored}`, sql: [] };
  if (stored !== null && stored > schemaVersion) {
    const text = `the tables were made by a newer release (version ${stored}, this one knows up to ${schemaVersion}): use that release`;
    return { kind: 'problem', text, sql: [] };
  }
  const what =
    stored === null
      ? 'there are no tables yet'
      : `the tables have version ${stored}, this release has ${schemaVersion}`;
  if (creatable) return { kind: 'good', text: `${what}: the first node that starts sees to that`, sql: [] };
  return {
    kind: 'problem',
    text: `${what}, and the role may not change that: run these as their owner`,
    sql: schemaScript(stored ?? 0, schema),
  };
}
