/** A bounded number of connections to PostgreSQL, which are made when they are needed and made again after they were lost. */
import { Connection, type ConnectOptions } from './connection.ts';
import { asAppError, unavailable } from './errors.ts';
import { Gate } from './gate.ts';

/** The connections of one thread. */
export class Pool {
  readonly #options: ConnectOptions;
  readonly #gate: Gate;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #isClosed = false;

  constructor(options: ConnectOptions, max: number) {
    this.#options = options;
    this.#gate = new Gate(max);
  }

  /** Lends a connection. Errors come out in the form for callers. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#lend(work);
    } catch (error) {
      throw asAppError(error);
    }
  }

  /** As {@link use}, for work that only reads: it is repeated once when the connection, which may have been lost before, fails. */
  async read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let isLost = false;
    const watched = (connection: Connection) =>
      work(connection).catch((error: unknown) => {
        isLost = !connection.isUsable;
        throw error;
      });
    try {
      return await this.#lend(watched);
    } catch (error) {
      if (!isLost || isSlow(error)) throw asAppError(error);
      return this.use(work);
    }
  }

  /** Ends all connections. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close();
    this.#all.clear();
  }

  #lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#gate.pass(async () => {
      const connection = await this.#take();
      try {
        return await work(connection);
      } finally {
        this.#give(connection);
      }
    });
  }

  async #take(): Promise<Connection> {
    for (let known = this.#idle.pop(); known !== undefined; known = this.#idle.pop()) {
      if (known.isUsable) return known;
      this.#all.delete(known);
    }
    if (this.#isClosed) throw unavailable('the service is ending');
    const made = await Connection.open(this.#options);
    this.#all.add(made);
    return made;
  }

  #give(connection: Connection): void {
    if (connection.isUsable && !this.#isClosed) this.#idle.push(connection);
    else {
      this.#all.delete(connection);
      connection.close();
    }
  }
}

/** Where the server does not answer in time, a repetition would only double the wait. */
function isSlow(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.message);
}
