/** One server of ClickHouse: the sole user of its driver. Statements are bounded in time and memory, and end with their caller. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Random } from '#model/environment';
import type { Address } from './addresses.ts';
import { ServerFailure, Silence } from './failures.ts';
import type { ClickHouseTuning } from './options.ts';

/** Settings of a statement; those that the server does not know are left out. */
export type Settings = Readonly<Record<string, number | string>>;

/** What a server is. */
export interface ServerFacts {
  version: string;
  /** Names of settings of statements, and of tables of the MergeTree family. */
  settings: ReadonlySet<string>;
  tableSettings: ReadonlySet<string>;
  functions: ReadonlySet<string>;
}

/** How often a statement that was cancelled is asked for at most while it is looked up. */
const killMsMax = 5000;

/** One server. */
export class Server {
  readonly origin: string;
  readonly #client: ClickHouseClient;
  readonly #random: Random;
  readonly #tuning: ClickHouseTuning;
  #facts: Promise<ServerFacts> | null = null;

  constructor({ origin, user, password }: Address, random: Random, tuning: ClickHouseTuning) {
    this.origin = origin;
    this.#random = random;
    this.#tuning = tuning;
    this.#client = createClient({
      ...{ url: origin, username: user, password, database: 'default', application: 'tidemark' },
      // The service's own guard ends requests; this is for sockets that it does not see.
      request_timeout: Math.max(tuning.readMsMax, tuning.insertMsMax) + 3 * tuning.pingMs,
      max_open_connections: tuning.readsMax + 8,
      compression: { request: false, response: false },
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** What the server is; asked once for as long as it answers. */
  facts(): Promise<ServerFacts> {
    this.#facts ??= this.#readFacts();
    this.#facts.catch(() => {
      this.#facts = null;
    });
    return this.#facts;
  }

  /** Runs a statement that answers nothing, such as one that creates a table. */
  async command(sql: string, settings: Settings = {}): Promise<void> {
    await this.table(sql, settings);
  }

  /** Runs a statement with a small answer, and gives its rows as text. */
  async table(sql: string, settings: Settings = {}, signal?: AbortSignal): Promise<string[][]> {
    const chunks: Uint8Array[] = [];
    const whole = { wait_end_of_query: 1, ...settings };
    for await (const chunk of this.#answer({ sql, settings: whole, msMax: this.#tuning.readMsMax }, signal))
      chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString('utf8').split('\n');
    return lines.slice(0, -1).map((line) => line.split('\t'));
  }

  /** Runs a statement that reads, and gives the bytes of its answer as they come. */
  read(sql: string, settings: Settings, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.#answer({ sql, settings, msMax: this.#tuning.readMsMax }, signal);
  }

  /** Inserts what the chunks hold. */
  async insert(sql: string, chunks: Iterable<Uint8Array>, settings: Settings): Promise<void> {
    const values = Readable.from(chunks, { objectMode: false });
    // An answer may come before all of the request was sent.
    values.on('error', () => {});
    for await (const _ of this.#answer({ sql, settings, msMax: this.#tuning.insertMsMax, values }));
  }

  /** Ends the connections; statements under way fail. */
  close(): Promise<void> {
    return this.#client.close();
  }

  async *#answer(
    statement: { sql: string; settings: Settings; msMax: number; values?: Readable },
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted();
    const guard = new Guard(() => this.#isAlive(), statement.msMax, this.#tuning.pingMs);
    const queryId = Buffer.from(this.#random.bytes(16)).toString('hex');
    const end = AbortSignal.any(signal === undefined ? [guard.signal] : [guard.signal, signal]);
    let isAnswered = false;
    try {
      const { sql, values } = statement;
      const settings = await this.#known(statement);
      const common = { query: sql, query_id: queryId, abort_signal: end, clickhouse_settings: settings };
      const { stream } = await this.#client.exec(values === undefined ? common : { ...common, values });
      yield* untilAborted(stream, end, guard);
      isAnswered = true;
    } catch (error) {
      signal?.throwIfAborted();
      const failure =
        error instanceof ServerFailure
          ? error
          : new ServerFailure(this.origin, guard.signal.aborted ? guard.signal.reason : error);
      isAnswered = !failure.isUnanswered;
      throw failure;
    } finally {
      guard.end();
      if (!isAnswered) this.#kill(queryId);
    }
  }

  async #known({ settings, msMax }: { settings: Settings; msMax: number }): Promise<Settings> {
    const { settings: known } = await this.facts();
    const bounds = {
      max_execution_time: Math.ceil(msMax / 1000),
      max_memory_usage: this.#tuning.statementBytesMax,
    };
    const wanted = Object.entries({ ...bounds, ...settings });
    return Object.fromEntries(wanted.filter(([name]) => known.has(name) || name === 'wait_end_of_query'));
  }

  async #readFacts(): Promise<ServerFacts> {
    const [[version]] = await this.#names('SELECT version()');
    const settings = await this.#names('SELECT name FROM system.settings');
    const tableSettings = await this.#names('SELECT name FROM system.merge_tree_settings');
    const functions = await this.#names('SELECT name FROM system.functions');
    return {
      version,
      settings: new Set(settings.flat()),
      tableSettings: new Set(tableSettings.flat()),
      functions: new Set(functions.flat()),
    };
  }

  async #names(query: string): Promise<string[][]> {
    const abort_signal = AbortSignal.timeout(2 * this.#tuning.pingMs);
    try {
      const { stream } = await this.#client.exec({ query: `${query} FORMAT TabSeparated`, abort_signal });
      const lines = Buffer.concat(await stream.toArray())
        .toString('utf8')
        .split('\n');
      return lines.slice(0, -1).map((line) => [line]);
    } catch (error) {
      throw new ServerFailure(this.origin, error);
    }
  }

  async #isAlive(): Promise<boolean> {
    const abort_signal = AbortSignal.timeout(this.#tuning.pingMs);
    const { success } = await this.#client.ping({ select: false, abort_signal });
    return success;
  }

  /** Ends a statement whose answer is not wanted any more; whether that succeeds does not matter. */
  #kill(queryId: string): void {
    const query = `KILL QUERY WHERE query_id = '${queryId}' ASYNC`;
    const abort_signal = AbortSignal.timeout(killMsMax);
    this.#client.command({ query, abort_signal }).catch(() => {});
  }
}

/** Ends a request whose time is over, or whose server does not answer a ping either. */
class Guard {
  readonly #controller = new AbortController();
  readonly #isAlive: () => Promise<boolean>;
  readonly #interval: NodeJS.Timeout;
  readonly #timeout: NodeJS.Timeout;
  #isActive = false;

  constructor(isAlive: () => Promise<boolean>, msMax: number, pingMs: number) {
    this.#isAlive = isAlive;
    this.#interval = setInterval(() => void this.#look(), pingMs).unref();
    this.#timeout = setTimeout(() => this.#abort(`no answer within ${msMax} ms`), msMax + pingMs).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has arrived: the server need not be asked next time. */
  touch(): void {
    this.#isActive = true;
  }

  end(): void {
    clearInterval(this.#interval);
    clearTimeout(this.#timeout);
  }

  async #look(): Promise<void> {
    const wasActive = this.#isActive;
    this.#isActive = false;
    if (wasActive || (await this.#isAlive()) || this.#isActive) return;
    this.#abort('the server does not answer');
  }

  #abort(reason: string): void {
    this.#controller.abort(new Silence(reason));
  }
}

/** The bytes of a stream, which is destroyed when the caller stops or the signal says so. */
async function* untilAborted(
  stream: Readable,
  signal: AbortSignal,
  guard: Guard,
): AsyncGenerator<Uint8Array> {
  const destroy = () => stream.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', destroy);
  if (signal.aborted) destroy();
  try {
    for await (const chunk of stream) {
      guard.touch();
      yield chunk;
    }
    await finished(stream, { writable: false });
  } finally {
    signal.removeEventListener('abort', destroy);
    stream.destroy();
  }
}
