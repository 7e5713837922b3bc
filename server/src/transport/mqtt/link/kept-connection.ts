/** A connection to another broker that is made again whenever it ends. */
import type { Random } from '#model/environment';
import { type BrokerConnection, BrokerRefusal } from './connection.ts';
import type { MqttVersion } from './packet-intake.ts';

/** Options of {@link KeptConnection}. */
export interface KeptConnectionOptions {
  random: Random;
  /** The versions to try, the preferred one first. */
  versions: readonly MqttVersion[];
  connect(version: MqttVersion): Promise<BrokerConnection>;
  /** Called with each new connection, before it counts as made; when this rejects, it has failed. */
  onConnected(connection: BrokerConnection): Promise<void>;
  /** Called when the problem of the connection changes; null: it has none. */
  onProblem(problem: string | null): void;
}

/** The wait before the next attempt, ms: it doubles, and a part of it is random, so that nodes do not come together. */
const waitMsMin = 250;
const waitMsMax = 10_000;

/** The connection. */
export class KeptConnection {
  readonly #options: KeptConnectionOptions;
  readonly #closing = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  #isClosed = false;
  #current: BrokerConnection | null = null;
  /** The place of the version that is tried next. */
  #version = 0;

  constructor(options: KeptConnectionOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** The connection that there is now. */
  get current(): BrokerConnection | null {
    return this.#current;
  }

  /** Takes leave of the broker, and does not connect again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.resolve();
    await this.#current?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let waitMs = waitMsMin; !this.#isClosed; ) {
      const hasWorked = await this.#once();
      if (hasWorked) waitMs = waitMsMin;
      await this.#wait(waitMs);
      waitMs = Math.min(waitMsMax, 2 * waitMs);
    }
  }

  /** One connection from its beginning to its end; whether it was made. */
  async #once(): Promise<boolean> {
    let connection: BrokerConnection | null = null;
    let hasWorked = false;
    try {
      connection = await this.#options.connect(this.#nextVersion());
      if (this.#isClosed) return false;
      await this.#options.onConnected(connection);
      hasWorked = true;
      this.#current = connection;
      this.#options.onProblem(null);
      throw await connection.ended;
    } catch (error) {
      this.#note(error as Error, connection !== null);
    } finally {
      this.#current = null;
      await connection?.end();
    }
    return hasWorked;
  }

  #nextVersion(): MqttVersion {
    const { versions } = this.#options;
    return versions[this.#version % versions.length];
  }

  /** A broker that does not know a version says so, or just ends the connection. */
  #note(error: Error & { code?: string }, wasAccepted: boolean): void {
    const isAway = error.code !== undefined && error.code !== 'ECONNRESET';
    const saysWhy = error instanceof BrokerRefusal && !error.isVersion;
    if (!wasAccepted && !isAway && !saysWhy) this.#version++;
    if (!this.#isClosed) this.#options.onProblem(error.message || (error.code ?? String(error)));
  }

  async #wait(ms: number): Promise<void> {
    const part = this.#options.random.bytes(1)[0] / 256;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms * (0.5 + part / 2));
    await Promise.race([promise, this.#closing.promise]);
    clearTimeout(timer);
  }
}
