/** One authenticated connection: what it may do, and the order of its messages. */
import type { PublishPacket, Subscription } from 'aedes';
import type { Caller } from '#model/caller';
import { AppError, invalidParams } from '#model/error';
import { Columns } from '#model/frame';
import { quote } from '#model/problem-list';
import type { Fault } from '#protocol/fault';
import type { Message } from '#protocol/message';
import { readTimedValues, type TimedValue } from '#protocol/value-message';
import type { MessageCalls, Sender } from './message-calls.ts';
import type { PacketStream } from './packet-stream.ts';
import { encodingOfPayload } from './payload.ts';
import type { Connection, PersistentSession } from './persistent/persistent-session.ts';
import { maySee, type PublishTopic, parseItemTopic, parsePublishTopic, publishForms } from './topics.ts';
import type { ValueQueue } from './value-queue.ts';

/** What sessions share. */
export interface SessionOptions {
  calls: MessageCalls;
  /** The queue of an integration's single values. */
  queueOf(integration: string, method: string): ValueQueue;
  /** Why an item has no live values; null: it may have some. */
  refusalOf(item: string): Promise<string | null>;
  /** A subscription to an item begins; its values are sent from when this has resolved. */
  addItem(item: string): Promise<void>;
  /** It has ended. */
  dropItem(item: string): void;
  /** An integration has one subscription to its own topics more, or fewer. */
  countFilter(integration: string, change: 1 | -1): void;
  /** Describes a rejected message to its integration (M3). */
  onRejected(session: Session, topic: string, fault: Fault): Promise<void>;
  /** A message is sent to the client. */
  onDelivered(session: Session): void;
  /** Whether the integration of a client may have its persistent session. */
  mayPersist(session: PersistentSession): boolean;
}

/** Subscriptions of one connection. */
const filtersMax = 100;

/** Longer filters are refused. */
const filterCharactersMax = 1024;

/** A message that is a call counts for so many single values: a client that leaves has few calls under way. */
const callWeight = 30;

/** Compressed values of one topic, after decompression. */
const inflatedValuesMax = 1024 * 1024;

/** One connection. */
export class Session implements Sender {
  /** As it was last looked up. */
  caller: Caller;
  /** Whether its credential has ended, or the service ends: then its will is not published. */
  isRevoked = false;
  readonly stream: PacketStream;
  /** What outlasts the connection; null: nothing does. */
  readonly persistent: PersistentSession | null;
  readonly #options: SessionOptions;
  readonly #filters = new Set<string>();
  /** Filters whose live values are those of all connections, and not of the persistent session. */
  readonly #shared = new Set<string>();
  /** Identifiers of messages of QoS 2. */
  readonly #exactlyOnce = new Set<number>();
  /** The last message that is not a single value, until it has been dealt with. */
  #lastCall: Promise<unknown> | null = null;
  /** The last single value. */
  #lastValue: Promise<unknown> | null = null;

  constructor(
    caller: Caller,
    stream: PacketStream,
    persistent: PersistentSession | null,
    options: SessionOptions,
  ) {
    this.caller = caller;
    this.stream = stream;
    this.persistent = persistent;
    this.#options = options;
  }

  /** The address of the client. */
  get address(): string {
    return this.stream.address;
  }

  /** Whether a subscription is allowed; it is then counted, and resolves when nothing will be missed. */
  async subscribe({ topic: filter, qos }: Subscription): Promise<boolean> {
    if (filter.length > filterCharactersMax || !this.mayReceive(filter)) return false;
    if (!this.#filters.has(filter) && this.#filters.size >= filtersMax) return false;
    if (this.persistent !== null && !this.#options.mayPersist(this.persistent)) return false;
    if (!this.#filters.has(filter)) this.#options.countFilter(this.caller.integration, 1);
    this.#filters.add(filter);
    const problem = await this.#share(filter, this.persistent === null || qos === 0);
    if (problem !== null) await this.#refuseFilter(filter, problem);
    return problem === null;
  }

  /** A subscription that is allowed but means nothing: the answer has no room for the reason. */
  async #refuseFilter(filter: string, problem: string): Promise<void> {
    if (this.#filters.delete(filter)) this.#options.countFilter(this.caller.integration, -1);
    const fault = await this.#refuse(invalidParams({ topic: [problem] }));
    if (fault !== null) await this.#options.onRejected(this, filter, fault);
  }

  /** Subscriptions have ended. */
  unsubscribe(filters: readonly string[]): void {
    for (const filter of filters) {
      if (!this.#filters.delete(filter)) continue;
      this.#options.countFilter(this.caller.integration, -1);
      this.#unshare(filter);
    }
  }

  /** Those of these filters that the client has. */
  subscribed(filters: readonly string[]): string[] {
    return filters.filter((filter) => this.#filters.has(filter));
  }

  /** The connection has ended. */
  end(): void {
    this.unsubscribe([...this.#filters]);
    this.persistent?.detach(this);
  }

  /** The stream, as the persistent session uses it: it writes nothing but messages. */
  get wire(): Connection['wire'] {
    return {
      write: (message) => {
        this.#options.onDelivered(this);
        return this.stream.write(message);
      },
      cut: () => this.stream.cut(),
    };
  }

  /** Whether messages of a topic or filter may be sent to this client now. */
  mayReceive(topic: string): boolean {
    const { integration, grants } = this.caller;
    return maySee(topic, integration, grants.has('service'));
  }

  /** Whether a message of QoS 2 has been received already: the client sends it again, since it has not seen that. */
  isRepeated({ qos, dup, messageId = 0 }: PublishPacket): boolean {
    if (qos !== 2) return false;
    const isRepeated = dup && this.#exactlyOnce.has(messageId);
    this.#exactlyOnce.add(messageId);
    return isRepeated;
  }

  /**
   * Deals with a message, in the order of the messages: true when it is durable, false when it is rejected. Rejects when it could
   * not be dealt with.
   */
  async receive(topic: string, payload: Buffer): Promise<boolean> {
    const fault = await this.#dealWith(topic, payload);
    if (fault !== null) await this.#options.onRejected(this, topic, fault);
    return fault === null;
  }

  /** Live values of a filter are those of all connections, or not; null, or why there are none. */
  async #share(filter: string, isShared: boolean): Promise<string | null> {
    const found = parseItemTopic(filter);
    if (found === null) return null;
    const problem = await this.#options.refusalOf(found.item);
    if (problem !== null || this.#shared.has(filter) === isShared) return problem;
    if (!isShared) this.#unshare(filter);
    else {
      this.#shared.add(filter);
      await this.#options.addItem(found.item);
    }
    return null;
  }

  #unshare(filter: string): void {
    const found = this.#shared.delete(filter) ? parseItemTopic(filter) : null;
    if (found !== null) this.#options.dropItem(found.item);
  }

  #dealWith(topic: string, payload: Buffer): Promise<Fault | null> {
    const form = parsePublishTopic(topic, this.caller.integration);
    if (form === null) return this.#inOrder(() => this.#refuse(unknownTopic(topic)));
    if (form.input === null) return this.#inOrder(() => this.#callJson(form, payload));
    if (form.integration !== this.caller.integration)
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
      this.#options.queueOf(integration, method).add({ input, sender: this, bytesIn, done, fail }, values);
    });
  }

  async #inflateValues(input: string, form: PublishTopic, payload: Buffer): Promise<Fault | null> {
    const bytes = await this.#options.calls.inflate(payload, inflatedValuesMax, this);
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
    return this.#options.calls.make({ method, params: { integration }, content, bytesIn }, this);
  }

  #refuse(error: AppError): Promise<Fault | null> {
    return this.#options.calls.refuse(error, this);
  }

  /** After everything before it. */
  #inOrder(work: () => Promise<Fault | null>): Promise<Fault | null> {
    const before = [this.#lastCall, this.#lastValue].filter((last) => last !== null);
    const working = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    this.#lastCall = working;
    this.#lastValue = null;
    this.stream.weigh(callWeight);
    const forget = () => {
      this.stream.weigh(-callWeight);
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
