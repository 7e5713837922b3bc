/** Opening a data directory for one command, whether a service is running or not. */
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '#config';
import type { Domain } from '#domain/domain';
import { httpUrl } from '#http-url';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { openTextLog } from '#text-log';
import { clusterOf } from './cluster-addresses.ts';
import type { Call } from './command.ts';
import { CommandError } from './usage.ts';

/** What is done with an open data directory. */
export type DomainWork<Result> = (domain: Domain) => Promise<Result>;

/** Opens the store of a call, does the work, and closes it. A data directory must exist, unless `create`. */
export async function withDomain<Result>(
  { config, terminal }: Pick<Call, 'config' | 'terminal'>,
  create: boolean,
  work: DomainWork<Result>,
): Promise<Result> {
  const { data } = config.settings;
  const cluster = clusterOf(config);
  if (!create && cluster === null) await requireDirectory(data);
  // Besides its result, a command reports errors only.
  const log = openTextLog({ level: 'warn', stream: terminal.stderr });
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log };
  // Help, wrong usage and imports over HTTP do not load the store.
  const { openDirectory } = await import('#open-directory');
  const domain = await openDirectory(
    { directory: data, cluster, limits: config.limits, baseUrl: await baseUrlOf(config), isLocal: true },
    environment,
  );
  try {
    return await work(domain);
  } finally {
    await domain.close();
  }
}

/** A running service looks for changes five times a second. */
const followMs = 300;

/** As {@link withDomain}, for changes of permissions: gives a running service the time to notice them before it ends. */
export async function changeDomain<Result>(
  call: Pick<Call, 'config' | 'terminal'>,
  create: boolean,
  work: DomainWork<Result>,
): Promise<Result> {
  const result = await withDomain(call, create, work);
  const isServed =
    clusterOf(call.config) !== null || (await notedBaseUrl(call.config.settings.data)) !== null;
  if (isServed) await wait(followMs);
  return result;
}

/** Fails when there is no such data directory. */
export async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory()) {
    throw new CommandError(`no data directory ${path}; name it with --data, or start the service once`);
  }
}

/** Where the service that serves a data directory leaves its address for commands. */
function addressPath(directory: string): string {
  return join(directory, 'service.json');
}

/** Notes the address of the service in its data directory, for the credentials files that commands write. */
export async function noteBaseUrl(directory: string, baseUrl: string): Promise<void> {
  const path = addressPath(directory);
  await writeFile(`${path}.new`, `${JSON.stringify({ baseUrl })}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The address of the service: as configured, else as noted when it served the directory last, else as it would be. */
export async function baseUrlOf(config: Config): Promise<string> {
  const { baseUrl, data, host, port } = config.settings;
  return baseUrl ?? (await notedBaseUrl(data)) ?? httpUrl(host, port);
}

/** Whether {@link baseUrlOf} is only what the defaults would make it: nothing is configured, and no service has run here. */
export async function isGuessedBaseUrl({ settings, origins }: Config): Promise<boolean> {
  const isSet = ['baseUrl', 'port', 'host'].some((name) => origins.get(name) !== 'default');
  return !isSet && (await notedBaseUrl(settings.data)) === null;
}

async function notedBaseUrl(directory: string): Promise<string | null> {
  try {
    const { baseUrl } = JSON.parse(await readFile(addressPath(directory), 'utf8'));
    return typeof baseUrl === 'string' && URL.canParse(baseUrl) ? baseUrl : null;
  } catch {
    return null; // Never served yet.
  }
}
