/**
 * Clients that write and read through the nodes of one service while its servers fail: each call goes to the next node, and is
 * repeated until it is acknowledged. What clients may see is an answer, 503 with `Retry-After`, or a connection that ends.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

/** Longer than anything in the service waits for a store. */
const answerMsMax = 90_000;

/** How long something may take that comes by itself. */
const comesMsMax = 60_000;

const startMs = Date.parse('2026-03-01T00:00:00Z');
const writerCount = 4;

/** The code of an error that is temporary (E1). */
const tryAgain = -32_015;

/** Points of one read at most. */
const readMax = 200;

/** What a call came to: a result, or why it was not carried out. */
type Outcome<T> = { result: T } | { failure: string };

interface Frame {
  data: { times: string[]; series: Record<string, (number | null)[]> };
}

/** Which nodes there are, and as whom they are called. */
export interface LoadOptions {
  /** Where the nodes are now; those that are down too. */
  urls(): readonly string[];
  authorization: string;
  integration: string;
}

/** Some writers, each with a signal of its own, and readers of what they have written. */
export class NodeLoad {
  readonly #options: LoadOptions;
  /** By writer: so many points are acknowledged. */
  readonly #acknowledged = new Array<number>(writerCount).fill(0);
  readonly #items: string[] = [];
  readonly #ended = new AbortController();
  #turn = 0;
  #running: Promise<unknown> = Promise.resolve();
  /** Failures by what was said. */
  readonly failures = new Map<string, number>();

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Writes the first point of each signal, publishes it, and goes on writing and reading until {@link stop}. */
  async start(): Promise<void> {
    for (let writer = 0; writer < writerCount; writer++) await this.#writeOne(writer);
    await this.#publish();
    const work = Array.from({ length: writerCount }, (_, writer) => this.#write(writer));
    this.#running = Promise.all([...work, this.#read(), this.#read()]);
    this.#running.catch(() => this.#ended.abort()); // The error comes when it is stopped.
  }

  /** Ends it, and checks every point that was acknowledged. The number of points. */
  async stop(): Promise<number> {
    this.#ended.abort();
    await this.#running;
    for (const [writer, count] of this.#acknowledged.entries())
      for (let from = 0; from < count; from += readMax)
        await this.#insist(() => this.#check(writer, from, Math.min(count, from + readMax)));
    return this.#acknowledged.reduce((sum, count) => sum + count, 0);
  }

  /** Waits until every writer has written something that was begun after now. */
  async goesOn(): Promise<void> {
    const goals = this.#acknowledged.map((count) => count + 2);
    await this.#until(
      () => goals.every((goal, i) => this.#acknowledged[i] >= goal),
      'nothing is written any more',
    );
  }

  /** Waits until something has failed after now. */
  async fails(): Promise<void> {
    const count = this.#failureCount();
    await this.#until(() => this.#failureCount() > count, 'nothing has failed');
  }

  async #until(holds: () => boolean, words: string): Promise<void> {
    for (const endMs = performance.now() + comesMsMax; !holds(); await wait(20)) {
      if (this.#ended.signal.aborted) await this.#running; // Fails with what has ended it.
      assert.ok(performance.now() < endMs, `${words}: ${JSON.stringify([...this.failures])}`);
    }
  }

  #failureCount(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  async #write(writer: number): Promise<void> {
    while (!this.#ended.signal.aborted) await this.#writeOne(writer);
  }

  async #writeOne(writer: number): Promise<void> {
    const n = this.#acknowledged[writer];
    const data = { times: [timeOf(n)], series: { [`w${writer}`]: [n] } };
    const isDone = await this.#insist(() => this.#call('integration.insert', this.#own({ data })), true);
    if (isDone !== null) this.#acknowledged[writer] = n + 1;
  }

  async #publish(): Promise<void> {
    const { result } = (await this.#insist(() =>
      this.#call<{ signalsByInput: Record<string, { id: string }> }>(
        'integration.saveSignals',
        this.#own({ signalsByInput: Object.fromEntries(this.#acknowledged.map((_, i) => [`w${i}`, {}])) }),
      ),
    )) as { result: { signalsByInput: Record<string, { id: string }> } };
    const ids = this.#acknowledged.map((_, i) => result.signalsByInput[`w${i}`].id);
    const itemsBySignal = Object.fromEntries(ids.map((id, i) => [id, { name: `w${i}` }]));
    const published = (await this.#insist(() =>
      this.#call<{ itemsBySignal: Record<string, { id: string }> }>(
        'admin.publishSignals',
        this.#own({ itemsBySignal }),
      ),
    )) as { result: { itemsBySignal: Record<string, { id: string }> } };
    this.#items.push(...ids.map((id) => published.result.itemsBySignal[id].id));
  }

  async #read(): Promise<void> {
    for (let i = 0; !this.#ended.signal.aborted; i++) {
      const writer = i % writerCount;
      const count = this.#acknowledged[writer];
      const outcome = await this.#check(writer, Math.max(0, count - readMax), count);
      if ('failure' in outcome) await wait(50);
    }
  }

  /** Reads the points [from, to) of a writer, which all have to be there. */
  async #check(writer: number, from: number, to: number): Promise<Outcome<Frame>> {
    const times = { $gte: timeOf(from), $lt: timeOf(to) };
    const query = { filter: { id: this.#items[writer] } };
    const outcome = await this.#call<Frame>('service.dataFrame', { query, data: { filter: { times } } });
    if ('failure' in outcome) return outcome;
    const found = outcome.result.data.series[this.#items[writer]] ?? [];
    const expected = Array.from({ length: to - from }, (_, i) => from + i);
    assert.deepEqual(found, expected, `points ${from} to ${to} of writer ${writer}`);
    return outcome;
  }

  #own(params: object): object {
    return { integration: this.#options.integration, ...params };
  }

  /** Repeats a call until it succeeds; null when the load has ended meanwhile and `mayEnd`. */
  async #insist<T>(call: () => Promise<Outcome<T>>, mayEnd = false): Promise<{ result: T } | null> {
    const failures: string[] = [];
    for (const endMs = performance.now() + comesMsMax; ; await wait(50)) {
      const startMs = performance.now();
      const outcome = await call();
      if ('result' in outcome) return outcome;
      if (mayEnd && this.#ended.signal.aborted) return null;
      failures.push(`${Math.round(performance.now() - startMs)} ms: ${outcome.failure}`);
      assert.ok(performance.now() < endMs, `still, after ${failures.length} tries: ${failures.slice(-10)}`);
    }
  }

  async #call<T>(method: string, params: object): Promise<Outcome<T>> {
    const urls = this.#options.urls();
    const url = urls[this.#turn++ % urls.length];
    const outcome = await this.#post<T>(
      `${url}/v1/rpc`,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    );
    if ('failure' in outcome)
      this.failures.set(outcome.failure, (this.failures.get(outcome.failure) ?? 0) + 1);
    return outcome;
  }

  async #post<T>(url: string, body: string): Promise<Outcome<T>> {
    const { authorization } = this.#options;
    const headers = {
      ...{ authorization, 'content-type': 'application/json', 'x-api-version': '1.2', connection: 'close' },
    };
    let answer: { status: number; retryAfter: string | null; text: string };
    try {
      const signal = AbortSignal.timeout(answerMsMax);
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      answer = {
        ...{ status: response.status, retryAfter: response.headers.get('retry-after') },
        text: await response.text(),
      };
    } catch (error) {
      return { failure: networkFailure(error) };
    }
    return outcomeOf(answer);
  }
}

/** A node that was killed answers nothing; one that does not answer in time is an error of its own. */
function networkFailure(error: unknown): string {
  assert.ok(error instanceof Error && error.name !== 'TimeoutError', `no answer within ${answerMsMax} ms`);
  const { code = error.name } = (error.cause ?? {}) as { code?: string };
  return `no connection (${code})`;
}

function outcomeOf<T>({
  status,
  retryAfter,
  text,
}: {
  status: number;
  retryAfter: string | null;
  text: string;
}): Outcome<T> {
  if (status === 503) {
    assert.ok(Number(retryAfter) > 0, `503 without Retry-After: ${text}`);
    const { detail, error } = JSON.parse(text);
    return { failure: `503 ${detail ?? error?.message}` };
  }
  assert.equal(status, 200, text);
  const { result, error } = JSON.parse(text);
  if (error?.code === tryAgain) return { failure: error.message };
  assert.equal(error, undefined, text);
  return { result };
}

function timeOf(n: number): string {
  return new Date(startMs + n * 1000).toISOString();
}
