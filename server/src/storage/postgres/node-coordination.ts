/** Coordination of a service of several nodes, as one thread uses it: that of the threads of its process, and what nodes add. */
import { hash } from 'node:crypto';
import type { Rate } from '#model/plan';
import type { RateStatus } from '#model/rate-status';
import { nodeGroup } from '#threads/node-group';
import type { NumberTables } from '#threads/number-table';
import type {
  Attempts,
  Coordination,
  Leads,
  Members,
  NodeAnswers,
  NodeGroup,
  Notices,
  Rates,
  Sharer,
  Sums,
  Values,
  Windows,
} from '../coordination.ts';
import { type MetaTopic, metaTopics } from '../meta-store.ts';
import { type NodeEvent, type NodeListener, Nodes, type NodesOptions } from './nodes.ts';

/** The question by which the threads of a process tell the first one what other nodes should know. */
const tellQuestion = 'notify the other nodes';

/** The question by which the other threads of a process ask all nodes. */
const askQuestion = 'ask the nodes';

/** A question to all nodes, as it is passed on. */
interface NodeQuestion {
  question: string;
  detail: unknown;
}

/** What a {@link NodeCoordination} is made of. */
export interface NodeCoordinationOptions {
  /** Of the threads of this process. */
  threads: Coordination;
  tables: NumberTables;
  nodes: NodesOptions;
}

/**
 * Wrong secrets and attempts count on all nodes, soon after one another; rates are divided by the number of nodes that are alive;
 * one member of one node leads. The first thread of each process talks with the other nodes.
 */
export class NodeCoordination implements Coordination, NodeListener {
  readonly members: Members;
  readonly notices: Notices;
  readonly nodes: NodeGroup;
  readonly #threads: Coordination;
  readonly #count: Int32Array;
  readonly #nodes: Nodes | null;
  readonly #windows = new Map<string, Windows>();
  readonly #attempts = new Map<string, Attempts>();

  constructor({ threads, tables, nodes }: NodeCoordinationOptions) {
    this.members = threads.members;
    this.notices = threads.notices;
    this.#threads = threads;
    this.#count = tables.words('nodes that are alive', 1);
    this.#nodes = threads.members.index === 0 ? new Nodes(nodes, this) : null;
    const tell = (event: NodeEvent) => this.#nodes?.tell(event);
    const ask = (question: string, detail: unknown) => this.#ask(question, detail);
    this.nodes = nodeGroup(nodes.id, ask);
    if (this.#nodes === null) return;
    this.members.answer(tellQuestion, tell);
    this.members.answer(askQuestion, ({ question, detail }: NodeQuestion) => ask(question, detail));
  }

  /** Nodes that are alive, as far as this one knows. */
  get nodeCount(): number {
    return Math.max(1, Atomics.load(this.#count, 0));
  }

  /** In the first thread: takes its place among the nodes. */
  async start(): Promise<void> {
    await this.#nodes?.start();
  }

  /** Tells the other nodes of a change of the metadata; those that do not hear of it find it when they look. */
  tellChange(topic: MetaTopic, revision: number): void {
    this.#tell(['revision', topic, '', revision]);
  }

  /** Leaves the other nodes. */
  async close(): Promise<void> {
    await this.#nodes?.close();
  }

  rates(policy: RateStatus['policy'], name: string = policy): Rates {
    const own = this.#threads.rates(policy, name);
    return { take: (key, rate, count) => own.take(key, this.#share(rate), count) };
  }

  windows(name: string): Windows {
    const own = this.#threads.windows(name);
    this.#windows.set(name, own);
    return {
      add: (key) => {
        const digest = digestOf(key);
        this.#tell(['window', name, digest, 1]);
        return own.add(digest);
      },
      look: (key) => own.look(digestOf(key)),
      lastMs: () => own.lastMs(),
    };
  }

  attempts(name: string): Attempts {
    const own = this.#threads.attempts(name);
    this.#attempts.set(name, own);
    return {
      of: (key, withinMs) => own.of(digestOf(key), withinMs),
      note: (key, withinMs) => {
        this.#tell(['note', name, digestOf(key), withinMs]);
        own.note(digestOf(key), withinMs);
      },
      forget: (key) => {
        this.#tell(['forget', name, digestOf(key), 0]);
        own.forget(digestOf(key));
      },
    };
  }

  values(name: string): Values {
    return this.#threads.values(name);
  }

  /** What other nodes have added is known when it has been stored, which each does every second. */
  sums(name: string): Sums {
    return this.#threads.sums(name);
  }

  lead(begin: (leads: Leads) => void, end: () => void): void {
    this.#nodes?.lead(begin, end);
  }

  divide(name: string, count: number, sharer: Sharer): void {
    this.#nodes?.divide(name, count, sharer);
  }

  asked(question: string, detail: unknown): Promise<unknown[]> {
    return this.members.ask(question, detail);
  }

  counted(nodes: number): void {
    Atomics.store(this.#count, 0, nodes);
  }

  told([kind, name, digest, detail]: NodeEvent): void {
    if (kind === 'window') this.#windows.get(name)?.add(digest);
    else if (kind === 'note') this.#attempts.get(name)?.note(digest, detail);
    else if (kind === 'forget') this.#attempts.get(name)?.forget(digest);
    else if (kind === 'revision') this.#raise(name, detail);
  }

  /** Another release may have topics that this one does not know. */
  #raise(name: string, revision: number): void {
    const topic = metaTopics.find((known) => known === name);
    if (topic !== undefined) this.notices.raise(topic, revision);
  }

  #ask(question: string, detail: unknown): Promise<NodeAnswers<unknown>[]> {
    if (this.#nodes !== null) return this.#nodes.ask(question, detail);
    return this.members.askFirst(askQuestion, { question, detail } satisfies NodeQuestion);
  }

  /** This node's part; at least one call at a time. */
  #share({ perSecond, burst }: Rate): Rate {
    const nodes = this.nodeCount;
    return { perSecond: perSecond / nodes, burst: Math.max(1, burst / nodes) };
  }

  #tell(event: NodeEvent): void {
    if (this.#nodes !== null) this.#nodes.tell(event);
    else this.members.askFirst(tellQuestion, event).catch(() => undefined); // The process is ending.
  }
}

/** Keys are names and addresses: other nodes need to recognise them, not to read them. */
function digestOf(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 22);
}
