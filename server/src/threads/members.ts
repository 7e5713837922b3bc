/** The service threads of a process, as one of them sees the others: it can ask all of them the same question. */
import type { Transferable } from 'node:worker_threads';
import type { Members } from '#storage/coordination';
import type { Answer, PortCalls } from './port-calls.ts';

/** A question as it is passed on. */
interface Question {
  question: string;
  detail: unknown;
}

/** The answers of one thread, by question. */
type Answers = Map<string, Answer>;

async function answerTo(answers: Answers, { question, detail }: Question): Promise<unknown> {
  return answers.get(question)?.(detail as never);
}

/** The members as the first thread sees them: it passes the questions of the others on. Without others it is alone. */
export class FirstMember implements Members {
  readonly index = 0;
  readonly count: number;
  readonly #answers: Answers = new Map();
  readonly #others: PortCalls[] = [];

  constructor(count = 1) {
    this.count = count;
  }

  /** What the port of a {@link FurtherMember} has to answer. */
  readonly serving: Readonly<Record<string, Answer>> = {
    'ask-all': ({ question, detail }: Question) => this.ask(question, detail),
    'ask-first': (question: Question) => answerTo(this.#answers, question),
  };

  /** Adds a thread, which answers with {@link FurtherMember.serving}. */
  add(other: PortCalls): void {
    this.#others.push(other);
  }

  ask<T>(question: string, detail?: unknown): Promise<T[]> {
    const asked: Question = { question, detail };
    const others = this.#others.map((other) => other.call<T>('ask', asked));
    return Promise.all([answerTo(this.#answers, asked) as Promise<T>, ...others]);
  }

  askFirst<T>(question: string, detail?: unknown): Promise<T> {
    return answerTo(this.#answers, { question, detail }) as Promise<T>;
  }

  answer<T>(question: string, answer: (detail: T) => unknown): void {
    this.#answers.set(question, answer);
  }
}

/** The members as any other thread sees them. */
export class FurtherMember implements Members {
  readonly count: number;
  readonly index: number;
  readonly #answers: Answers = new Map();
  #first: PortCalls | null = null;

  constructor(count: number, index: number) {
    this.count = count;
    this.index = index;
  }

  /** What the port to the first thread has to answer. */
  readonly serving: Readonly<Record<string, Answer>> = {
    ask: (question: Question) => answerTo(this.#answers, question),
  };

  /** Sets the port to the first thread, before anything is asked. */
  connect(first: PortCalls): void {
    this.#first = first;
  }

  ask<T>(question: string, detail?: unknown): Promise<T[]> {
    return this.#call('ask-all', question, detail);
  }

  askFirst<T>(question: string, detail?: unknown, transfer?: Transferable[]): Promise<T> {
    return this.#call('ask-first', question, detail, transfer);
  }

  answer<T>(question: string, answer: (detail: T) => unknown): void {
    this.#answers.set(question, answer);
  }

  #call<T>(call: string, question: string, detail: unknown, transfer?: Transferable[]): Promise<T> {
    if (this.#first === null) return Promise.reject(new Error('BUG: this thread is not connected yet'));
    return this.#first.call(call, { question, detail } satisfies Question, transfer);
  }
}
