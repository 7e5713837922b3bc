/**
 * Sealing moves the points of the oldest rows of the log to blocks, signal by signal. The sealer only reads: it computes
 * steps, which the writer applies in short transactions. Each step names the state that it was computed from and is rejected
 * in any other, so several processes may seal, and sealing may be interrupted anywhere.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { StoredDamage } from '../codec/damage.ts';
import type { BlockEntry } from './directory.ts';
import { frameGroups } from './frame-groups.ts';
import type { HeadExtent } from './head.ts';
import { PointsMemory } from './log-reader.ts';
import type { SealLook, SealStep, StrandedPoints } from './messages.ts';
import { blocksAround, ChangeBuilder } from './rewriting.ts';
import { mergeRuns } from './runs.ts';
import { planGroups, type SealGroup } from './seal-plan.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { rewriteOrSplit } from './stranding.ts';
import { TimesPool } from './times-pool.ts';

/** Thresholds and sizes of sealing. */
export interface SealLimits {
  /**
   * Values of one cycle, whose rows are in memory together. As many as give each signal `signalCyclePoints`, from
   * `narrowCycleValues` to `cycleValues`; more where there are many signals, up to `wideCycleValues`; but no rows beyond those
   * that have `cycleBytes`.
   */
  cycleValues: number;
  narrowCycleValues: number;
  wideCycleValues: number;
  signalCyclePoints: number;
  cycleBytes: number;
  /** Points of one step, which the sealer computes between two checks of the state. */
  stepPoints: number;
  /**
   * Bytes of the blocks that one step adds, and blocks that it adds or removes. The writer applies them in one transaction of
   * a few milliseconds.
   */
  stepBytes: number;
  stepBlocks: number;
  /** The log is sealed when it has this many rows or values and at least `worthwhilePoints` for each signal … */
  dueRows: number;
  dueValues: number;
  worthwhilePoints: number;
  /** … or when it has this many, regardless of the points per signal. */
  overdueRows: number;
  overdueValues: number;
  /** A log with more rows or values does not wait until the processors have less to do: reads of new points go through all of it. */
  waitRows: number;
  waitValues: number;
  /** When idle, a log of this size is sealed. */
  idleRows: number;
  idleValues: number;
  /** Signals of the same rows share their times if that spares at least so many of them. */
  sharedTimesMin: number;
}

/** The limits used in production. */
export const sealLimits: SealLimits = {
  cycleValues: 5_000_000,
  narrowCycleValues: 500_000,
  wideCycleValues: 5_000_000,
  signalCyclePoints: 65_536,
  cycleBytes: 16 * 1024 * 1024,
  stepPoints: 1_000_000,
  stepBytes: 1024 * 1024,
  stepBlocks: 1000,
  dueRows: 4096,
  dueValues: 1_000_000,
  worthwhilePoints: 256,
  overdueRows: 131_072,
  overdueValues: 16_000_000,
  waitRows: 8192,
  waitValues: 10_000_000,
  idleRows: 512,
  idleValues: 100_000,
  sharedTimesMin: 64,
};

interface Cycle {
  seq: number;
  /** Ascending; those before `next` are done. */
  signals: Uint32Array;
  next: number;
  /** The last signal that is done. */
  doneSignal: number;
  /** The signal being sealed. A step may end between its groups; then its points are in the log and in blocks. */
  current: SignalSeal | null;
  step: number;
  nextBlock: number;
  isFinished: boolean;
  /** Rows that cannot be read, each with a description of the damage. */
  damage: Map<number, string>;
  /** The new time columns, which its signals share. */
  pool: TimesPool;
}

/** The remaining work for one signal. */
interface SignalSeal {
  signal: number;
  points: Points;
  /** The blocks around the points. */
  around: BlockEntry[];
  groups: SealGroup[];
  next: number;
}

/** Computes the steps of sealing, over a read-only connection. */
export class Sealer {
  readonly #shared: SharedIndex;
  readonly #snapshot: SnapshotReader;
  readonly #limits: SealLimits;
  /** The points of the current signal. */
  readonly #memory = new PointsMemory();
  #cycle: Cycle | null = null;

  constructor(db: DatabaseSync, limits: SealLimits = sealLimits, shared = new SharedIndex(0, 0)) {
    this.#limits = limits;
    this.#shared = shared;
    this.#snapshot = new SnapshotReader(db, shared);
  }

  /** Checks whether sealing is due; if so, begins a cycle unless it may wait, or resumes an interrupted one. */
  look(isIdle: boolean, mayWait = false): SealLook {
    return this.#inSnapshot(() => {
      const { head } = this.#shared;
      const { sealedSeq, cycleSeq, cycleSignal, step, nextBlock } = this.#snapshot.state;
      const extent = head.extent();
      const isOpen = cycleSeq > sealedSeq;
      const isDue = isOpen || isWorthwhile(extent, isIdle, this.#limits);
      const isWaiting = isDue && !isOpen && mayWait && isShort(extent, this.#limits);
      this.#cycle = null;
      if (isDue && !isWaiting) {
        const wantedSeq = isOpen ? cycleSeq : head.oldestRows(this.#cycleValues(extent));
        const { seq, damage } = this.#loadRows(
          wantedSeq,
          isOpen ? Number.POSITIVE_INFINITY : this.#limits.cycleBytes,
        );
        const signals = head.signalsThrough(seq).filter((signal) => !isOpen || signal > cycleSignal);
        const pool = new TimesPool(frameGroups(head.setsThrough(seq)), this.#limits.sharedTimesMin);
        const doneSignal = isOpen ? cycleSignal : 0;
        this.#cycle = {
          ...{ seq, signals, next: 0, doneSignal, current: null },
          ...{ step, nextBlock, isFinished: false, damage, pool },
        };
      }
      return { isDue, isWaiting, backlogBytes: extent.valueCount * 8 };
    });
  }

  /** The next step of the cycle; null when the cycle is complete, or when the state has changed. */
  step(): SealStep | null {
    const cycle = this.#cycle;
    if (cycle === null || cycle.isFinished) return this.#endCycle();
    return this.#inSnapshot(() => {
      if (this.#snapshot.state.step > cycle.step) return this.#endCycle();
      const made = new ChangeBuilder(cycle.nextBlock, cycle.pool);
      const { stepPoints, stepBytes, stepBlocks } = this.#limits;
      const mayGrow = () =>
        made.pointCount < stepPoints && made.byteCount < stepBytes && made.count < stepBlocks;
      if (cycle.next === 0) for (const what of cycle.damage.values()) made.noteDamage(what);
      while (mayGrow() && this.#advance(cycle, made));
      const changes = made.finish();
      cycle.nextBlock = changes.nextBlock;
      const { doneSignal: cycleSignal, isFinished, seq } = cycle;
      const setAside = isFinished ? this.#setAside(cycle) : [];
      return { ...changes, step: cycle.step++, cycleSeq: seq, cycleSignal, isFinished, setAside };
    });
  }

  /**
   * Loads the rows of a cycle: those up to a number, or to where they have so many bytes. Returns the last one, and those that
   * cannot be read, each with a description of the damage.
   */
  #loadRows(wantedSeq: number, bytesMax: number): { seq: number; damage: Map<number, string> } {
    const { head } = this.#shared;
    const { log } = this.#snapshot;
    const damage = new Map<number, string>();
    let seq = wantedSeq;
    let bytes = 0;
    for (const row of head.rowsThrough(wantedSeq)) {
      row.data = log.loadReadable(row);
      if (row.data === null) damage.set(row.seq, log.damageOf(row.seq)?.message ?? '');
      else bytes += row.data.bytes;
      if (bytes <= bytesMax) continue;
      seq = row.seq;
      break;
    }
    for (const lost of head.unreadable) {
      if (lost <= seq) damage.set(lost, log.damageOf(lost)?.message ?? '');
    }
    return { seq, damage };
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

  /** Processes the next group of a cycle. Returns whether there are more. */
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

  /** Rewrites the next group. When some of its blocks cannot be read, the readable parts replace it in the plan. */
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

  /** Points that stay in the log, with their newest values in this snapshot: their new row will come after those rows. */
  #withNewer(signal: number, points: Points, throughSeq: number): StrandedPoints {
    const { head } = this.#shared;
    const [startUs, endUs] = [points.timesUs[0], points.timesUs[points.timesUs.length - 1] + 1];
    const afterSeq = Math.max(throughSeq, this.#snapshot.coveredSeq(signal));
    const { log } = this.#snapshot;
    const parts = log.readable(head.parts(signal, startUs, endUs, afterSeq));
    const newer = log.read(parts, startUs, endUs);
    const { timesUs, values } = mergeRuns([points, newer]);
    // A copy: the memory of the signal's points is used again for the next one.
    const stranded = { timesUs: timesUs.slice(), values: values.slice() };
    return { signal, points: stranded, throughSeq: head.lastSeq };
  }

  /**
   * The number of values of the next cycle. Each cycle rewrites the last block of each signal, so a signal should contribute
   * several blocks of points; more would not be worth the memory. With many signals each contributes at least
   * `worthwhilePoints`.
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
    const points = log.read(parts, startUs, endUs, this.#memory);
    const nothing = { signal, points, around: [], groups: [], next: 0 };
    if (points.timesUs.length === 0) return nothing;
    try {
      const around = blocksAround(this.#snapshot, signal, points);
      return { ...nothing, around, groups: planGroups(around, points) };
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      // The positions of its blocks are unknown, so all of its points stay in the log.
      made.noteDamage(error.message);
      made.strand(this.#withNewer(signal, points, throughSeq));
      return nothing;
    }
  }
}

/** A time takes about as many bytes in the log as three values: a log of few columns is copied into the file before it is long in values. */
function isShort(extent: HeadExtent, { waitRows, waitValues }: SealLimits): boolean {
  const { rowCount, valueCount, timeCount } = extent;
  return rowCount < waitRows && valueCount + 3 * timeCount < waitValues;
}

function isWorthwhile(extent: HeadExtent, isIdle: boolean, limits: SealLimits): boolean {
  const { rowCount, valueCount, signalCount } = extent;
  if (rowCount >= limits.overdueRows || valueCount >= limits.overdueValues) return true;
  if (isIdle) return rowCount >= limits.idleRows || valueCount >= limits.idleValues;
  if (rowCount < limits.dueRows && valueCount < limits.dueValues) return false;
  return valueCount >= signalCount * limits.worthwhilePoints;
}
