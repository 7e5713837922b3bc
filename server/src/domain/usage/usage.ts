/**
 * Metering (L4): what each integration did in each UTC day. Counted in memory, so that no call waits for it; added to the
 * store about once a second, and when the service ends. A crash loses what was counted since.
 */

import type { Clock, Log } from '#model/environment';
import type { Limits } from '#model/limits';
import { addTally, dayOf, emptyTally, type Tally, type UsageRow } from '#model/usage';
import type { MetaStore } from '#storage/store';

/** What {@link Usage.open} works with. */
export interface UsageOptions {
  meta: MetaStore;
  clock: Clock;
  log: Log;
  /** Days that are kept; looked at each time. */
  limits: Pick<Limits, 'usageDaysMax'>;
  /** Between two additions to the store, ms. Default 1000. */
  flushMs?: number;
}

/** The counts of one integration today. */
interface Counter {
  day: number;
  /** Points of the day that the store had last, also those that other processes added. */
  storedPoints: number;
  /** On their way to the store. */
  writing: Tally | null;
  /** Not on their way yet. */
  pending: Tally;
  isDirty: boolean;
}

/** Counts, and keeps the counts. */
export class Usage {
  readonly #meta: MetaStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: Pick<Limits, 'usageDaysMax'>;
  readonly #timer: NodeJS.Timeout;
  readonly #counters = new Map<string, Counter>();
  /** Counts of days that have ended. */
  #ended: UsageRow[] = [];
  #flushing: Promise<void> | null = null;
  #prunedDay = 0;

  /** Reads what was counted today so far. */
  static async open(options: UsageOptions): Promise<Usage> {
    const usage = new Usage(options);
    await usage.#load();
    return usage;
  }

  private constructor({ meta, clock, log, limits, flushMs = 1000 }: UsageOptions) {
    this.#meta = meta;
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
    this.#timer = setInterval(() => void this.flush(), flushMs);
    this.#timer.unref();
  }

  /** The counts of an integration today, to be added to in place, at once. */
  tally(integration: string): Tally {
    const counter = this.#counter(integration);
    counter.isDirty = true;
    return counter.pending;
  }

  /** The day that {@link tally} counts for now. */
  today(): number {
    return dayOf(this.#clock.nowUs());
  }

  /** The points of an integration today, as far as they are known here: those of other processes a second later. */
  pointsToday(integration: string): number {
    const { storedPoints, writing, pending } = this.#counter(integration);
    return storedPoints + (writing?.points ?? 0) + pending.points;
  }

  /** Takes points back that were counted on `day` and then not stored. */
  takeBack(integration: string, day: number, points: number, pointsOver: number): void {
    const isToday = this.#counter(integration).day === day;
    const tally = isToday ? this.tally(integration) : emptyTally();
    tally.points -= points;
    tally.pointsOver -= pointsOver;
    if (!isToday) this.#ended.push({ integration, day, tally });
  }

  /** The days of one integration, or of all when it is null, that the store has; the last `days` of them, today among them. */
  list(integration: string | null, days: number): Promise<UsageRow[]> {
    return this.#meta.usage(integration, this.today() - days + 1);
  }

  /** Adds what was counted to the store; what cannot be added now is kept for the next time. Never rejects. */
  async flush(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  /** Adds everything to the store, and counts no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #load(): Promise<void> {
    const day = this.today();
    for (const row of await this.#meta.usage(null, day)) {
      if (row.day === day) this.#counter(row.integration).storedPoints = row.tally.points;
    }
  }

  async #flush(): Promise<void> {
    const ended = this.#ended;
    const current = this.#takePending();
    const today = this.today();
    const isNewDay = this.#prunedDay !== today;
    if (ended.length + current.length === 0 && !isNewDay) return;
    this.#ended = [];
    try {
      const sums = await this.#meta.write(async (tx) => {
        if (isNewDay) await tx.deleteUsage(today - this.#limits.usageDaysMax + 1);
        return tx.addUsage(merged([...ended, ...current]));
      });
      this.#prunedDay = today;
      for (const sum of sums) this.#noteStored(sum);
    } catch (error) {
      this.#log.warn('usage cannot be stored; trying again', { error });
      this.#ended.push(...ended);
      this.#putBack(current);
    }
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

  /** The counter is of the same day still, or has begun anew. */
  #noteStored({ integration, day, tally }: UsageRow): void {
    const counter = this.#counters.get(integration);
    if (counter?.day !== day) return;
    counter.storedPoints = tally.points;
    counter.writing = null;
  }

  #putBack(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const counter = this.#counters.get(row.integration);
      if (counter?.day !== row.day) {
        this.#ended.push(row);
        continue;
      }
      addTally(counter.pending, row.tally);
      counter.writing = null;
      counter.isDirty = true;
    }
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

/** One row for each integration and day. */
function merged(rows: readonly UsageRow[]): UsageRow[] {
  const byKey = new Map<string, UsageRow>();
  for (const { integration, day, tally } of rows) {
    const key = `${day} ${integration}`;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { integration, day, tally: { ...tally } });
    else addTally(known.tally, tally);
  }
  return [...byKey.values()];
}
