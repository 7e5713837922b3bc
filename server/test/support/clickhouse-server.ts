/** One server of ClickHouse, of either version that the tests use, with a configuration and a directory of its own. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ServerProcess } from './server-process.ts';

/** 26.7 comes from npm (test-servers/), 18.16 from Debian. */
export type ClickHouseVersion = '26.7' | '18.16';

const testServers = new URL('../../../test-servers/', import.meta.url).pathname;

/** Where a server listens; every server of a cluster knows all of them. */
export interface ServerPorts {
  tcp: number;
  http: number;
  interserver: number;
}

/** What one server is to be. */
export interface ServerOptions {
  version: ClickHouseVersion;
  directory: string;
  ports: ServerPorts;
  /** `remote_servers`, `zookeeper` and `macros`, as XML. */
  cluster: string;
}

/** Why servers of a version cannot be started on this machine; null when they can. */
export function missingClickHouse(version: ClickHouseVersion): string | null {
  if (version === '18.16')
    return debianServer() === null ? 'clickhouse-server is not installed on this machine' : null;
  const isInstalled = existsSync(join(testServers, 'node_modules/chdb'));
  return isInstalled
    ? null
    : 'ClickHouse 26.7 is not installed: run npm install --no-save --prefix test-servers';
}

function debianServer(): string | null {
  const places = ['/usr/bin', '/usr/sbin', '/usr/local/bin'];
  return places.map((place) => join(place, 'clickhouse-server')).find((path) => existsSync(path)) ?? null;
}

/** A server, which can be killed and started again on the same data. */
export class ClickHouseServer {
  readonly #options: ServerOptions;
  readonly url: string;
  #process: ServerProcess | null = null;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.url = `http://127.0.0.1:${options.ports.http}`;
    writeConfiguration(options);
  }

  /** Where it keeps its data. */
  get dataDirectory(): string {
    return join(this.#options.directory, 'data');
  }

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    const { version } = this.#options;
    const process = await ServerProcess.start(
      version === '18.16' ? debianCommand(this.#options) : npmCommand(this.#options),
    );
    this.#process = process;
    await process.ready(() => this.#answers());
  }

  /** Sends its process a signal, such as SIGSTOP. */
  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name);
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = null;
  }

  /** Runs a statement, and gives the answer as text. */
  async run(sql: string): Promise<string> {
    const response = await fetch(this.url, { method: 'POST', body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.trim();
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/ping`, { signal: AbortSignal.timeout(5000) })).ok;
    } catch {
      return false;
    }
  }
}

function debianCommand({ directory }: ServerOptions) {
  return {
    file: debianServer() ?? 'clickhouse-server',
    args: [`--config-file=${join(directory, 'config.xml')}`],
    output: join(directory, 'output'),
  };
}

function npmCommand({ directory, ports }: ServerOptions) {
  const main = createRequire(join(testServers, 'package.json')).resolve('./clickhouse.cjs');
  return {
    file: process.execPath,
    args: [main, join(directory, 'data'), `${ports.tcp}`, `${ports.http}`, join(directory, 'config.xml')],
    output: join(directory, 'output'),
    endsWithInput: true,
  };
}

/**
 * Small caches and pools: several servers share the machine with the tests. The user `reader` may only read; `limited` may neither
 * create nor delete where the release knows such rights.
 */
function writeConfiguration({ version, directory, ports, cluster }: ServerOptions): void {
  const paths = { path: 'data', tmp_path: 'tmp', user_files_path: 'files', format_schema_path: 'formats' };
  for (const folder of Object.values(paths)) mkdirSync(join(directory, folder), { recursive: true });
  const root = version === '18.16' ? 'yandex' : 'clickhouse';
  const listening = [
    `<http_port>${ports.http}</http_port><tcp_port>${ports.tcp}</tcp_port>`,
    `<interserver_http_port>${ports.interserver}</interserver_http_port>`,
    '<interserver_http_host>127.0.0.1</interserver_http_host><listen_host>127.0.0.1</listen_host>',
    `<logger><level>warning</level><log>${directory}/log</log><errorlog>${directory}/errors</errorlog></logger>`,
    ...Object.entries(paths).map(([name, folder]) => `<${name}>${directory}/${folder}/</${name}>`),
    '<default_profile>default</default_profile><default_database>default</default_database>',
  ].join('');
  writeFileSync(
    join(directory, 'config.xml'),
    [
      `<${root}>${version === '18.16' ? listening : ''}<timezone>UTC</timezone>`,
      '<mark_cache_size>268435456</mark_cache_size><max_concurrent_queries>200</max_concurrent_queries>',
      `<users_config>${directory}/users.xml</users_config>${cluster}</${root}>`,
    ].join(''),
  );
  const user = (profile: string, rights = '') =>
    `<password></password><networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>${rights}`;
  const memory = '<max_memory_usage>4000000000</max_memory_usage>';
  const rights = version === '18.16' ? '' : '<grants><query>GRANT SELECT, INSERT ON *.*</query></grants>';
  writeFileSync(
    join(directory, 'users.xml'),
    [
      `<${root}><profiles><default>${memory}</default><reading>${memory}<readonly>2</readonly></reading></profiles>`,
      `<users><default>${user('default')}</default><reader>${user('reading')}</reader>`,
      `<limited>${user('default', rights)}</limited></users>`,
      `<quotas><default/></quotas></${root}>`,
    ].join(''),
  );
}
