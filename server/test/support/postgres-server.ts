/**
 * A PostgreSQL server of a test's own: in a temporary folder, on a free port of 127.0.0.1, as a user without rights, because it
 * refuses to run as root. It ends with the test's process, also when that is killed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

/** Where Debian has the versions. */
const versions = '/usr/lib/postgresql';

/** The user and the group named nobody and nogroup, as which it runs where the test runs as root. */
const nobody = 65_534;

/** The server ends when the input of the shell ends: with the process that started it. */
const guarded = 'set -m; "$@" & server=$!; cat >/dev/null; kill -INT "$server"; wait "$server"';

/** The folder of the server's programs; null where it is not installed. With `MACHINE_TOOLS=required` that is an error. */
export function postgresPrograms(): string | null {
  const names = existsSync(versions) ? readdirSync(versions) : [];
  const newest = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a))[0];
  const folder = join(versions, newest ?? '', 'bin');
  if (newest !== undefined && existsSync(join(folder, 'initdb'))) return folder;
  if (process.env.MACHINE_TOOLS === 'required')
    throw new Error('postgresql is not installed on this machine');
  return null;
}

/** A running server. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #programs: string;
  readonly #settings: readonly string[];
  #shell: ChildProcess | null = null;

  private constructor(programs: string, folder: string, port: number, settings: readonly string[]) {
    this.#programs = programs;
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  /**
   * Makes a server and starts it; `settings` are those of `postgresql.conf`, as `name=value`, and `rules` come first in
   * `pg_hba.conf`, which otherwise lets everyone in.
   */
  static async start(
    programs: string,
    settings: readonly string[] = [],
    rules: readonly string[] = [],
  ): Promise<PostgresServer> {
    const folder = await mkdtemp('/tmp/tidemark-postgres-');
    await chmod(folder, 0o755);
    if (isRoot()) await chown(folder, nobody, nobody);
    const data = join(folder, 'data');
    const options = [
      '-D',
      data,
      '-U',
      'tidemark',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ];
    await promisify(execFile)(join(programs, 'initdb'), options, { cwd: folder, ...identity() });
    const access = join(data, 'pg_hba.conf');
    await writeFile(access, [...rules, await readFile(access, 'utf8')].join('\n'));
    const server = new PostgresServer(programs, folder, await freePort(), settings);
    await server.resume();
    return server;
  }

  /** The URL of a database, by default the one that every server has. */
  url(database = 'postgres', user = 'tidemark'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs statements in a database, one after another, and returns the rows of the last one. */
  async run(statements: readonly string[], database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  /** The process of the server itself. */
  async process(): Promise<number> {
    const text = await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8');
    return Number(text.split('\n')[0]);
  }

  /** Sends the server and all of its processes a signal, such as SIGSTOP. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const main = await this.process();
    const children = await readFile(`/proc/${main}/task/${main}/children`, 'utf8');
    for (const pid of [main, ...children.trim().split(' ').map(Number)]) {
      try {
        if (pid > 0) process.kill(pid, name);
      } catch {
        // A session has just ended.
      }
    }
  }

  /** Kills the server at once; its clients are cut off. */
  async kill(): Promise<void> {
    const shell = this.#shell;
    if (shell === null) return;
    process.kill(await this.process(), 'SIGQUIT');
    shell.stdin?.end();
    if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
    this.#shell = null;
  }

  /** Starts a killed server again, on the same port and data. */
  async resume(): Promise<void> {
    const settings = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=60',
      ...this.#settings,
    ];
    const options = settings.flatMap((setting) => ['-c', setting]);
    const command = [join(this.#programs, 'postgres'), '-D', join(this.#folder, 'data'), ...options];
    this.#shell = spawn('bash', ['-c', guarded, 'guard', ...command], {
      cwd: this.#folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      ...identity(),
    });
    await this.#answers();
  }

  /** Ends the server and removes its data. */
  async close(): Promise<void> {
    const shell = this.#shell;
    if (shell !== null) {
      shell.stdin?.end();
      if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await this.run(['select 1']);
        return;
      } catch (error) {
        if (tries > 600 || this.#shell?.exitCode !== null) throw error;
        await delay(100);
      }
    }
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function identity(): { uid?: number; gid?: number } {
  return isRoot() ? { uid: nobody, gid: nobody } : {};
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
