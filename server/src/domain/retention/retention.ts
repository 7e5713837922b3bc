/** Retention (L5): rules for how long points are kept, and the deletion of older points. */
import { type Act, serviceAct } from '#model/act';
import { type Duration, dayUs, hourUs, printDuration } from '#model/duration';
import type { Clock, Log } from '#model/environment';
import { AppError, invalidParams } from '#model/error';
import { printInstant } from '#model/instant-printer';
import {
  keptFromUs,
  keptOfAnyFromUs,
  printScope,
  type RetentionRule,
  type RetentionScope,
} from '#model/retention';
import type { MetaPart, MetaReads, MetaWrites } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import type { Json } from '../audit/canonical.ts';
import { record } from '../audit/record.ts';
import { windowOf } from '../deletion/open-window.ts';
import { Load } from './load.ts';
import { surveySignals } from './survey.ts';

interface RetentionOptions {
  meta: MetaPart<'retentionRules' | 'signals' | 'integrations' | 'audit'>;
  series: SeriesStore;
  clock: Clock;
  log: Log;
}

/** The result of a run, or dry run, for one rule. */
export interface RetentionOutcome {
  rule: RetentionRule;
  /** Points before this time are deleted, µs; null: the rule keeps everything. */
  beforeUs: number | null;
  /** Number of signals of the rule, of those with such points, and of the points. */
  signals: number;
  affected: number;
  points: number;
}

/** The same, with what would be deleted of each signal. */
interface Counted extends RetentionOutcome {
  old: ReadonlyMap<number, number>;
}

/** The result of a run, or dry run. */
export interface RetentionReport {
  outcomes: RetentionOutcome[];
  /** Deleted signals whose points were still stored, after a crash during deletion. */
  orphans: number;
}

/** The shortest time that points may be kept. */
const keepUsMin = hourUs;

/** Signals whose points are counted or deleted in one step. */
const chunkSignals = 500;

/** Delay of the first run, also where another process has ended that would have done it, and interval of the following ones. */
const firstMs = 5 * 60_000;
const takenOverMs = 1_000;
const everyMs = 60 * 60_000;

/** How {@link Retention.start} works. */
interface RetentionStart {
  /** Whether another process did this before. */
  isTakenOver: boolean;
  /** Asked before each run; without it there is none. */
  mayRun: () => Promise<boolean>;
}

/** The retention rules of one store, and their execution. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #load = new Load(null);
  #mayRun: () => Promise<boolean> = async () => true;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** All rules, by scope. */
  rules(): Promise<RetentionRule[]> {
    return this.#options.meta.retentionRules.all();
  }

  /** Creates or replaces the rule of a scope. `not-found`: unknown integration; `invalid-params`. */
  async set(act: Act, rule: RetentionRule): Promise<void> {
    checkKeep(rule.keep);
    const { meta } = this.#options;
    await meta.write(async (tx) => {
      await requireIntegration(tx, rule.scope);
      const before = await tx.retentionRules.find(rule.scope);
      await tx.retentionRules.save(rule);
      const change = { keep: [before === undefined ? null : keepOf(before), keepOf(rule)] };
      await this.#record(tx, act, 'retention.set', rule.scope, change);
    });
  }

  /** Removes the rule of a scope; its signals come under the next matching rule. `not-found`. */
  async remove(act: Act, scope: RetentionScope): Promise<void> {
    await this.#options.meta.write(async (tx) => {
      const before = await tx.retentionRules.find(scope);
      if (before === undefined) throw new AppError('not-found', `no rule for ${printScope(scope)}`);
      await tx.retentionRules.delete(scope);
      await this.#record(tx, act, 'retention.remove', scope, { keep: [keepOf(before), null] });
    });
  }

  /**
   * Deletes points older than the rules allow, and points of deleted signals. A dry run only counts. Each deletion is recorded
   * in the audit log first.
   */
  async run(act: Act, { dryRun }: { dryRun: boolean }): Promise<RetentionReport> {
    const { meta, series, clock } = this.#options;
    // First the stored signals: a signal that is created later is not among them.
    const stored = await series.storedSignals();
    const rules = await meta.retentionRules.all();
    const { byRule, isKnown } = await surveySignals(meta, rules);
    const nowUs = clock.nowUs();
    const outcomes: Counted[] = [];
    for (const rule of rules)
      outcomes.push(await this.#count(rule, byRule.get(rule) ?? [], nowUs, this.#load));
    if (!dryRun) await this.#carryOut(act, outcomes, nowUs);
    const orphans = stored.filter((number) => !isKnown(number));
    if (!dryRun && orphans.length > 0) await this.#deleteOrphans(act, orphans);
    return { outcomes, orphans: orphans.length };
  }

  /** What these rules would delete now; deletes nothing. `invalid-params` at `keep`. */
  async preview(rules: readonly RetentionRule[]): Promise<RetentionOutcome[]> {
    const { meta, clock } = this.#options;
    for (const { keep } of rules) checkKeep(keep);
    const { byRule } = await surveySignals(meta, rules);
    const nowUs = clock.nowUs();
    const outcomes: RetentionOutcome[] = [];
    for (const rule of rules)
      outcomes.push(await this.#count(rule, byRule.get(rule) ?? [], nowUs, new Load(null)));
    return outcomes;
  }

  /** Runs the rules soon and then every hour, until {@link close}; waits while the store is busy. */
  start({ isTakenOver, mayRun }: RetentionStart): void {
    this.#load = new Load(this.#options.series);
    this.#mayRun = mayRun;
    this.#schedule(isTakenOver ? takenOverMs : firstMs);
  }

  /** Stops the runs of {@link start} after the current step. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#load.end();
    await this.#running;
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#runQuietly().finally(() => {
        if (this.#timer !== undefined) this.#schedule(everyMs);
      });
    }, ms);
    this.#timer.unref();
  }

  async #runQuietly(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#load.whenLow();
      if (!(await this.#mayRun())) return;
      const { outcomes, orphans } = await this.run(serviceAct, { dryRun: false });
      const points = outcomes.reduce((sum, outcome) => sum + outcome.points, 0);
      if (points > 0 || orphans > 0) log.info('deleted old points', { points, orphans });
    } catch (error) {
      if (this.#timer !== undefined)
        log.warn('old points cannot be deleted; will retry in an hour', { error });
    }
  }

  async #carryOut(act: Act, outcomes: readonly Counted[], nowUs: number): Promise<void> {
    const { series, meta } = this.#options;
    const some = outcomes.filter(({ points }) => points > 0);
    for (const { rule, beforeUs, affected, points } of some) {
      const change = { before: printInstant(beforeUs ?? 0), signals: affected, points };
      await meta.write((tx) => this.#record(tx, act, 'retention.run', rule.scope, change));
    }
    const rules = outcomes.map(({ rule }) => rule);
    const goneUs = some.length === 0 ? null : await this.#deleteOfAll(rules, nowUs);
    for (const { beforeUs, old } of some) {
      if (beforeUs === goneUs) continue;
      const window = windowOf({ fromUs: null, beforeUs });
      await counted([...old.keys()], this.#load, (chunk) => series.deletePoints(chunk, window));
    }
  }

  /** Deletes what no rule keeps of any signal, where the store can do that at once; the time before which that was. */
  async #deleteOfAll(rules: readonly RetentionRule[], nowUs: number): Promise<number | null> {
    const { series, meta } = this.#options;
    if (series.deleteBefore === undefined) return null;
    await this.#load.whenLow();
    // Those of now too: points that a new rule keeps may have come since the others were counted.
    const present = await meta.retentionRules.all();
    const [before, beforeNow] = [rules, present].map((some) => keptOfAnyFromUs(some, nowUs));
    if (before === null || beforeNow === null) return null;
    const beforeUs = Math.min(before, beforeNow);
    await series.deleteBefore(beforeUs);
    return beforeUs;
  }

  /** What a rule would delete, and of which signals. */
  async #count(rule: RetentionRule, numbers: readonly number[], nowUs: number, load: Load): Promise<Counted> {
    const signals = numbers.length;
    if (rule.keep === null) return { rule, signals, beforeUs: null, affected: 0, points: 0, old: new Map() };
    const beforeUs = keptFromUs(rule.keep, nowUs);
    const window = windowOf({ fromUs: null, beforeUs });
    const { series } = this.#options;
    const old = await counted(numbers, load, (chunk) => series.countPoints(chunk, window));
    return { rule, signals, beforeUs, affected: old.size, points: sumOf(old), old };
  }

  async #deleteOrphans(act: Act, orphans: readonly number[]): Promise<void> {
    const { meta, series } = this.#options;
    await meta.write((tx) =>
      this.#record(tx, act, 'retention.sweep', { kind: 'all' }, { signals: orphans.length }),
    );
    for (let from = 0; from < orphans.length; from += chunkSignals) {
      await this.#load.whenLow();
      await series.deleteSignals(orphans.slice(from, from + chunkSignals));
    }
  }

  #record(
    tx: Pick<MetaWrites, 'audit'>,
    act: Act,
    action: string,
    scope: RetentionScope,
    change: Json,
  ): Promise<void> {
    return record(tx, act, this.#options.clock, { action, target: printScope(scope), change });
  }
}

/** Signals with points and their counts; in steps, each of which waits while the store is busy. */
async function counted(
  numbers: readonly number[],
  load: Load,
  count: (chunk: readonly number[]) => Promise<number[]>,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (let from = 0; from < numbers.length; from += chunkSignals) {
    const chunk = numbers.slice(from, from + chunkSignals);
    await load.whenLow();
    const counts = await count(chunk);
    for (const [i, number] of chunk.entries()) if (counts[i] > 0) found.set(number, counts[i]);
  }
  return found;
}

function sumOf(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The age that a rule keeps, as text: in days where it is whole days. */
export function keepOf({ keep }: RetentionRule): string {
  if (keep === null) return 'forever';
  const isDays = keep.kind === 'fixed' && keep.us % dayUs === 0;
  return isDays ? `P${keep.us / dayUs}D` : printDuration(keep);
}

function checkKeep(keep: Duration | null): void {
  if (keep === null || keep.kind === 'calendar' || keep.us >= keepUsMin) return;
  throw invalidParams({ keep: [`must be at least PT1H, got ${printDuration(keep)}`] });
}

async function requireIntegration(tx: Pick<MetaReads, 'integrations'>, scope: RetentionScope): Promise<void> {
  if (scope.kind !== 'integration' || (await tx.integrations.find(scope.integration)) !== undefined) return;
  throw new AppError('not-found', `unknown integration ${scope.integration}`);
}
