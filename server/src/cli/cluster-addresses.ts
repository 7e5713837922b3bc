/** Where the configuration says that metadata and points are. */
import { type Config, flagOf, secretFileOf } from '#config';
import type { ClusterAddresses } from '#open-cluster';
import { CommandError } from './usage.ts';

/** The addresses of PostgreSQL and ClickHouse; null: everything is in the data directory. */
export function clusterOf({ settings }: Pick<Config, 'settings'>): ClusterAddresses | null {
  const { metaUrl, seriesUrl, seriesCluster, seriesReplicated } = settings;
  if (metaUrl === null || seriesUrl === null) return null;
  return { metaUrl, seriesUrl, seriesCluster, isReplicated: seriesReplicated };
}

/** Refuses a command that works on a data directory only. */
export function requireEmbedded(config: Config, command: string, instead: string): void {
  if (clusterOf(config) === null) return;
  throw new CommandError(
    `"tidemark ${command}" works on a data directory, and this configuration keeps everything in PostgreSQL and ClickHouse: ${instead}`,
  );
}

/** A warning where a password stands in the command line; else null. */
export function passwordWarning({ settings, origins }: Config): string | null {
  const shown = (['metaUrl', 'seriesUrl', 'mqttUrl'] as const).filter(
    (name) => origins.get(name) === 'flag' && /:\/\/[^/@]*:[^/@]+@/.test(settings[name] ?? ''),
  );
  if (shown.length === 0) return null;
  const files = shown.map((name) => flagOf(secretFileOf(name))).join(', ');
  return `a password in the command line is shown by every list of processes: use ${files}, or the environment`;
}
