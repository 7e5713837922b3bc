/**
 * Questions of one node to others, over notifications of PostgreSQL: no node needs to reach another one. A notification has at
 * most 8,000 bytes, so an answer is sent in parts.
 */
import { hash } from 'node:crypto';
import type { Stopwatch } from '#model/environment';

/** How long other nodes have to answer, ms. */
const answerMsMax = 2_000;

/** Characters of a part of an answer, all of which are ASCII, and of a whole answer at most. */
const partCharacters = 7_000;
const answerCharactersMax = 1_048_576;

/** A question, or a part of an answer to one. */
export type NodeMessage =
  | { kind: 'ask'; id: number; from: string; question: string; detail: unknown }
  | { kind: 'part'; id: number; from: string; part: number; parts: number; text: string };

/** What another node answered. */
export interface OtherAnswer {
  answers: unknown[];
  /** How long it took, ms. */
  delayMs: number;
}

/** What {@link NodeQuestions} needs. */
export interface NodeQuestionsOptions {
  /** Of this node. */
  id: string;
  stopwatch: Stopwatch;
  /** The channel of all nodes. */
  channel: string;
  /** The answers of the members of this node. */
  answer(question: string, detail: unknown): Promise<unknown[]>;
  /** Sends notifications; nothing is known of whether they arrive. */
  send(channel: string, payloads: readonly string[]): Promise<void>;
}

interface Pending {
  startMs: number;
  /** Nodes that have not answered yet, and the parts that have come of each. */
  missing: Map<string, string[]>;
  found: Map<string, OtherAnswer>;
  done(): void;
}

/** The questions of one node, and its answers to those of others. */
export class NodeQuestions {
  readonly #options: NodeQuestionsOptions;
  readonly #pending = new Map<number, Pending>();
  #count = 0;

  constructor(options: NodeQuestionsOptions) {
    this.#options = options;
  }

  /** The channel on which a node hears answers. */
  channelOf(node: string): string {
    return `${this.#options.channel}_${hash('sha256', node, 'hex').slice(0, 16)}`;
  }

  /** The answers of other nodes; those that do not answer in time are left out. */
  async ask(question: string, detail: unknown, nodes: readonly string[]): Promise<Map<string, OtherAnswer>> {
    const found = new Map<string, OtherAnswer>();
    if (nodes.length === 0) return found;
    const { id: from, channel } = this.#options;
    const id = ++this.#count;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    const missing = new Map(nodes.map((node) => [node, [] as string[]]));
    this.#pending.set(id, { startMs: this.#options.stopwatch.elapsedMs(), missing, found, done });
    const timer = setTimeout(done, answerMsMax);
    try {
      await this.#options.send(channel, [printMessage({ kind: 'ask', id, from, question, detail })]);
      await promise;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
    return found;
  }

  /** Takes note of what another node has sent. */
  async hear(message: NodeMessage): Promise<void> {
    if (message.kind === 'part') this.#take(message);
    else await this.#reply(message);
  }

  async #reply({ id, from: asker, question, detail }: NodeMessage & { kind: 'ask' }): Promise<void> {
    const { id: from, answer, send } = this.#options;
    const text = ascii(JSON.stringify(await answer(question, detail)));
    if (text.length > answerCharactersMax) return; // As if it had not answered.
    const parts = Math.ceil(text.length / partCharacters);
    const payloads = Array.from({ length: parts }, (_, part) =>
      printMessage({
        ...{ kind: 'part', id, from, part, parts },
        text: text.slice(part * partCharacters, (part + 1) * partCharacters),
      }),
    );
    await send(this.channelOf(asker), payloads);
  }

  /** Parts come in order, since one connection sends them. */
  #take({ id, from, part, parts, text }: NodeMessage & { kind: 'part' }): void {
    const pending = this.#pending.get(id);
    const known = pending?.missing.get(from);
    if (pending === undefined || known === undefined || known.length !== part) return;
    known.push(text);
    if (known.length < parts) return;
    const answers = JSON.parse(known.join('')) as unknown[];
    const delayMs = this.#options.stopwatch.elapsedMs() - pending.startMs;
    pending.found.set(from, { answers, delayMs });
    pending.missing.delete(from);
    if (pending.missing.size === 0) pending.done();
  }
}

/** The kind, and then the text of an answer as it is: inside of JSON its quotes would be escaped. */
function printMessage(message: NodeMessage): string {
  if (message.kind === 'ask') return ascii(JSON.stringify(message));
  const { text, ...head } = message;
  return `${ascii(JSON.stringify(head))}\n${text}`;
}

/** The message in a notification; null where it is another one. */
export function parseMessage(payload: string): NodeMessage | null {
  if (!payload.startsWith('{')) return null;
  const end = payload.indexOf('\n');
  if (end < 0) return JSON.parse(payload) as NodeMessage;
  return { ...JSON.parse(payload.slice(0, end)), text: payload.slice(end + 1) } as NodeMessage;
}

/** JSON in which every character is one byte. */
function ascii(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
