/**
 * What the service is doing: calls that run, with a way to cancel them; those that were slow; and how long calls take. Each
 * service thread knows its own calls; a question is answered by all of them.
 */
import { partyOf } from '#model/caller';
import type { Clock } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { DurationSummary, RunningCall, SeenCall, SlowCall } from '#model/seen-call';
import type { Call, Method } from '#protocol/method';
import type { CallOutcome } from '#protocol/outcome';
import { FirstMember, type Members } from '#threads/members';
import { Durations, type KeptDurations, summaryOf } from './durations.ts';

/** What {@link Activity} works with. */
export interface ActivityOptions {
  clock: Clock;
  /** Looked at each time. */
  limits: Pick<Limits, 'slowCallMs' | 'slowCallsKept'>;
  /** Default: there is one thread. */
  members?: Members;
}

/** Looks at calls. */
export class Activity {
  readonly #options: ActivityOptions;
  readonly #running = new Map<number, WatchedCall>();
  readonly #slow: SlowCall[] = [];
  readonly #durations = new Map<string, Durations>();
  readonly #members: Members;
  #callCount = 0;

  constructor(options: ActivityOptions) {
    this.#options = options;
    this.#members = options.members ?? new FirstMember();
    this.#members.answer('running calls', () => this.#seeRunning());
    this.#members.answer('slow calls', () => this.#slow);
    this.#members.answer('durations', (of: string) => this.#durations.get(of)?.kept() ?? null);
    this.#members.answer('cancel', (id: number) => this.#cancelOwn(id));
  }

  /** The same methods, but calls of them are seen while they run. Inserts are not: they are many, and short. */
  watch(methods: readonly Method[]): Method[] {
    return methods.map((method) =>
      method.load === 'insert'
        ? method
        : { ...method, run: (call, params) => this.#run(method, call, params) },
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

  /** What runs now, the longest first. */
  async running(): Promise<RunningCall[]> {
    const calls = (await this.#members.ask<RunningCall[]>('running calls')).flat();
    return calls.sort((a, b) => b.durationMs - a.durationMs);
  }

  /** What was slow since the start, the newest first. */
  async slow(): Promise<SlowCall[]> {
    const endMs = ({ startedAtMs, durationMs }: SlowCall) => startedAtMs + durationMs;
    const lists = await this.#members.ask<SlowCall[]>('slow calls');
    const newestFirst = lists.flat().reverse();
    if (lists.length > 1) newestFirst.sort((a, b) => endMs(b) - endMs(a));
    return newestFirst.slice(0, this.#options.limits.slowCallsKept);
  }

  /** How long the last calls took: of a method, or of all that `insert`, `read` or `change`; null when there was none. */
  async durations(of: string): Promise<DurationSummary | null> {
    const kept = await this.#members.ask<KeptDurations | null>('durations', of);
    return summaryOf(kept.filter((durations) => durations !== null));
  }

  /** Ends a call as soon as it looks; what has been changed stays. Whether it runs. */
  async cancel(id: number): Promise<boolean> {
    return (await this.#members.ask<boolean>('cancel', id)).includes(true);
  }

  #seeRunning(): RunningCall[] {
    return [...this.#running].map(([id, call]) => ({ id, ...this.#see(call, call.method, call.sinceMs) }));
  }

  #cancelOwn(id: number): boolean {
    const call = this.#running.get(id);
    call?.cancel();
    return call !== undefined;
  }

  /** 1, 2, … in the first of one thread; no two threads have the same. */
  #nextId(): number {
    const { count, index } = this.#members;
    return ++this.#callCount * count - index;
  }

  async #run(method: Method, call: Call, params: unknown): Promise<unknown> {
    const id = this.#nextId();
    const watched = new WatchedCall(call, method.name);
    this.#running.set(id, watched);
    try {
      return await method.run(watched, params);
    } catch (error) {
      throw watched.isCancelled ? new AppError('try-again', cancelledWords, { cause: error }) : error;
    } finally {
      this.#running.delete(id);
    }
  }

  #noteSlow({ call, durationMs }: CallOutcome, method: string, code: number): void {
    this.#slow.push({ ...this.#see(call, method, performance.now() - durationMs), code });
    while (this.#slow.length > this.#options.limits.slowCallsKept) this.#slow.shift();
  }

  #see(call: Call, method: string, sinceMs: number): SeenCall {
    const durationMs = performance.now() - sinceMs;
    return {
      method,
      caller: partyOf(call.caller),
      isPerson: call.caller.person !== undefined,
      address: call.address,
      traceId: call.traceId,
      startedAtMs: Math.floor(this.#options.clock.nowUs() / 1000 - durationMs),
      durationMs,
      plan: call.plan ?? null,
    };
  }

  #durationsOf(name: string): Durations {
    const known = this.#durations.get(name);
    if (known !== undefined) return known;
    const durations = new Durations();
    this.#durations.set(name, durations);
    return durations;
  }
}

const cancelledWords = 'An administrator has cancelled this call';

/** A call that can be cancelled; its signal is aborted then. */
class WatchedCall implements Call {
  readonly method: string;
  readonly sinceMs = performance.now();
  isCancelled = false;
  readonly #call: Call;
  #abort: AbortController | null = null;
  #signal: AbortSignal | null = null;

  constructor(call: Call, method: string) {
    this.#call = call;
    this.method = method;
  }

  get caller() {
    return this.#call.caller;
  }

  get address() {
    return this.#call.address;
  }

  get version() {
    return this.#call.version;
  }

  get traceId() {
    return this.#call.traceId;
  }

  get ticket() {
    return this.#call.ticket;
  }

  get memory() {
    return this.#call.memory;
  }

  get plan() {
    return this.#call.plan;
  }

  set plan(plan: Call['plan']) {
    this.#call.plan = plan;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#abort.signal]);
    return this.#signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#abort ??= new AbortController();
    this.#abort.abort(new Error('cancelled'));
  }
}
