/**
 * Sealing: the points of the oldest rows of the log become blocks, signal by signal. The sealer only reads; what is to be
 * changed it hands out in steps, which the writer applies in short transactions. Each step names the state that it was made
 * for, and is void in any other: so it does not matter who seals, how often, and where it was interrupted.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { StoredDamage } from '../codec/damage.ts';
import type { BlockEntry } from './directory.ts';
import type { HeadExtent } from './head.ts';
import type { SealLook, SealStep, StrandedPoints } from './messages.ts';
import { blocksAround, ChangeBuilder } from './rewriting.ts';
import { mergeRuns } from './runs.ts';
import { planGroups, type SealGroup } from './seal-plan.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { rewriteOrSplit } from './stranding.ts';

/** When to seal, and how much at a time. */
export interface SealLimits {
  /**
   * Values of one cycle: they are in memory together. As many as give each signal `signalCyclePoints`, from
   * `narrowCycleValues` to `cycleValues`; more where there are many signals, up to `wideCycleValues`.
   */
  cycleValues: number;
  narrowCycleValues: number;
  wideCycleValues: number;
  signalCyclePoints: number;
  /** Points of one step: what the sealer computes between two looks at the state. */
  stepPoints: number;
  /** Bytes of the blocks that one step adds, and blocks that it adds or removes: what the writer does in one transaction, a few milliseconds. */
  stepBytes: number;
  stepBlocks: number;
  /** The log is sealed when it has this many rows or values, if that makes pieces of `worthwhilePoints` for each signal … */
  dueRows: number;
  dueValues: number;
  worthwhilePoints: number;
  /** … and, whatever the pieces, when it has this many. */
  overdueRows: number;
  overdueValues: number;
  /** While nothing else is to do, this much of a log is worth sealing. */
  idleRows: number;
  idleValues: number;
}

/** The limits that a store works with. */
export const sealLimits: SealLimits = {
  cycleValues: 2_000_000,
  narrowCycleValues: 500_000,
  wideCycleValues: 6_000_000,
  signalCyclePoints: 16_384,
  stepPoints: 1_000_000,
  stepBytes: 1024 * 1024,
  stepBlocks: 1000,
  dueRows: 4096,
  dueValues: 1_000_000,
  worthwhilePoints: 256,
  overdueRows: 131_072,
  overdueValues: 16_000_000,
  idleRows: 512,
  idleValues: 100_000,
};

interface Cycle {
  seq: number;
  /** Ascending; those before `next` are done. */
  signals: Uint32Array;
  next: number;
  /** The last signal that is done. */
  doneSignal: number;
  /** The signal under way; a step may end between its groups, and then its points are in the log and in blocks. */
  current: SignalSeal | null;
  step: number;
  nextBlock: number;
  isFinished: boolean;
  /** Rows that cannot be read, and what is wrong with each. */
  damage: Map<number, string>;
}

/** What is left to do for one signal. */
interface SignalSeal {
  signal: number;
  points: Points;
  /** The blocks around the points. */
  around: BlockEntry[];
  groups: SealGroup[];
  next: number;
}

/** Makes the steps of sealing, over a connection that only reads. */
export class Sealer {
  readonly #shared: SharedIndex;
  readonly #snapshot: SnapshotReader;
  readonly #limits: SealLimits;
  #cycle: Cycle | null = null;

  constructor(db: DatabaseSync, limits: SealLimits = sealLimits, shared = new SharedIndex(0, 0)) {
    this.#limits = limits;
    this.#shared = shared;
    this.#snapshot = new SnapshotReader(db, shared);
  }

  /** Looks whether there is something to seal, and begins a cycle then, or takes up one that was interrupted. */
  look(isIdle: boolean): SealLook {
    return this.#inSnapshot(() => {
      const { head } = this.#shared;
      const { sealedSeq, cycleSeq, cycleSignal, step, nextBlock } = this.#snapshot.state;
      const extent = head.extent();
      const isOpen = cycleSeq > sealedSeq;
      const isDue = isOpen || isWorthwhile(extent, isIdle, this.#limits);
      this.#cycle = null;
      if (isDue) {
        const seq = isOpen ? cycleSeq : head.oldestRows(this.#cycleValues(extent));
        const signals = head.signalsThrough(seq).filter((signal) => !isOpen || signal > cycleSignal);
        const damage = this.#loadRows(seq);
        const doneSignal = isOpen ? cycleSignal : 0;
        this.#cycle = {
          ...{ seq, signals, next: 0, doneSignal, current: null },
          ...{ step, nextBlock, isFinished: false, damage },
        };
      }
      return { isDue, backlogBytes: extent.valueCount * 8 };
    });
  }

  /** The next step of the cycle; null when the cycle is at its end, or the state is no longer the one it was made for. */
  step(): SealStep | null {
    const cycle = this.#cycle;
    if (cycle === null || cycle.isFinished) return this.#endCycle();
    return this.#inSnapshot(() => {
      if (this.#snapshot.state.step > cycle.step) return this.#endCycle();
      const made = new ChangeBuilder(cycle.nextBlock);
      const { stepPoints, stepBytes, stepBlocks } = this.#limits;
      const isRoom = () =>
        made.pointCount < stepPoints && made.byteCount < stepBytes && made.count < stepBlocks;
      if (cycle.next === 0) for (const what of cycle.damage.values()) made.noteDamage(what);
      while (isRoom() && this.#advance(cycle, made));
      const changes = made.finish();
      cycle.nextBlock = changes.nextBlock;
      const { doneSignal: cycleSignal, isFinished, seq } = cycle;
      const setAside = isFinished ? this.#setAside(cycle) : [];
      return { ...changes, step: cycle.step++, cycleSeq: seq, cycleSignal, isFinished, setAside };
    });
  }

  /** Decodes the rows of a cycle; those that cannot be read, and what is wrong with each. */
  #loadRows(throughSeq: number): Map<number, string> {
    const { head } = this.#shared;
    const { log } = this.#snapshot;
    const damage = new Map<number, string>();
    for (const row of head.rowsThrough(throughSeq)) {
      if (log.readable([{ row, column: 0 }]).length > 0) row.data ??= log.load(row);
      else damage.set(row.seq, log.damageOf(row.seq)?.message ?? '');
    }
    for (const seq of head.unreadable) {
      if (seq <= throughSeq) damage.set(seq, log.damageOf(seq)?.message ?? '');
    }
    return damage;
  }

  /** The rows of a cycle that cannot be read, each with the signals for which they still count. */
  #setAside({ damage }: Cycle): SealStep['setAside'] {
    const setAside: SealStep['setAside'] = [];
    for (const seq of damage.keys()) {
      const signals = this.#shared.head.signalsOf(seq);
      const counting = signals.filter((signal) => this.#snapshot.deletedSeq(signal) < seq);
      if (signals.length === 0 || counting.length > 0) setAside.push({ seq, signals: [...counting] });
    }
    return setAside;
  }

  /** Does the next piece of a cycle; whether there are more. */
  #advance(cycle: Cycle, made: ChangeBuilder): boolean {
    const signal = cycle.signals[cycle.next];
    if (signal === undefined) {
      cycle.isFinished = true;
      return false;
    }
    cycle.current ??= this.#beginSignal(signal, cycle.seq, made);
    if (cycle.current.next < cycle.current.groups.length) {
      this.#rewrite(cycle.current, cycle.seq, made);
    } else {
      cycle.current = null;
      cycle.doneSignal = signal;
      cycle.next++;
    }
    return true;
  }

  /** Writes the next group anew. When blocks of it cannot be read, what is left of it takes its place. */
  #rewrite(seal: SignalSeal, throughSeq: number, made: ChangeBuilder): void {
    const { signal, groups, next, points, around } = seal;
    const split = rewriteOrSplit(made, this.#snapshot, signal, groups[next], points, around);
    if (split === null) {
      seal.next++;
      return;
    }
    groups.splice(next, 1, ...split.groups);
    for (const stranded of split.stranded) made.strand(this.#withNewer(signal, stranded, throughSeq));
  }

  /** Points that stay in the log, with the newest values that this snapshot has: their row will come after those. */
  #withNewer(signal: number, points: Points, throughSeq: number): StrandedPoints {
    const { head } = this.#shared;
    const [startUs, endUs] = [points.timesUs[0], points.timesUs[points.timesUs.length - 1] + 1];
    const afterSeq = Math.max(throughSeq, this.#snapshot.coveredSeq(signal));
    const { log } = this.#snapshot;
    const parts = log.readable(head.parts(signal, startUs, endUs, afterSeq));
    const newer = log.read(parts, startUs, endUs);
    return { signal, points: mergeRuns([points, newer]), throughSeq: head.lastSeq };
  }

  /**
   * The last block of each signal is written anew in each cycle. So a signal should bring some blocks of points, but more
   * are not worth their memory; where that would be too much in all, it brings at least what makes the cycle worthwhile.
   */
  #cycleValues({ signalCount }: HeadExtent): number {
    const limits = this.#limits;
    return Math.max(
      limits.narrowCycleValues,
      Math.min(limits.cycleValues, signalCount * limits.signalCyclePoints),
      Math.min(limits.wideCycleValues, signalCount * limits.worthwhilePoints),
    );
  }

  #endCycle(): null {
    this.#cycle = null;
    return null;
  }

  #inSnapshot<T>(work: () => T): T {
    this.#snapshot.follow();
    try {
      return work();
    } finally {
      this.#snapshot.end();
    }
  }

  #beginSignal(signal: number, throughSeq: number, made: ChangeBuilder): SignalSeal {
    const [startUs, endUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const afterSeq = this.#snapshot.coveredSeq(signal);
    const { log } = this.#snapshot;
    const parts = log.readable(this.#shared.head.parts(signal, startUs, endUs, afterSeq, throughSeq));
    const points = log.read(parts, startUs, endUs);
    const nothing = { signal, points, around: [], groups: [], next: 0 };
    if (points.timesUs.length === 0) return nothing;
    try {
      const around = blocksAround(this.#snapshot, signal, points);
      return { ...nothing, around, groups: planGroups(around, points) };
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      // Where its blocks are is not known, so all of its points stay in the log.
      made.noteDamage(error.message);
      made.strand(this.#withNewer(signal, points, throughSeq));
      return nothing;
    }
  }
}

function isWorthwhile(extent: HeadExtent, isIdle: boolean, limits: SealLimits): boolean {
  const { rowCount, valueCount, signalCount } = extent;
  if (rowCount >= limits.overdueRows || valueCount >= limits.overdueValues) return true;
  if (isIdle) return rowCount >= limits.idleRows || valueCount >= limits.idleValues;
  if (rowCount < limits.dueRows && valueCount < limits.dueValues) return false;
  return valueCount >= signalCount * limits.worthwhilePoints;
}
