/** One connection to PostgreSQL: how it is made, its time-outs, and its prepared statements. */
import { Socket } from 'node:net';
import pg from 'pg';
import type { SqlResult, SqlRow, SqlValue } from '../meta/sql-runner.ts';
import { isBroken } from './errors.ts';
import { checkServer, type ServerFacts } from './server-facts.ts';

/** How long one connection may take to be made, ms. */
const connectMs = 5_000;

/** How long PostgreSQL works on one statement, and waits for the lock of another transaction, ms. */
const statementMs = 15_000;
const lockMs = 10_000;

/** How long a transaction may wait for its next statement: what is unfinished then is rolled back, ms. */
const idleMs = 10_000;

/** How long an answer is waited for: longer than PostgreSQL works on it, ms. Beyond it the network or the server is dead. */
const answerMs = statementMs + 3_000;

/** Statements that one connection keeps prepared; the others are sent whole. */
const preparedMax = 200;

/** The types of columns that do not come as the driver gives them: whole numbers and sums are numbers. */
const types = {
  getTypeParser: ((id: number, format?: 'text' | 'binary') =>
    id === 20 || id === 1700 ? Number : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** How to connect. */
export interface ConnectOptions {
  /** Tried in turn, until one is a primary. */
  addresses: readonly string[];
  /** The schema that has the tables. */
  schema: string;
}

/** One connection, which runs one statement at a time. */
export class Connection {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #prepared = new Map<string, string>();
  #isUsable = true;
  #process = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    const ended = () => {
      this.#isUsable = false;
    };
    client.on('error', ended);
    client.on('end', ended);
  }

  /** Connects to the first address that is a primary. Rejects with the reason of the last one. */
  static async open({ addresses, schema }: ConnectOptions): Promise<Connection> {
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await Connection.#openOne(address, schema);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  static async #openOne(address: string, schema: string): Promise<Connection> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: address,
      stream: () => socket,
      keepAlive: true,
      application_name: 'tidemark',
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: idleMs,
      query_timeout: answerMs,
      types,
    });
    const connection = new Connection(client, socket);
    try {
      await client.connect();
      await connection.#begin(schema);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Whether it can still be used. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Runs one statement, after those that were given before it: the driver wants one at a time. Rejects with the driver's errors,
   * and closes the connection where they leave it of no use.
   */
  run(text: string, values: readonly SqlValue[] = []): Promise<SqlResult> {
    const result = this.#last.then(() => this.#runNext(text, values));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #runNext(text: string, values: readonly SqlValue[]): Promise<SqlResult> {
    try {
      const { rows, rowCount } = await this.#client.query<SqlRow>({
        text,
        values: [...values],
        name: values.length === 0 ? undefined : this.#nameOf(text),
      });
      return { rows, changes: rowCount ?? 0 };
    } catch (error) {
      if (isBroken(error)) this.close();
      throw error;
    }
  }

  /** The number of the server's process, by which another connection can cancel a statement. */
  get process(): number {
    return this.#process;
  }

  /** Calls `listener` with the payload of each notification, and the server's process of the connection that sent it. */
  onNotification(listener: (payload: string, process: number) => void): void {
    this.#client.on('notification', ({ payload, processId }) => listener(payload ?? '', processId));
  }

  /** Calls `listener` once when the connection has ended. */
  onEnd(listener: () => void): void {
    this.#client.once('end', listener);
    this.#client.once('error', listener);
  }

  /** Ends the connection without waiting for the server, which may be dead. */
  close(): void {
    this.#isUsable = false;
    this.#client.end().catch(() => undefined);
    this.#socket.destroySoon();
  }

  /** Commits survive the loss of power, whatever the server does by default. */
  async #begin(schema: string): Promise<void> {
    const { rows } = await this.run(
      `select pg_backend_pid() as process, pg_is_in_recovery() as standby, current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding, set_config('search_path', $1, false),
        case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', false) end`,
      [`"${schema.replaceAll('"', '""')}"`],
    );
    const [facts] = rows as unknown as (ServerFacts & { process: number })[];
    this.#process = facts.process;
    checkServer(facts);
  }

  #nameOf(text: string): string | undefined {
    const known = this.#prepared.get(text);
    if (known !== undefined || this.#prepared.size >= preparedMax) return known;
    const name = `t${this.#prepared.size}`;
    this.#prepared.set(text, name);
    return name;
  }
}
