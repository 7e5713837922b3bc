/**
 * Rewrites blocks that were stored before blocks could share times: those of signals that have the same times. Like a deletion it
 * only reads, and computes steps, each of which is valid only for the state that it was computed from. The newest blocks of a
 * group of signals come first, and its last signal last: so the first block of that signal shows whether the group is done.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Window } from '#model/window';
import { StoredDamage } from '../codec/damage.ts';
import { findParts } from '../codec/time-parts.ts';
import { isRegular } from '../codec/times.ts';
import type { BlockEntry } from './directory.ts';
import type { FrameGroup } from './frame-groups.ts';
import type { EraseStep } from './messages.ts';
import { ChangeBuilder } from './rewriting.ts';
import { mergeRuns, noPoints } from './runs.ts';
import type { SealLimits } from './sealer.ts';
import { type SharedIndex, SnapshotReader } from './snapshot.ts';
import { TimesPool } from './times-pool.ts';

/** Points of one signal that are rewritten together, approximately. */
const windowPoints = 65_536;

const always: Window = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };

type StepLimits = Pick<SealLimits, 'stepPoints' | 'stepBytes' | 'stepBlocks' | 'sharedTimesMin'>;

/** A time range of a group of signals that is being rewritten. */
interface Part {
  window: Window;
  group: FrameGroup;
  /** How many of the signals are done. */
  doneCount: number;
  pool: TimesPool;
}

/** Computes the steps, over a read-only connection. */
export class TimeMigration {
  readonly #db: DatabaseSync;
  readonly #snapshot: SnapshotReader;
  readonly #limits: StepLimits;
  /** The groups that are not done, each with its signals in ascending order; null before they have been found. */
  #groups: number[][] | null = null;
  /** The blocks of the first group from here on are done. */
  #doneFromUs = always.endUs;
  #part: Part | null = null;
  /** The state that the last step leads to. */
  #nextStep = -1;

  constructor(db: DatabaseSync, shared: SharedIndex, limits: StepLimits) {
    this.#db = db;
    this.#snapshot = new SnapshotReader(db, shared);
    this.#limits = limits;
  }

  /** The next step; null when there is nothing left to rewrite. `isApplied`: whether the step before it was applied. */
  plan(isApplied: boolean): EraseStep | null {
    this.#snapshot.follow();
    try {
      const { step, nextBlock } = this.#snapshot.state;
      if (!isApplied) this.#beginAgain();
      // Other changes may have deleted columns of the part.
      else if (this.#part !== null && step !== this.#nextStep)
        this.#part.pool = this.#newPool(this.#part.group);
      this.#groups ??= this.#findGroups();
      const changes = this.#changes(nextBlock);
      this.#nextStep = step + 1;
      return changes === null ? null : { ...changes, step, covered: [] };
    } finally {
      this.#snapshot.end();
    }
  }

  #beginAgain(): void {
    this.#groups = null;
    this.#part = null;
    this.#doneFromUs = always.endUs;
  }

  #changes(nextBlock: number): ReturnType<ChangeBuilder['finish']> | null {
    const { stepPoints, stepBytes, stepBlocks } = this.#limits;
    let changes = null;
    let next = nextBlock;
    for (
      this.#part ??= this.#nextPart();
      this.#part !== null && changes === null;
      this.#part ??= this.#nextPart()
    ) {
      const part = this.#part;
      const made = new ChangeBuilder(next, part.pool);
      const mayGrow = () =>
        made.pointCount < stepPoints && made.byteCount < stepBytes && made.count < stepBlocks;
      while (part.doneCount < part.group.signals.length && mayGrow()) {
        this.#rewrite(part.group.signals[part.doneCount++], part.window, made);
      }
      if (part.doneCount === part.group.signals.length) this.#part = null;
      next = made.nextBlock;
      if (made.count > 0) changes = made.finish();
    }
    return changes;
  }

  #rewrite(signal: number, window: Window, made: ChangeBuilder): void {
    const entries = this.#beginningIn(signal, window);
    if (entries.length === 0) return;
    const group = { entries, from: 0, to: 0 };
    this.#ifReadable(() => made.rewrite(this.#snapshot, signal, group, noPoints, entries));
  }

  /** The next time range to be rewritten: that of some of the last blocks of the first signal of a group. */
  #nextPart(): Part | null {
    for (const groups = this.#groups ?? []; groups.length > 0; ) {
      const part = this.#ifReadable(() => this.#partOf(groups[0]));
      if (part != null) return part;
      groups.shift();
      this.#doneFromUs = always.endUs;
    }
    return null;
  }

  #partOf(signals: number[]): Part | null {
    const all = this.#beginningIn(signals[0], { ...always, endUs: this.#doneFromUs });
    let count = 0;
    let from = all.length;
    while (from > 0 && count < windowPoints) count += all[--from].count;
    if (count === 0) return null;
    const window = { startUs: from === 0 ? always.startUs : all[from].firstUs, endUs: this.#doneFromUs };
    const group = { signals, rows: [{ data: { timesUs: this.#timesOf(signals, window) } }] };
    this.#doneFromUs = window.startUs;
    return { window, group, doneCount: 0, pool: this.#newPool(group) };
  }

  /** The times of the first of these signals, as far as blocks of the others that begin in the window extend. */
  #timesOf(signals: readonly number[], { startUs, endUs }: Window): Float64Array {
    const lastUs = signals.map(
      (signal) => this.#beginningIn(signal, { startUs, endUs }).at(-1)?.lastUs ?? startUs,
    );
    const untilUs = lastUs.reduce((a, b) => Math.max(a, b)) + 1;
    const entries = this.#beginningIn(signals[0], { startUs, endUs: untilUs });
    return mergeRuns(entries.map((entry) => this.#snapshot.blocks.load(signals[0], entry))).timesUs;
  }

  #beginningIn(signal: number, { startUs, endUs }: Window): BlockEntry[] {
    const { directory } = this.#snapshot;
    return directory.within(signal, startUs, endUs).filter(({ firstUs }) => firstUs >= startUs);
  }

  #newPool(group: FrameGroup): TimesPool {
    return new TimesPool(
      new Map(group.signals.map((signal) => [signal, group])),
      this.#limits.sharedTimesMin,
    );
  }

  /** Signals whose points begin and end at the same times, and that do not share the times of their first blocks yet. */
  #findGroups(): number[][] {
    const rows = this.#db
      .prepare(
        'select signal, min(first_us) as first, max(last_us) as last from series_directory group by signal',
      )
      .iterate();
    const bySpan = new Map<string, number[]>();
    for (const { signal, first, last } of rows) {
      const span = `${first} ${last}`;
      const signals = bySpan.get(span) ?? [];
      bySpan.set(span, signals);
      signals.push(Number(signal));
    }
    return [...bySpan.values()].filter((signals) => signals.length > 1 && this.#canShare(signals));
  }

  #canShare(signals: readonly number[]): boolean {
    const [one, last] = [signals[0], signals[signals.length - 1]].map((signal) =>
      this.#ifReadable(() => this.#firstBlock(signal)),
    );
    if (one == null || last == null || last.columns.length > 0 || isRegular(last.timesUs)) return false;
    return findParts(last.timesUs, [{ id: 0, timesUs: one.timesUs }]) !== null;
  }

  #firstBlock(signal: number) {
    const [first] = this.#snapshot.directory.around(signal, always.startUs, always.startUs, 1, 1);
    return this.#snapshot.blocks.load(signal, first);
  }

  /** What `work` returns; null when something that it reads is damaged: it is left as it is. */
  #ifReadable<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (error instanceof StoredDamage) return null;
      throw error;
    }
  }
}
