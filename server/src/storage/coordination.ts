/**
 * INTERFACE: Coordination, what the members of one service have in common beside the store. Members are the threads of a process,
 * or processes. Each has its own instance, of the same names; what a call means does not depend on how the others are reached.
 */
import type { Transferable } from 'node:worker_threads';
import type { Rate } from '#model/plan';
import type { RateStatus } from '#model/rate-status';
import type { MetaTopic } from './meta-store.ts';

/** The outcome of {@link Rates.take}. */
export interface RateTaken {
  /** 0, or the seconds until there are enough tokens. */
  waitS: number;
  /** For response headers. */
  status: RateStatus;
}

/** Rates by key: a token bucket for each. Of very many keys, those used longest ago are forgotten; their buckets are full again. */
export interface Rates {
  /** Takes `count` tokens of a key; takes none when there are not enough. */
  take(key: string, rate: Rate, count?: number): RateTaken;
}

/** Events by key. Each key's window of a minute begins with its first event; of very many keys the oldest are forgotten. */
export interface Windows {
  /** Counts one event. Returns the number of events in the window. */
  add(key: string): number;
  /** Events of a key in its window, and the seconds until the window ends (whole, at least 1); both 0 without events. */
  look(key: string): { count: number; leftS: number };
  /** When the last event of any key was counted, ms of the stopwatch plus 1; 0: none was. */
  lastMs(): number;
}

/** The attempts of one key. */
export interface AttemptCount {
  count: number;
  /** Of the last one, ms of the stopwatch. */
  lastMs: number;
}

/** Attempts by key, such as signing in under a name. Of very many keys, those used longest ago are forgotten. */
export interface Attempts {
  /** Zeros when there were none within `withinMs`. */
  of(key: string, withinMs: number): AttemptCount;
  /** Counts one; earlier ones count with it if the last of them was within `withinMs`. */
  note(key: string, withinMs: number): void;
  forget(key: string): void;
}

/** A number by key, such as the time of a session's last use. Of very many keys, those used longest ago are forgotten. */
export interface Values {
  /** 0 when it is unknown. */
  of(key: string): number;
  /** 0 forgets it. */
  set(key: string, value: number): void;
}

/** Sums by key of which a part is in the store, such as the points of a day: no member waits for the store to add. */
export interface Sums {
  /** The sum of what is stored, of which this member knows `stored`, and of what all members have added. */
  of(key: string, stored: number): number;
  /** Adds an amount, which may be negative, and returns the sum before. */
  add(key: string, stored: number, amount: number): number;
  /** This member has written `amount` of what it had added; now `stored` is in the store. */
  settle(key: string, stored: number, amount: number): void;
}

/** The revisions of the metadata that members know. */
export interface Notices {
  /** The newest known revision of a topic; 0 before the first. Costs no more than a look at memory. */
  revision(topic: MetaTopic): number;
  /** Tells all members of a revision. */
  raise(topic: MetaTopic, revision: number): void;
}

/** That there are new points: which ones, the store knows. */
export interface PointNotices {
  /** Points have become durable. Costs no more than a look at memory when no member has subscribed. */
  raise(): void;
  /** Calls `listener` soon after any member has raised, once for many. The returned function ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** A range of times, both ends included, µs. */
export interface TimeRange {
  firstUs: number;
  lastUs: number;
}

/** Where points have changed. */
export interface PointChangesSince {
  /** What the next call is given. */
  place: string;
  /**
   * The writes that have begun, and the deletions that have ended, since the place that was given; some may have been told
   * before. Null: what they were is not known any more.
   */
  changed: readonly { number: number; range: TimeRange }[] | null;
  /** Of the writes that are under way. */
  open: readonly TimeRange[];
}

/**
 * The numbers that order the writes of points of all nodes.
 *
 * Promises: a number is greater than all that were given before it was asked for, from 1 to 2^42, whatever the clocks say.
 */
export interface WriteNumbers {
  /** Tells these numbers from those of another service: 1 to 2^32. */
  readonly mark: number;
  /** A number for something that is no write, such as a deletion: nothing waits for its end. */
  next(): Promise<number>;
  /** The number of a write that begins, and has times in a range only; the write with the number before it of this process has ended. */
  begin(range: TimeRange): Promise<number>;
  /**
   * A write that is under way for longer than this after {@link begin}, or after the last {@link hold} that succeeded, counts as
   * ended: it is taken for one of a node that has died, and must not be acknowledged.
   */
  readonly silentMsMax: number;
  /** The write goes on. False: it counts as ended already. */
  hold(number: number): Promise<boolean>;
  /** The write has ended: what it stored can be read, or it was refused. */
  end(number: number): Promise<void>;
  /** The greatest number for which this holds: every write with it or with a smaller one has ended. 0 before the first. */
  settled(): Promise<number>;
  /** Points in a range have been deleted. */
  deleted(range: TimeRange): Promise<void>;
  /** Tells every write that had begun, on any node, before this was called, and every deletion that had been told. */
  changes(since: string | null): Promise<PointChangesSince>;
}

/** Questions to all members. */
export interface Members {
  /** The number of members that are alive, this one included, and the place of this one, from 0. */
  readonly count: number;
  readonly index: number;
  /** Every member's answer to a question; values that can be cloned. Rejects when a member cannot answer. */
  ask<T>(question: string, detail?: unknown): Promise<T[]>;
  /** The answer of the first member of this process. What `detail` has that cannot be cloned is handed over as `transfer`. */
  askFirst<T>(question: string, detail?: unknown, transfer?: Transferable[]): Promise<T>;
  /** Defines this member's answer to a question. All members define the same questions before they are asked. */
  answer<T>(question: string, answer: (detail: T) => unknown): void;
}

/** A process of the service. */
export interface NodeFacts {
  /** Its name; empty where it is the only one. */
  id: string;
  /** Of the program; empty where it is the only one. */
  version: string;
  startedAtMs: number;
  /** How long it has not said that it is alive, ms. */
  silentMs: number;
}

/** A process of the service, and what its members answered. */
export interface NodeAnswers<T> extends NodeFacts {
  /** null: it did not answer in time. */
  answers: readonly T[] | null;
  /** How long the answer took, ms. */
  delayMs: number;
}

/** Questions to the members of all processes; bounded in time, and a process that does not answer is named. */
export interface NodeGroup {
  /** The name of this process. */
  readonly own: string;
  /** All processes, the oldest first, also such as ended without notice in the last hour. */
  ask<T>(question: string, detail?: unknown): Promise<NodeAnswers<T>[]>;
  /** The answers of all members of all processes; the names of those that did not answer are added to `silent`. */
  askAll<T>(question: string, detail?: unknown, silent?: Set<string>): Promise<T[]>;
}

/** A process that has a part of what is divided among all processes. */
export interface Sharer {
  /** From now on this process has the thing of this number. */
  take(index: number): void;
  /** It is to have it no longer: resolves, within a few seconds, when it does not use it any more. */
  leave(index: number): Promise<void>;
}

/** Whether this member still leads. */
export type Leads = () => Promise<boolean>;

/**
 * What members have in common.
 *
 * Promises: things of the same name are the same for all members, and exact between threads of one process: what one call has
 * counted, the next call of any thread sees. A revision that was raised before an answer was sent is known to every thread
 * that is asked after it. Exactly one member leads.
 *
 * Does not promise: that other processes see at once what was counted; they do within seconds. That anything survives a restart.
 */
export interface Coordination {
  readonly members: Members;
  readonly notices: Notices;
  readonly nodes: NodeGroup;
  /** `policy` names the rate in response headers; `name`, by default the policy, tells rates apart. */
  rates(policy: RateStatus['policy'], name?: string): Rates;
  windows(name: string): Windows;
  attempts(name: string): Attempts;
  values(name: string): Values;
  sums(name: string): Sums;
  /**
   * Calls `begin` when this member becomes the one that does the work which is done once, now or later, or never; and `end` when
   * another one may have taken its place. What begins later than that asks `leads` first: a process that has stood still does not
   * know yet that another one has taken its place.
   */
  lead(begin: (leads: Leads) => void, end: () => void): void;
  /**
   * Divides `count` things, numbered from 0, among the living processes that call this: each has one process at a time, after a
   * failure another one within half a minute. Called once for a name, by any member; only the first of each process gets a part.
   */
  divide(name: string, count: number, sharer: Sharer): void;
}
