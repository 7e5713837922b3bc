/**
 * The connections of each integration to the broker, and its messages over the last minute. The thread that has the broker
 * counts; a question is answered by all threads of all nodes.
 */
import type { Stopwatch } from '#model/environment';
import type { Coordination, NodeGroup } from '#storage/coordination';
import { MinuteCount } from './minute-count.ts';

/** What is counted of messages. */
export type MessageKind = 'received' | 'rejected' | 'delivered';

/** Connections now, and messages over the last minute; those that were rejected are among those that were received. */
export interface TrafficFigures extends Record<MessageKind, number> {
  /** Null at another broker, which does not say. */
  connections: number | null;
}

interface BrokerTrafficOptions {
  stopwatch: Stopwatch;
  coordination: Pick<Coordination, 'members' | 'nodes'>;
}

interface Counts extends Record<MessageKind, MinuteCount> {
  connections: number;
}

/** Counts for integrations that clients have connected for, or that have sent messages by another broker. */
export class BrokerTraffic {
  readonly #stopwatch: Stopwatch;
  readonly #nodes: NodeGroup;
  readonly #counts = new Map<string, Counts>();
  /** Which broker clients connect to; null: there is none in this thread. */
  #broker: 'own' | 'other' | null = null;

  constructor({ stopwatch, coordination: { members, nodes } }: BrokerTrafficOptions) {
    this.#stopwatch = stopwatch;
    this.#nodes = nodes;
    members.answer('traffic of the broker', (integration: string) => this.#own(integration));
    members.answer('forget traffic', (integration: string) => this.#counts.delete(integration));
  }

  /** There is a broker in this thread, or a client of another one. */
  begin(broker: 'own' | 'other'): void {
    this.#broker = broker;
  }

  /** A client has connected; call what it returns once, when its connection has ended. */
  connect(integration: string): () => void {
    const counts = this.#countsOf(integration);
    counts.connections++;
    return () => void counts.connections--;
  }

  /** Counts a message of an integration for which a client has connected. */
  note(integration: string, kind: MessageKind): void {
    this.#counts.get(integration)?.[kind].add(this.#stopwatch.elapsedMs());
  }

  /** The figures of all nodes; those that did not answer are added to `silent`. Null: none has a broker. */
  async of(integration: string, silent?: Set<string>): Promise<TrafficFigures | null> {
    const question = 'traffic of the broker';
    const answers = await this.#nodes.askAll<TrafficFigures | null>(question, integration, silent);
    const found = answers.filter((figures) => figures !== null);
    return found.length === 0 ? null : found.reduce(sumOf);
  }

  /** Counts a message of an integration that has come by another broker. */
  noteForeign(integration: string, isRejected: boolean): void {
    this.#countsOf(integration);
    this.note(integration, 'received');
    if (isRejected) this.note(integration, 'rejected');
  }

  /** Removes a deleted integration. */
  async forget(integration: string): Promise<void> {
    await this.#nodes.ask('forget traffic', integration);
  }

  #own(integration: string): TrafficFigures | null {
    if (this.#broker === null) return null;
    const counts = this.#counts.get(integration);
    const nowMs = this.#stopwatch.elapsedMs();
    return {
      connections: this.#broker === 'own' ? (counts?.connections ?? 0) : null,
      received: counts?.received.sum(nowMs) ?? 0,
      rejected: counts?.rejected.sum(nowMs) ?? 0,
      delivered: counts?.delivered.sum(nowMs) ?? 0,
    };
  }

  #countsOf(integration: string): Counts {
    return this.#counts.getOrInsertComputed(integration, () => ({
      connections: 0,
      received: new MinuteCount(),
      rejected: new MinuteCount(),
      delivered: new MinuteCount(),
    }));
  }
}

function sumOf(a: TrafficFigures, b: TrafficFigures): TrafficFigures {
  return {
    connections: a.connections === null ? b.connections : a.connections + (b.connections ?? 0),
    received: a.received + b.received,
    rejected: a.rejected + b.rejected,
    delivered: a.delivered + b.delivered,
  };
}
