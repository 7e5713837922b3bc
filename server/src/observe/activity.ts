/**
 * What the service is doing: calls that run, with a way to cancel them; those that were slow; and how long calls take. Each
 * service thread knows its own calls; a question is answered by all of them.
 */
import { partyOf } from '#model/caller';
import type { Clock, Stopwatch } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { ProblemList } from '#model/problem-list';
import type { DurationSummary, RunningCall, SeenCall, SlowCall } from '#model/seen-call';
import { singleFlight } from '#model/single-flight';
import type { Call, Method } from '#protocol/method';
import type { CallOutcome } from '#protocol/outcome';
import type { Members, NodeGroup } from '#storage/coordination';
import { FirstMember } from '#threads/members';
import { soleNode } from '#threads/node-group';
import { Durations, type KeptDurations, summaryOf } from './durations.ts';
import { WatchedCall } from './watched-call.ts';

/** What {@link Activity} works with. */
export interface ActivityOptions {
  clock: Clock;
  stopwatch: Stopwatch;
  /** Looked at each time. */
  limits: Pick<Limits, 'slowCallMs' | 'slowCallsKept'>;
  /** Default: there is one thread. */
  members?: Members;
  /** Default: there is one process. */
  nodes?: NodeGroup;
}

/** A running call, among those of all nodes. */
interface CallPlace {
  id: number;
  node: string;
}

/** Looks at calls. */
export class Activity {
  readonly #options: ActivityOptions;
  readonly #running = new Map<number, WatchedCall>();
  readonly #slow: SlowCall[] = [];
  readonly #durations = new Map<string, Durations>();
  readonly #summaries = new Map<string, () => Promise<DurationSummary | null>>();
  readonly #members: Members;
  readonly #nodes: NodeGroup;
  #callCount = 0;

  constructor(options: ActivityOptions) {
    this.#options = options;
    this.#members = options.members ?? new FirstMember();
    this.#nodes = options.nodes ?? soleNode(this.#members);
    this.#members.answer('running calls', () => this.#seeRunning());
    this.#members.answer('slow calls', () => this.#slow);
    this.#members.answer('durations', (of: string) => this.#durations.get(of)?.kept() ?? null);
    this.#members.answer('cancel', (call: CallPlace) => this.#cancelOwn(call));
  }

  /** The same methods, but calls of them are seen while they run. Inserts are not: they are many, and short. */
  watch(methods: readonly Method[]): Method[] {
    return methods.map((method) =>
      method.load === 'insert' ? method : { ...method, run: (...given) => this.#run(method, ...given) },
    );
  }

  /** A call has ended. */
  onCall(outcome: CallOutcome): void {
    const { method, load, code, durationMs } = outcome;
    if (method === null || load === null) return;
    this.#durationsOf(method).note(durationMs);
    this.#durationsOf(load).note(durationMs);
    if (durationMs >= this.#options.limits.slowCallMs) this.#noteSlow(outcome, method, code);
  }

  /** What runs now on all nodes, the longest first; nodes that did not answer are added to `silent`. */
  async running(silent?: Set<string>): Promise<RunningCall[]> {
    const calls = (await this.#nodes.askAll<RunningCall[]>('running calls', undefined, silent)).flat();
    return calls.sort((a, b) => b.durationMs - a.durationMs);
  }

  /** What was slow on all nodes since the start of each, the newest first; nodes that did not answer are added to `silent`. */
  async slow(silent?: Set<string>): Promise<SlowCall[]> {
    const endMs = ({ startedAtMs, durationMs }: SlowCall) => startedAtMs + durationMs;
    const lists = await this.#nodes.askAll<SlowCall[]>('slow calls', undefined, silent);
    const newestFirst = lists.flat().reverse();
    if (lists.length > 1) newestFirst.sort((a, b) => endMs(b) - endMs(a));
    return newestFirst.slice(0, this.#options.limits.slowCallsKept);
  }

  /** How long the last calls took: of a method, or of all that `insert`, `read` or `change`; null when there was none. */
  durations(of: string): Promise<DurationSummary | null> {
    const summary = this.#summaries.getOrInsertComputed(of, () => singleFlight(() => this.#summaryOf(of)));
    return summary();
  }

  async #summaryOf(of: string): Promise<DurationSummary | null> {
    const kept = await this.#nodes.askAll<KeptDurations | null>('durations', of);
    return summaryOf(kept.filter((durations) => durations !== null));
  }

  /** Ends a call as soon as it looks; what has been changed stays. Whether it runs. */
  async cancel(id: number, node = this.#nodes.own): Promise<boolean> {
    return (await this.#nodes.askAll<boolean>('cancel', { id, node } satisfies CallPlace)).includes(true);
  }

  #seeRunning(): RunningCall[] {
    return [...this.#running].map(([id, { call, method, sinceMs }]) => ({
      id,
      ...this.#see(call, method, sinceMs),
    }));
  }

  #cancelOwn({ id, node }: CallPlace): boolean {
    if (node !== this.#nodes.own) return false;
    const call = this.#running.get(id);
    call?.cancel();
    return call !== undefined;
  }

  /** 1, 2, … in the first of one thread; no two threads have the same. */
  #nextId(): number {
    const { count, index } = this.#members;
    return ++this.#callCount * count - index;
  }

  /** While it runs, the call has a signal that is also aborted when it is cancelled. */
  async #run(method: Method, call: Call, params: unknown, problems: ProblemList): Promise<unknown> {
    const id = this.#nextId();
    const watched = new WatchedCall(call, method.name, this.#options.stopwatch.elapsedMs());
    this.#running.set(id, watched);
    call.cancellation = watched;
    try {
      return await method.run(call, params, problems);
    } catch (error) {
      throw watched.isCancelled ? new AppError('try-again', cancelledWords, { cause: error }) : error;
    } finally {
      call.cancellation = undefined;
      watched.end();
      this.#running.delete(id);
    }
  }

  #noteSlow({ call, durationMs }: CallOutcome, method: string, code: number): void {
    const sinceMs = this.#options.stopwatch.elapsedMs() - durationMs;
    this.#slow.push({ ...this.#see(call, method, sinceMs), code });
    while (this.#slow.length > this.#options.limits.slowCallsKept) this.#slow.shift();
  }

  #see(call: Call, method: string, sinceMs: number): SeenCall {
    const durationMs = this.#options.stopwatch.elapsedMs() - sinceMs;
    return {
      method,
      caller: partyOf(call.caller),
      isPerson: call.caller.person !== undefined,
      address: call.address,
      traceId: call.traceId,
      startedAtMs: Math.floor(this.#options.clock.nowUs() / 1000 - durationMs),
      durationMs,
      node: this.#nodes.own,
      plan: call.plan?.() ?? null,
    };
  }

  #durationsOf(name: string): Durations {
    return this.#durations.getOrInsertComputed(name, () => new Durations());
  }
}

const cancelledWords = 'An administrator has cancelled this call';
