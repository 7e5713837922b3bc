/** What the service's user may do on a server, as far as that can be asked without trying it. */
import type { StoreFinding } from '#model/store-finding';
import { ServerFailure } from './failures.ts';
import type { FoundTables } from './found-tables.ts';
import type { Server } from './server.ts';

type Finding = Omit<StoreFinding, 'place'>;

/** What nodes do with the tables. */
const nodeRights = ['SELECT', 'INSERT', 'ALTER DELETE'];

/** ClickHouse's number of a syntax error: releases before 24.12 cannot be asked for rights. */
const syntaxError = 62;

/** Problems of the rights; none where nothing is wrong, or nothing can be known. */
export async function rightsFindings(
  server: Server,
  database: string,
  { isComplete }: FoundTables,
): Promise<Finding[]> {
  const readOnly = await readOnlyFinding(server);
  if (readOnly !== null) return [readOnly];
  const rights = isComplete ? nodeRights : [...nodeRights, 'CREATE TABLE'];
  const missing = await missingRights(server, database, rights);
  if (missing.length === 0) return [];
  const [[user]] = await server.table('SELECT currentUser() FORMAT TabSeparated');
  const list = missing.join(', ');
  return [
    {
      kind: 'problem',
      text: `the user "${user}" lacks rights in the database ${database}: ${list}`,
      sql: [`GRANT ${list} ON ${database}.* TO "${user}"`],
    },
  ];
}

async function readOnlyFinding(server: Server): Promise<Finding | null> {
  const rows = await server.table(
    "SELECT name, value FROM system.settings WHERE name IN ('readonly', 'allow_ddl') FORMAT TabSeparated",
  );
  const wrong = rows.filter(([name, value]) => value !== (name === 'readonly' ? '0' : '1'));
  if (wrong.length === 0) return null;
  const settings = wrong.map((setting) => setting.join(' = ')).join(', ');
  const text = `the user may not write, create or delete (${settings}): give it another profile`;
  return { kind: 'problem', text, sql: [] };
}

async function missingRights(server: Server, database: string, rights: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  try {
    for (const right of rights) {
      const [[mayDo]] = await server.table(`CHECK GRANT ${right} ON ${database}.*`);
      if (mayDo !== '1') missing.push(right);
    }
  } catch (error) {
    if (!(error instanceof ServerFailure) || error.code !== syntaxError) throw error;
  }
  return missing;
}
