/**
 * The service as a client of an existing broker (M6): sessions with shared subscriptions, which are divided among the nodes, and a
 * connection that publishes errors and live values. Messages are dealt with as those of the embedded broker.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Log, Random, Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import type { IntegrationCallers } from '#protocol/authenticator';
import type { Fault } from '#protocol/fault';
import type { Coordination } from '#storage/coordination';
import type { MqttFigures } from '../broker.ts';
import { MessageCalls, type MessageCallsOptions, type Sender } from '../message-calls.ts';
import { rejectionText } from '../rejection.ts';
import { errorsTopic, sharedFilters } from '../topics.ts';
import { ValueQueues } from '../value-queues.ts';
import { BrokerConnection, type BrokerTarget } from './connection.ts';
import { ItemPublisher, type PublishedItems } from './item-publisher.ts';
import { KeptConnection } from './kept-connection.ts';
import { LinkInboxes } from './link-inboxes.ts';
import { LinkSession } from './link-session.ts';
import { LinkState } from './link-state.ts';
import type { MqttVersion } from './packet-intake.ts';
import { BrokerSender } from './sender.ts';

/** Where the broker is, and how it is spoken to. */
export interface LinkTarget extends BrokerTarget {
  /** The versions to try, the preferred one first. */
  versions: readonly MqttVersion[];
}

/** Options of {@link BrokerLink}. */
export interface BrokerLinkOptions extends MessageCallsOptions {
  target: LinkTarget;
  clock: Clock;
  stopwatch: Stopwatch;
  random: Random;
  log: Log;
  coordination: Pick<Coordination, 'divide'>;
  authenticator: IntegrationCallers;
  limits: MessageCallsOptions['limits'] & Pick<Limits, 'mqttSessionTtlS'>;
  items: PublishedItems;
  /** A message of an integration has been dealt with. */
  onMessage(integration: string, isRejected: boolean): void;
  /** Learns of what other threads have changed; null: nothing. */
  catchUp(): Promise<unknown> | null;
}

/**
 * Sessions of the service at the broker. So many nodes can share the work. The number must not become smaller: the broker would go
 * on giving messages to the sessions that nobody has.
 */
const sessionCount = 16;

/** How often the changes of other threads are looked for, ms. */
const catchUpMs = 400;

/** The link. */
export class BrokerLink {
  readonly #options: BrokerLinkOptions;
  readonly #calls: MessageCalls;
  readonly #queues: ValueQueues;
  readonly #sessions = new Map<number, LinkSession>();
  readonly #publishing: KeptConnection;
  readonly #sender: BrokerSender;
  readonly #state: LinkState;
  readonly #timer: NodeJS.Timeout;
  #items: ItemPublisher | null = null;
  #messageCount = 0;
  #rejectedCount = 0;
  #isClosed = false;

  /** Begins to connect, and goes on trying. */
  constructor(options: BrokerLinkOptions) {
    this.#options = options;
    const { log, coordination, clock, target, random } = options;
    this.#calls = new MessageCalls({ ...options, waitsForRates: false });
    this.#queues = new ValueQueues({ calls: this.#calls, clock, room: () => nextTurn() });
    this.#state = new LinkState(log, `${target.host}:${target.port}`);
    this.#sender = new BrokerSender(
      () => this.#publishing.current,
      (problem) => this.#state.warn(problem),
    );
    const name = `tidemark-${Buffer.from(random.bytes(6)).toString('hex')}`;
    this.#publishing = new KeptConnection({
      ...{ random, versions: target.versions },
      connect: (version) => this.#connect(version, name, 0, { onMessage: () => {}, onTooLarge: () => {} }),
      onConnected: async () => {},
      onProblem: (problem) => {
        this.#state.note('publishing', problem);
        if (problem === null) this.#sender.resume();
      },
    });
    this.#timer = setInterval(() => void this.#catchUp(), catchUpMs).unref();
    coordination.divide('sessions at the broker', sessionCount, {
      take: (index) => this.#take(index),
      leave: (index) => this.#leave(index),
    });
    coordination.divide('live values at the broker', 1, {
      take: () => this.#publishItems(),
      leave: () => this.#stopItems(),
    });
  }

  /** What is wrong with the link; null: nothing. */
  get problem(): string | null {
    return this.#state.problem;
  }

  /** What is under way and has been done. */
  get figures(): MqttFigures {
    const sessions = [...this.#sessions.values()];
    const connections = [
      this.#publishing.current !== null,
      ...sessions.map(({ isConnected }) => isConnected),
    ];
    return {
      connectionCount: connections.filter(Boolean).length,
      messageCount: this.#messageCount,
      rejectedCount: this.#rejectedCount,
      sessionCount: sessions.length,
      queuedCount: sessions.reduce((sum, { underWayCount }) => sum + underWayCount, 0),
      droppedCount: this.#sender.lostCount,
    };
  }

  /** Takes nothing more, finishes what has been received, and leaves the broker. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    return this.#close();
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#stopItems(), ...[...this.#sessions.keys()].map((index) => this.#leave(index))]);
    await this.#calls.close();
    await this.#publishing.close();
  }

  #take(index: number): void {
    if (this.#isClosed) return;
    const { log, random, target, limits, authenticator } = this.#options;
    const receiver = new LinkInboxes({
      ...{ authenticator, calls: this.#calls },
      queueOf: (integration, method) => this.#queues.of(integration, method),
      address: () => target.host,
      onDone: (sender, topic, fault) => this.#done(sender, topic, fault),
    });
    const session = new LinkSession({
      ...{ random, log, receiver, filters: sharedFilters, versions: target.versions },
      messageBytesMax: () => limits.bodyBytesMax,
      connect: (version, events) =>
        this.#connect(version, `tidemark-${index}`, limits.mqttSessionTtlS, events),
      onProblem: (problem) => this.#state.note(`session ${index}`, problem),
    });
    this.#state.note(`session ${index}`, 'connecting');
    this.#sessions.set(index, session);
  }

  async #leave(index: number): Promise<void> {
    const session = this.#sessions.get(index);
    this.#sessions.delete(index);
    await session?.close();
    this.#state.forget(`session ${index}`);
  }

  #publishItems(): void {
    if (this.#isClosed) return;
    const { items, log } = this.#options;
    this.#items = new ItemPublisher({ items, log, send: (message) => this.#sender.send(message) });
  }

  async #stopItems(): Promise<void> {
    const items = this.#items;
    this.#items = null;
    await items?.close();
  }

  #connect(
    version: MqttVersion,
    clientId: string,
    sessionS: number,
    events: Pick<Parameters<typeof BrokerConnection.open>[0], 'onMessage' | 'onTooLarge'>,
  ): Promise<BrokerConnection> {
    const { target, limits, load, stopwatch } = this.#options;
    return BrokerConnection.open({
      ...{ target, version, clientId, sessionS, stopwatch, ...events },
      messageBytesMax: () => limits.bodyBytesMax,
      step: (work) => load.step(target.host, work),
    });
  }

  /** Without a sender the topic names no integration, which there is nothing to record for. */
  #done(sender: Sender | null, topic: string, fault: Fault | null): void {
    this.#messageCount++;
    if (sender !== null) this.#options.onMessage(sender.caller.integration, fault !== null);
    if (sender !== null && fault === null) return;
    this.#rejectedCount++;
    if (sender === null || fault === null) return;
    const payload = rejectionText(fault, topic);
    this.#sender.post({ topic: errorsTopic(sender.caller.integration), payload, retain: false });
  }

  async #catchUp(): Promise<void> {
    try {
      await this.#options.catchUp();
    } catch (error) {
      this.#options.log.warn('integrations cannot be read; trying again', { error });
    }
  }
}
