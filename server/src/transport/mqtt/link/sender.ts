/** Sends messages to another broker: descriptions of errors, which wait for a connection, and live values. */
import type { BrokerConnection } from './connection.ts';
import { BrokerRefusal } from './connection.ts';

/** A message. */
export interface OutgoingMessage {
  topic: string;
  payload: string;
  /** Whether the broker gives it also to those that subscribe later. */
  retain: boolean;
}

/** Messages that wait for a connection; further ones are lost. */
const waitingMax = 1000;

/** The messages of one link. */
export class BrokerSender {
  readonly #connection: () => BrokerConnection | null;
  readonly #onRefusal: (problem: string) => void;
  #waiting: OutgoingMessage[] = [];
  #lostCount = 0;

  constructor(connection: () => BrokerConnection | null, onRefusal: (problem: string) => void) {
    this.#connection = connection;
    this.#onRefusal = onRefusal;
  }

  /** Messages for which there was no room. */
  get lostCount(): number {
    return this.#lostCount;
  }

  /** Sends a message, now or when there is a connection. */
  post(message: OutgoingMessage): void {
    if (this.#waiting.length >= waitingMax) this.#lostCount++;
    else if (this.#waiting.push(message) === 1) void this.#sendWaiting();
  }

  /** Sends a message; resolves when the broker has it. Rejects when there is no connection. */
  async send({ topic, payload, retain }: OutgoingMessage): Promise<void> {
    const connection = this.#connection();
    if (connection === null) throw new Error('there is no connection to the broker');
    try {
      await connection.publish(topic, payload, retain);
    } catch (error) {
      // It would be refused again.
      if (!(error instanceof BrokerRefusal)) throw error;
      this.#onRefusal(error.message);
    }
  }

  /** There is a connection again. */
  resume(): void {
    void this.#sendWaiting();
  }

  /** One at a time, so that they keep their order. */
  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0 && this.#connection() !== null) {
      try {
        await this.send(this.#waiting[0]);
        this.#waiting.shift();
      } catch {
        return;
      }
    }
  }
}
