/** `tidemark check-stores`: what PostgreSQL and ClickHouse are like, and what has to be done before a node can start. */
import type { StoreFinding } from '#model/store-finding';
import type { ClusterAddresses } from '#open-cluster';
import { storeSettings } from '#settings';
import { systemClock, systemRandom } from '#system-environment';
import { openTextLog } from '#text-log';
import { clusterOf } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { printResult } from './result.ts';
import { exitCodes, UsageError } from './usage.ts';

/** The settings of the commands about these servers. */
export const serverSettings = storeSettings.filter((name) => name !== 'data');

/** The command. */
export const definition: CommandBody = {
  settings: serverSettings,
  notes: `Looks at every address: version, rights, tables, shards, replicas, clocks. Changes nothing. Where a statement of SQL mends
what is wrong, it is printed. Exit code 1 when there is a problem.`,
  action: checkStores,
};

const marks = { good: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const;

async function checkStores(call: Call): Promise<number> {
  const findings = await findingsOf(requireCluster(call), call);
  const hasProblem = findings.some(({ kind }) => kind === 'problem');
  const verdict = hasProblem ? 'a node cannot work with these servers yet' : 'nodes can use these servers';
  const text = [...findings.map(textOf), verdict].join('\n');
  printResult(call, { ok: !hasProblem, findings }, text);
  return hasProblem ? exitCodes.failed : exitCodes.ok;
}

/** The addresses of the configuration. Throws {@link UsageError} where there are none. */
export function requireCluster({ config }: Pick<Call, 'config'>): ClusterAddresses {
  const cluster = clusterOf(config);
  if (cluster !== null) return cluster;
  throw new UsageError(
    'name the servers with --meta-url and --series-url; without them everything is in the data directory',
  );
}

/** What both servers are like. */
export async function findingsOf(addresses: ClusterAddresses, { terminal }: Call): Promise<StoreFinding[]> {
  const { checkPostgres } = await import('#storage/postgres/check');
  const { checkClickHouse } = await import('#storage/clickhouse/check');
  const { seriesUrl: urls, seriesCluster: cluster, isReplicated } = addresses;
  const log = openTextLog({ level: 'warn', stream: terminal.stderr });
  const series = { urls, cluster, isReplicated, log, random: systemRandom };
  return [
    ...(await checkPostgres(addresses.metaUrl, systemClock)),
    ...(await checkClickHouse(series, systemClock)),
  ];
}

function textOf({ place, kind, text, sql }: StoreFinding): string {
  const lines = sql.map((statement) => `          ${statement.replaceAll(/\s*\n\s*/g, ' ')};`);
  return [`${marks[kind]}  ${place}: ${text}`, ...lines].join('\n');
}
