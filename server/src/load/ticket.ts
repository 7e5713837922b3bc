/** The ticket of a request: who its client is, and everything that it holds of the service, from accept to close. */
import { type Account, type Soon, unmetered } from './account.ts';
import { CallPlace } from './call-place.ts';
import { Hold } from './hold.ts';
import type { Lane, Leave } from './lane.ts';
import type { Memory, MemoryStage } from './memory.ts';
import { Overload } from './overload.ts';
import type { Slots } from './slots.ts';
import type { StepWork, Turns } from './turns.ts';

/**
 * What running a call costs. `insert`: memory for its points until they are on disk, which the store bounds: it has no lane.
 * `read`: computing on the reader threads, and a large answer. `change`: metadata, read or written, short but one by one.
 */
export type CallKind = 'insert' | 'read' | 'change';

/** Work that few requests do at one time: inflating a body, parsing a large one. */
export type Chore = 'inflate' | 'parse';

/** Lanes by what runs in them. A read that turns out to be large has one of its own. */
export type Lanes = Readonly<Record<'read' | 'largeRead' | 'change' | Chore, Lane>>;

const goesOn = { aborted: false, reason: undefined };

/** What tickets share. */
export interface Shared {
  slots: Slots;
  memory: Memory;
  turns: Turns;
  lanes: Lanes;
}

/** One request under way. Close it when its answer has been sent, or can be no more: everything is given back, once. */
export class Ticket {
  /** Whose rates and quotas count for this request. */
  account: Account = unmetered;
  readonly #shared: Shared;
  readonly #signal: () => AbortSignal;
  readonly #holds = new Set<Hold>();
  readonly #places = new Set<CallPlace>();
  #client: string;
  #isClosed = false;

  /** A slot has been taken for `client`. `signal` is asked for when there is something to wait for. */
  constructor(shared: Shared, client: string, signal: () => AbortSignal) {
    this.#shared = shared;
    this.#client = client;
    this.#signal = signal;
  }

  /** Whose share this request takes: an address, and after authentication an integration or a person. */
  get client(): string {
    return this.#client;
  }

  /**
   * Its client is authenticated: from now on the request counts for the client's share, and for its account if it has one.
   * `Overload` when the share is used up.
   */
  identify(client: string, account = unmetered): void {
    this.account = account;
    if (this.#isClosed || client === this.#client) return;
    if (!this.#shared.slots.take(client)) throw new Overload('too many calls are under way');
    this.#shared.slots.give(this.#client);
    for (const hold of this.#holds) hold.move(client);
    this.#client = client;
  }

  /** Memory of one stage. What is left of it when the ticket is closed is given back then. */
  hold(stage: MemoryStage): Hold {
    const hold = this.#newHold(stage);
    if (this.#isClosed) hold.leave();
    else this.#holds.add(hold);
    return hold;
  }

  #newHold(stage: MemoryStage): Hold {
    return new Hold(this.#shared.memory[stage], this.#client, this.#signal);
  }

  /** A place for a call that is about to run. Rejects as {@link Lane.enter}. */
  enter(kind: Exclude<CallKind, 'insert'>): CallPlace | Promise<CallPlace> {
    const leave = this.#shared.lanes[kind].enter(this.#client, this.#signal);
    return typeof leave === 'function' ? this.#place(leave) : leave.then((left) => this.#place(left));
  }

  /** The answer of the calls so far has been sent: what they held is given back, though the request goes on. */
  endCall(): void {
    for (const place of this.#places) place.leave();
    this.#places.clear();
  }

  /** Does a chore when it is this client's turn. Rejects as {@link Lane.enter} or as the work does. */
  async run<T>(chore: Chore, work: () => Promise<T>): Promise<T> {
    const leave = await this.#shared.lanes[chore].enter(this.#client, this.#signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Runs a step on the event loop when it is this client's turn. Rejects as it throws, and when the request has ended. */
  step<T>(step: StepWork<T>): Promise<T> {
    const { aborted, reason } = this.#ending();
    return aborted ? Promise.reject(reason) : this.#shared.turns.run(this.#client, step);
  }

  /** As {@link step}, but without a promise where the step may run now: then it throws as the step does. */
  stepSoon<T>(step: () => Soon<T>): Soon<T> {
    this.requireOpen();
    return this.#shared.turns.runSoon(this.#client, step);
  }

  /** Throws the reason when the request has ended early. */
  requireOpen(): void {
    const { aborted, reason } = this.#ending();
    if (aborted) throw reason;
  }

  /** Whether the request has ended early, and why. The signal is asked for only when it may have. */
  #ending(): Pick<AbortSignal, 'aborted' | 'reason'> {
    return this.#isClosed ? this.#signal() : goesOn;
  }

  /** Gives everything back. A second time it does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#shared.slots.give(this.#client);
    this.endCall();
    for (const hold of this.#holds) hold.leave();
  }

  #place(leaveLane: Leave): CallPlace {
    const enterLarge = () => this.#shared.lanes.largeRead.enter(this.#client, this.#signal);
    const place = new CallPlace(this.#newHold('read'), leaveLane, enterLarge);
    if (this.#isClosed) place.leave();
    else this.#places.add(place);
    return place;
  }
}
