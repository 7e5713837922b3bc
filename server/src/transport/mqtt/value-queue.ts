/** Single values of one integration on their way to the store: what arrives while an insert is under way is the next insert. */
import type { Clock } from '#model/environment';
import type { Fault } from '#protocol/fault';
import type { Message } from '#protocol/message';
import type { TimedValue } from '#protocol/value-message';
import type { MessageCalls, Sender } from './message-calls.ts';
import { ArrivalTimes, firstFrame, type ValueMessage } from './value-frames.ts';

/** A message of single values that waits. */
export interface QueuedValues extends ValueMessage {
  sender: Sender;
  bytesIn: number;
  /** Called once: with null when its values are durable, with a fault when it is rejected. */
  done(fault: Fault | null): void;
  /** Called instead when it could not be dealt with. */
  fail(error: unknown): void;
}

/** What a queue needs to make its calls. */
export interface ValueQueueOptions {
  calls: MessageCalls;
  clock: Clock;
  /** The call that a frame of values is. */
  method: string;
  /** Resolves when further messages may be acknowledged: those before have been given to their subscribers. */
  room(): Promise<void>;
  /** The queue is empty. */
  onIdle(): void;
}

/** Messages that are acknowledged at once: each is another write, and is given to all that have subscribed. */
const acknowledgedAtOnce = 16;

/** The queue of one integration. */
export class ValueQueue {
  readonly #options: ValueQueueOptions;
  readonly #arrivals = new ArrivalTimes();
  #waiting: QueuedValues[] = [];
  #isRunning = false;

  constructor(options: ValueQueueOptions) {
    this.#options = options;
  }

  /** Adds a message; messages are stored in the order in which they are added. Bounded by the messages that connections have under way. */
  add(message: Omit<QueuedValues, 'values'>, values: readonly TimedValue[]): void {
    if (this.#waiting.length === 0) this.#arrivals.begin(this.#options.clock.nowUs());
    this.#waiting.push({ ...message, values: this.#withTimes(message.input, values) });
    if (this.#isRunning) return;
    this.#isRunning = true;
    // What is read from sockets in this turn of the event loop joins in.
    setImmediate(() => void this.#run());
  }

  #withTimes(input: string, values: readonly TimedValue[]): TimedValue[] {
    return values.map(({ timeUs, value }) => ({
      timeUs: Number.isNaN(timeUs) ? this.#arrivals.next(input) : timeUs,
      value,
    }));
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const messages = this.#waiting;
      this.#waiting = [];
      for (let from = 0; from < messages.length; )
        from += await this.#insert(messages, from, messages.length);
    }
    this.#isRunning = false;
    this.#options.onIdle();
  }

  /**
   * Inserts the messages from `from` on, as many as make a frame; how many these are. A frame that is rejected is divided, so
   * that a message is rejected only for its own values.
   */
  async #insert(messages: readonly QueuedValues[], from: number, to: number): Promise<number> {
    const { columns, count } = firstFrame(messages, from, to);
    const end = from + count;
    try {
      const bytesIn = messages.slice(from, end).reduce((sum, message) => sum + message.bytesIn, 0);
      const { method } = this.#options;
      const { sender } = messages[from];
      const params = { integration: sender.caller.integration };
      const message: Message = { method, params, content: columns, bytesIn };
      const fault = await this.#options.calls.make(message, sender);
      if (fault === null || count === 1) await this.#settle(messages, from, end, (each) => each.done(fault));
      else await this.#insertHalves(messages, from, end);
    } catch (error) {
      await this.#settle(messages, from, end, (each) => each.fail(error));
    }
    return count;
  }

  async #insertHalves(messages: readonly QueuedValues[], from: number, end: number): Promise<void> {
    const middle = (from + end) >> 1;
    for (let at = from; at < middle; ) at += await this.#insert(messages, at, middle);
    for (let at = middle; at < end; ) at += await this.#insert(messages, at, end);
  }

  /** Reports on messages, a few at a time. */
  async #settle(
    messages: readonly QueuedValues[],
    from: number,
    end: number,
    report: (message: QueuedValues) => void,
  ): Promise<void> {
    for (let at = from; at < end; at++) {
      report(messages[at]);
      if ((at - from) % acknowledgedAtOnce === acknowledgedAtOnce - 1) await this.#options.room();
    }
  }
}
