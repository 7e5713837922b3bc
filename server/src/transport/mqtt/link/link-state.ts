/** The state of the link to another broker, of all its connections: for the log, and for those who ask. */
import type { Log } from '#model/environment';

/** The state. */
export class LinkState {
  readonly #log: Log;
  readonly #broker: string;
  /** By connection: what is wrong; null: nothing. */
  readonly #problems = new Map<string, string | null>();
  /** What was logged last. */
  #logged: string | null = 'connecting';
  #warned = '';

  /** `broker`: where it is, for messages. */
  constructor(log: Log, broker: string) {
    this.#log = log;
    this.#broker = broker;
  }

  /** What is wrong with one of the connections; null: nothing. */
  get problem(): string | null {
    const found = [...this.#problems.values()].filter((problem) => problem !== null);
    return found.find((problem) => problem !== 'connecting') ?? found[0] ?? null;
  }

  /** The problem of a connection has changed. The log tells it once for all of them. */
  note(connection: string, problem: string | null): void {
    this.#problems.set(connection, problem);
    this.#tell();
  }

  /** A connection is not wanted any more. */
  forget(connection: string): void {
    this.#problems.delete(connection);
  }

  /** The broker does not take something: said once, until it is another thing. */
  warn(problem: string): void {
    if (problem !== this.#warned) this.#log.warn(problem, { broker: this.#broker });
    this.#warned = problem;
  }

  #tell(): void {
    const { problem } = this;
    if (problem === this.#logged || problem === 'connecting') return;
    this.#logged = problem;
    const about = { broker: this.#broker, connections: this.#problems.size };
    if (problem === null) this.#log.info('connected to the broker', about);
    else this.#log.warn('the broker cannot be used now; trying again', { ...about, problem });
  }
}
