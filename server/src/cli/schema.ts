/** `tidemark schema print`: the statements that make the tables, where the nodes themselves have no right to. */
import { Option } from 'commander';
import { systemRandom } from '#system-environment';
import { openTextLog } from '#text-log';
import { requireCluster, serverSettings } from './check-stores.ts';
import type { Call, CommandDefinition } from './command.ts';
import { numberOption } from './options.ts';
import { printResult } from './result.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'print',
    summary: 'print the statements that make the tables in PostgreSQL and ClickHouse',
    settings: serverSettings,
    options: [
      numberOption(
        '--from <VERSION>',
        'version of the tables in PostgreSQL, as "check-stores" shows it',
        0,
        9999,
      ).default(0),
      new Option('--role <NAME>', 'also print what this role of PostgreSQL needs to be granted'),
    ],
    notes: `Asks ClickHouse for its version and its shards, because the statements depend on them, and changes nothing. Run those of
PostgreSQL in its database, and those of ClickHouse on the server that is named above them.`,
    action: print,
  },
];

async function print(call: Call): Promise<undefined> {
  const { seriesUrl: urls, seriesCluster: cluster, isReplicated } = requireCluster(call);
  const { schemaScript, grantScript } = await import('#storage/postgres/schema-script');
  const { clickHouseScript } = await import('#storage/clickhouse/check');
  const { from, role } = call.options;
  const postgres = [
    ...schemaScript(from as number),
    ...(role === undefined ? [] : grantScript(String(role))),
  ];
  const log = openTextLog({ level: 'warn', stream: call.terminal.stderr });
  const clickhouse = await clickHouseScript({ urls, cluster, isReplicated, log, random: systemRandom });
  const parts = [
    ['-- PostgreSQL', ...postgres.map(ended)],
    ...clickhouse.map(({ place, sql }) => [`-- ClickHouse ${place}`, ...sql.map(ended)]),
  ];
  printResult(call, { postgres, clickhouse }, parts.map((lines) => lines.join('\n')).join('\n\n'));
}

function ended(statement: string): string {
  return `${statement.replaceAll(/\s*\n\s*/g, ' ')};`;
}
