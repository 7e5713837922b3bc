/** The messages of one sender in their order: which call each of them is, and whether it was stored (M2, M3a). */
import { AppError } from '#model/error';
import { Columns } from '#model/frame';
import { quote } from '#model/problem-list';
import type { Fault } from '#protocol/fault';
import type { Message } from '#protocol/message';
import { readTimedValues, type TimedValue } from '#protocol/value-message';
import type { MessageCalls, Sender } from './message-calls.ts';
import { encodingOfPayload } from './payload.ts';
import { type PublishTopic, parsePublishTopic, publishForms } from './topics.ts';
import type { ValueQueue } from './value-queue.ts';

/** What an inbox needs. */
export interface InboxOptions {
  calls: MessageCalls;
  /** The queue of an integration's single values. */
  queueOf(integration: string, method: string): ValueQueue;
  /** What is under way counts for so many messages more, or fewer. */
  weigh(change: number): void;
}

/** A message that is a call counts for so many single values: a client that leaves has few calls under way. */
const callWeight = 30;

/** Compressed values of one topic, after decompression. */
const inflatedValuesMax = 1024 * 1024;

/** The inbox of one sender. */
export class Inbox {
  readonly #sender: Sender;
  readonly #options: InboxOptions;
  /** The last message that is not a single value, until it has been dealt with. */
  #lastCall: Promise<unknown> | null = null;
  /** The last single value. */
  #lastValue: Promise<unknown> | null = null;

  constructor(sender: Sender, options: InboxOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  /** Deals with a message: null when it is durable, else why it is rejected. Rejects when it could not be dealt with. */
  receive(topic: string, payload: Buffer): Promise<Fault | null> {
    const own = this.#sender.caller.integration;
    const form = parsePublishTopic(topic, own);
    if (form === null) return this.#inOrder(() => this.#refuse(unknownTopic(topic)));
    if (form.input === null) return this.#inOrder(() => this.#callJson(form, payload));
    if (form.integration !== own)
      return this.#inOrder(() => this.#call(form, new Columns(none, [], none, 0), payload.length));
    if (encodingOfPayload(payload) !== null)
      return this.#inOrder(() => this.#inflateValues(form.input ?? '', form, payload));
    return this.#receiveValues(form.input, form, payload);
  }

  /** Values join those of other connections; those of this one keep their order in the queue. */
  #receiveValues(input: string, form: PublishTopic, payload: Buffer): Promise<Fault | null> {
    const values = readTimedValues(payload);
    if (values instanceof AppError) return this.#inOrder(() => this.#call(form, values, payload.length));
    if (this.#lastCall !== null)
      return this.#inOrder(() => this.#enqueue(input, form, values, payload.length));
    const stored = this.#enqueue(input, form, values, payload.length);
    this.#lastValue = stored;
    return stored;
  }

  #enqueue(
    input: string,
    { integration, method }: PublishTopic,
    values: readonly TimedValue[],
    bytesIn: number,
  ): Promise<Fault | null> {
    return new Promise((done, fail) => {
      this.#options
        .queueOf(integration, method)
        .add({ input, sender: this.#sender, bytesIn, done, fail }, values);
    });
  }

  async #inflateValues(input: string, form: PublishTopic, payload: Buffer): Promise<Fault | null> {
    const bytes = await this.#options.calls.inflate(payload, inflatedValuesMax, this.#sender);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const values = readTimedValues(bytes);
    if (values instanceof AppError) return this.#call(form, values, bytes.length);
    return this.#enqueue(input, form, values, bytes.length);
  }

  #callJson(form: PublishTopic, payload: Buffer): Promise<Fault | null> {
    return this.#call(form, { name: form.parameter, bytes: payload }, payload.length);
  }

  #call(
    { integration, method }: PublishTopic,
    content: Message['content'],
    bytesIn: number,
  ): Promise<Fault | null> {
    return this.#options.calls.make({ method, params: { integration }, content, bytesIn }, this.#sender);
  }

  #refuse(error: AppError): Promise<Fault | null> {
    return this.#options.calls.refuse(error, this.#sender);
  }

  /** After everything before it. */
  #inOrder(work: () => Promise<Fault | null>): Promise<Fault | null> {
    const before = [this.#lastCall, this.#lastValue].filter((last) => last !== null);
    const working = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    this.#lastCall = working;
    this.#lastValue = null;
    this.#options.weigh(callWeight);
    const forget = () => {
      this.#options.weigh(-callWeight);
      if (this.#lastCall === working) this.#lastCall = null;
    };
    working.then(forget, forget);
    return working;
  }
}

const none = new Float64Array(0);

function unknownTopic(topic: string): AppError {
  return new AppError(
    'invalid-request',
    `Invalid request: unknown topic ${quote(topic)}; publish to ${publishForms}`,
  );
}
