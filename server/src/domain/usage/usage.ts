/**
 * Metering (L4): usage of each integration in each UTC day. Counted in memory, so that no call waits for it; written to the
 * store about once a second, and at shutdown. A crash loses the counts since the last write. What may have been stored, although
 * the store did not say so, comes again under the same number, by which the store tells whether it has it.
 */

import type { Clock, Log } from '#model/environment';
import type { Limits } from '#model/limits';
import { addTally, dayOf, emptyTally, type Tally, type UsageRow } from '#model/usage';
import type { XidSource } from '#model/xid';
import type { Coordination, Sums } from '#storage/coordination';
import type { MetaPart } from '#storage/meta-store';

interface UsageOptions {
  meta: MetaPart<'usage'>;
  clock: Clock;
  log: Log;
  /** Days that are kept; read at each flush. */
  limits: Pick<Limits, 'usageDaysMax'>;
  coordination: Coordination;
  /** Names what this one writes. */
  ids: Pick<XidSource, 'name'>;
  /** Interval of writes to the store, ms. Default 1000. */
  flushMs?: number;
}

/** The counts of one integration today. */
interface Counter {
  day: number;
  /** Points of the day as last read from the store, including those of other processes. */
  storedPoints: number;
  /** In the flush that is under way. */
  writing: Tally | null;
  /** Not in a flush yet. */
  pending: Tally;
  isDirty: boolean;
}

/** Counts on their way to the store, unchanged until they are known to be there. */
interface Flush {
  number: number;
  rows: readonly UsageRow[];
}

/** Counts usage and stores the counts. */
export class Usage {
  readonly #options: UsageOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #counters = new Map<string, Counter>();
  /** By integration and day: points that are stored, and points that any thread has counted and not stored yet. */
  readonly #points: Sums;
  /** Unwritten counts of past days. */
  readonly #ended: UsageRow[] = [];
  readonly #writer: string;
  #flush: Flush | null = null;
  #flushes = 0;
  #flushing: Promise<void> | null = null;
  #prunedDay = 0;

  /** Loads today's counts. */
  static async open(options: UsageOptions): Promise<Usage> {
    const usage = new Usage(options);
    await usage.#load();
    return usage;
  }

  private constructor(options: UsageOptions) {
    const { coordination, ids, flushMs = 1000 } = options;
    this.#options = options;
    this.#writer = ids.name;
    this.#points = coordination.sums('points of a day');
    this.#timer = setInterval(() => void this.flush(), flushMs);
    this.#timer.unref();
  }

  /** Today's counts of an integration; add to them in place and synchronously. */
  tally(integration: string): Tally {
    const counter = this.#counter(integration);
    counter.isDirty = true;
    return counter.pending;
  }

  /** The current UTC day. */
  today(): number {
    return dayOf(this.#options.clock.nowUs());
  }

  /** Today's points of an integration; those of other processes appear about a second later. */
  pointsToday(integration: string): number {
    const { day, storedPoints, writing, pending } = this.#counter(integration);
    return Math.max(
      this.#points.of(pointsKey(integration, day), storedPoints),
      storedPoints + (writing?.points ?? 0) + pending.points,
    );
  }

  /**
   * Counts points of an integration against its quota of today, and returns how many there were before. Those of other
   * processes appear about a second later.
   */
  countPoints(integration: string, points: number): number {
    const { day, storedPoints } = this.#counter(integration);
    return this.#points.add(pointsKey(integration, day), storedPoints, points);
  }

  /** Subtracts points that were counted on `day` but not stored. */
  takeBack(integration: string, day: number, points: number, pointsOver: number): void {
    const isToday = this.#counter(integration).day === day;
    if (isToday) this.countPoints(integration, -points);
    const tally = isToday ? this.tally(integration) : emptyTally();
    tally.points -= points;
    tally.pointsOver -= pointsOver;
    if (!isToday) this.#ended.push({ integration, day, tally });
  }

  /** The stored rows of one integration, or of all when null, for the last `days` days including today. */
  list(integration: string | null, days: number): Promise<UsageRow[]> {
    return this.#options.meta.usage.list(integration, this.today() - days + 1);
  }

  /** Writes the counts to the store; what fails is tried again the next time. Never rejects. */
  async flush(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing;
    this.#flushing = this.#flushAll().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  /** Writes all counts and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #load(): Promise<void> {
    const day = this.today();
    for (const row of await this.#options.meta.usage.list(null, day)) {
      if (row.day === day) this.#counter(row.integration).storedPoints = row.tally.points;
    }
  }

  async #flushAll(): Promise<void> {
    try {
      if (this.#flush !== null) await this.#store(this.#flush);
      const rows = merged([...this.#ended.splice(0), ...this.#takePending()]);
      if (rows.length === 0 && this.#prunedDay === this.today()) return;
      this.#flush = { number: ++this.#flushes, rows };
      await this.#store(this.#flush);
    } catch (error) {
      this.#options.log.warn('usage cannot be stored; will retry', { error });
    }
  }

  async #store({ number, rows }: Flush): Promise<void> {
    const today = this.today();
    const sums = await this.#options.meta.write(async ({ usage }) => {
      if (this.#prunedDay !== today) await usage.deleteBefore(today - this.#options.limits.usageDaysMax + 1);
      const isNew = await usage.noteFlush({ writer: this.#writer, number, day: today });
      return usage.add(isNew ? rows : rows.map((row) => ({ ...row, tally: emptyTally() })));
    });
    this.#flush = null;
    this.#prunedDay = today;
    for (const sum of sums) this.#noteStored(sum);
  }

  #takePending(): UsageRow[] {
    const rows: UsageRow[] = [];
    for (const [integration, counter] of this.#counters) {
      if (!counter.isDirty) continue;
      rows.push({ integration, day: counter.day, tally: counter.pending });
      counter.writing = counter.pending;
      counter.pending = emptyTally();
      counter.isDirty = false;
    }
    return rows;
  }

  /** Ignored when the counter has moved on to another day. */
  #noteStored({ integration, day, tally }: UsageRow): void {
    const counter = this.#counters.get(integration);
    if (counter?.day !== day) return;
    const written = counter.writing?.points ?? 0;
    counter.storedPoints = tally.points;
    counter.writing = null;
    this.#points.settle(pointsKey(integration, day), tally.points, written);
  }

  #counter(integration: string): Counter {
    const day = this.today();
    const counter = this.#counters.get(integration);
    if (counter?.day === day) return counter;
    if (counter?.isDirty) this.#ended.push({ integration, day: counter.day, tally: counter.pending });
    const fresh = { day, storedPoints: 0, writing: null, pending: emptyTally(), isDirty: false };
    this.#counters.set(integration, fresh);
    return fresh;
  }
}

function pointsKey(integration: string, day: number): string {
  return `${day} ${integration}`;
}

/** One row for each integration and day. */
function merged(rows: readonly UsageRow[]): UsageRow[] {
  const byKey = new Map<string, UsageRow>();
  for (const { integration, day, tally } of rows) {
    const key = `${day} ${integration}`;
    addTally(byKey.getOrInsertComputed(key, () => ({ integration, day, tally: emptyTally() })).tally, tally);
  }
  return [...byKey.values()];
}
