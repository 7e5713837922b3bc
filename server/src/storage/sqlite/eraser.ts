/**
 * Deletes the points of a time range. Like sealing, this side only reads and computes steps, each of which is valid only for
 * the state that it was computed from. Blocks inside the range are deleted without being decoded; blocks that overlap its
 * ends are rewritten. If the log has points inside the range, the signal's other points in the log are moved to blocks, and
 * the existing rows of the log no longer count for the signal. So readers need not know about deletions.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import type { Window } from '#model/window';
import { StoredDamage } from '../codec/damage.ts';
import type { BlockPoints } from './block-reader.ts';
import type { BlockEntry } from './directory.ts';
import type { EraseAnswer, EraseRequest, EraseStep } from './messages.ts';
import { blocksAround, ChangeBuilder, type NewPoints } from './rewriting.ts';
import { clip, mergeRuns, noPoints } from './runs.ts';
import { planGroups } from './seal-plan.ts';
import { type SharedIndex, SnapshotReader } from './snapshot.ts';
import { rewriteOrSplit } from './stranding.ts';

/** Approximate number of blocks that one step, which is one transaction, adds or removes. */
export const stepBlocksMax = 1000;

/** If the range overlaps a log of more values than this, the log is sealed first, since rows are read once per signal. */
const logValuesMax = 1_000_000;

const always: Window = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };

/** The points of one signal in the log, divided by the range to be deleted. */
interface CutLog {
  /** Points outside the range. */
  kept: Points[];
  inside: Points;
}

/** What is left of the blocks of one signal that are cut. */
interface Remains {
  runs: Points[];
  /** The time columns that these blocks refer to. */
  columns: Set<number>;
}

/** What was done for one signal. */
interface Erased {
  count: number;
  /** Where the next step has to continue, when this one became too long; null: the window is done. */
  startUs: number | null;
}

/** Computes the steps of a deletion, over a read-only connection. */
export class Eraser {
  readonly #shared: SharedIndex;
  readonly #snapshot: SnapshotReader;
  readonly #blocksMax: number;

  constructor(db: DatabaseSync, shared: SharedIndex, blocksMax: number) {
    this.#blocksMax = blocksMax;
    this.#shared = shared;
    this.#snapshot = new SnapshotReader(db, shared);
  }

  /** The first step of a deletion; null when the log should be sealed first. */
  plan(request: EraseRequest): EraseAnswer | null {
    this.#snapshot.begin();
    try {
      if (request.mayDefer && this.#isLogLong(request)) return null;
      return this.#plan(request);
    } finally {
      this.#snapshot.end();
    }
  }

  #plan({ signals, window, pointsMax }: EraseRequest): EraseAnswer {
    const { step, nextBlock } = this.#snapshot.state;
    const made = new ChangeBuilder(nextBlock);
    const covered: EraseStep['covered'] = [];
    const counts: number[] = [];
    let startUs: number | null = null;
    for (const signal of signals) {
      if (made.pointCount >= pointsMax || made.count >= this.#blocksMax) break;
      const erased = this.#erase(signal, window, made, covered);
      counts.push(erased.count);
      startUs = erased.startUs;
      if (startUs !== null) break;
    }
    const doneCount = startUs === null ? counts.length : counts.length - 1;
    const isChange = made.count > 0 || covered.length > 0;
    return { step: isChange ? { ...made.finish(), step, covered } : null, counts, doneCount, startUs };
  }

  #isLogLong({ signals, window }: EraseRequest): boolean {
    if (this.#shared.head.extent().valueCount <= logValuesMax) return false;
    return signals.some((signal) => this.#parts(signal, window).length > 0);
  }

  #erase(signal: number, window: Window, made: ChangeBuilder, covered: EraseStep['covered']): Erased {
    const within = this.#snapshot.directory.within(signal, window.startUs, window.endUs);
    const entries = within.slice(0, this.#blocksMax);
    const startUs = within.length > entries.length ? within[entries.length].firstUs : null;
    const cut = { startUs: window.startUs, endUs: startUs ?? window.endUs };
    const log = this.#cutLog(signal, cut);
    if (log !== null) covered.push({ signal, throughSeq: this.#shared.head.lastSeq });
    const inside = log?.inside ?? noPoints;
    const kept: Remains = { runs: [], columns: new Set() };
    let count = inside.timesUs.length;
    for (const entry of entries) count += this.#eraseBlock(signal, entry, cut, inside, kept, made);
    const remaining = mergeRuns([...kept.runs, ...(log?.kept ?? [])]);
    const columns = [...kept.columns];
    if (remaining.timesUs.length > 0) this.#store(signal, { ...remaining, columns }, made);
    return { count, startUs };
  }

  /** The points of a signal in the log; null when none is inside the window. */
  #cutLog(signal: number, cut: Window): CutLog | null {
    if (this.#parts(signal, cut).length === 0) return null;
    if (isAlways(cut)) return { kept: [], inside: noPoints };
    const points = this.#snapshot.log.read(this.#parts(signal, always), always.startUs, always.endUs);
    const inside = clip(points, cut.startUs, cut.endUs);
    if (inside.timesUs.length === 0) return null;
    return { inside, kept: outside(points, cut) };
  }

  #parts(signal: number, { startUs, endUs }: Window) {
    return this.#shared.head.parts(signal, startUs, endUs, this.#snapshot.coveredSeq(signal));
  }

  /** Returns how many points of a block are deleted that are not in the log too. Adds the block's other points to `kept`. */
  #eraseBlock(
    signal: number,
    entry: BlockEntry,
    cut: Window,
    inside: Points,
    kept: Remains,
    made: ChangeBuilder,
  ): number {
    const isInside = entry.firstUs >= cut.startUs && entry.lastUs < cut.endUs;
    const logged = clip(inside, entry.firstUs, entry.lastUs + 1).timesUs.length;
    const points = isInside && logged === 0 ? null : this.#load(signal, entry, isInside);
    if (points === null) {
      made.remove(signal, entry);
      // It is unknown which points of a damaged block are in the log too.
      return Math.max(0, entry.count - logged);
    }
    made.pointCount += entry.count;
    const gone = clip(points, cut.startUs, cut.endUs);
    if (gone.timesUs.length === 0) return 0;
    made.remove(signal, entry);
    kept.runs.push(...outside(points, cut));
    for (const id of points.columns) kept.columns.add(id);
    return countMissing(gone.timesUs, inside.timesUs);
  }

  /** Loads a block; null when it is damaged and is deleted as a whole. */
  #load(signal: number, entry: BlockEntry, isInside: boolean): BlockPoints | null {
    try {
      return this.#snapshot.blocks.load(signal, entry);
    } catch (error) {
      if (isInside && error instanceof StoredDamage) return null;
      throw error;
    }
  }

  /** Writes the remaining points to blocks, merged with the adjacent blocks that are kept. */
  #store(signal: number, points: NewPoints, made: ChangeBuilder): void {
    const around = blocksAround(this.#snapshot, signal, points);
    const staying = around.filter(({ block }) => !made.isRemoved(block));
    const throughSeq = this.#shared.head.lastSeq;
    const groups = planGroups(staying, points);
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const split = rewriteOrSplit(made, this.#snapshot, signal, group, points, around);
      if (split === null) continue;
      groups.unshift(...split.groups);
      for (const stranded of split.stranded) made.strand({ signal, points: stranded, throughSeq });
    }
  }
}

function isAlways({ startUs, endUs }: Window): boolean {
  return startUs === always.startUs && endUs === always.endUs;
}

/** The parts of a run before and after a time range, without copying. */
function outside(points: Points, { startUs, endUs }: Window): Points[] {
  return [clip(points, always.startUs, startUs), clip(points, Math.max(startUs, endUs), always.endUs)];
}

/** How many of these ascending times are not among the others. */
function countMissing(timesUs: Float64Array, others: Float64Array): number {
  let count = timesUs.length;
  for (const timeUs of others) {
    if (timesUs[lowerBound(timesUs, timeUs)] === timeUs) count--;
  }
  return count;
}
