/** Reads sources: the log and the blocks of their signals as one series, in one read transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { type Rollup, rollUp } from '#model/rollup';
import type { RollupRequest, RollupSource, ScanRequest, ScanSource } from '../store.ts';
import { LogReader, type Point } from './log-reader.ts';
import { mergeRuns, noPoints } from './runs.ts';

/** How far sealing had come in the state that a transaction sees. */
interface SealState {
  step: number;
  sealedSeq: number;
  cycleSeq: number;
  cycleSignal: number;
}

/** Points of signals, in snapshots. */
export class SeriesReader {
  readonly #db: DatabaseSync;
  readonly #log: LogReader;
  readonly #selectState: StatementSync;
  readonly #selectDeleted: StatementSync;
  #state: SealState = { step: -1, sealedSeq: 0, cycleSeq: 0, cycleSignal: 0 };
  #deleted = new Map<number, number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#log = new LogReader(db);
    this.#selectState = db.prepare(
      `select step, sealed_seq as sealedSeq, cycle_seq as cycleSeq, cycle_signal as cycleSignal from series_state`,
    );
    this.#selectDeleted = db.prepare('select signal, through_seq from series_deleted');
    this.#selectDeleted.setReturnArrays(true);
  }

  /** Answers a scan out of one committed state. */
  scan(request: ScanRequest): Points[] {
    return this.#snapshot(() => request.sources.map((source) => this.#scanSource(source)));
  }

  /** Answers a rollup out of one committed state. */
  rollup(request: RollupRequest): Rollup[] {
    return this.#snapshot(() => request.sources.map((source) => this.#rollupSource(source, request)));
  }

  #snapshot<T>(read: () => T): T {
    this.#db.exec('begin');
    try {
      this.#follow();
      return read();
    } finally {
      this.#db.exec('commit');
    }
  }

  #follow(): void {
    const state = this.#selectState.get() as unknown as SealState;
    if (state.step !== this.#state.step) {
      this.#deleted = new Map(this.#selectDeleted.all() as unknown as [number, number][]);
    }
    this.#state = state;
    this.#log.follow(state.sealedSeq);
  }

  #rollupSource(source: RollupSource, { buckets, nowUs, valuesMax }: RollupRequest): Rollup {
    const { signals, window } = source;
    const points = this.#scanSource({ signals, window, before: source.states.length > 0, after: false });
    return rollUp(points, source, buckets, nowUs, valuesMax);
  }

  /** The row of the log up to which a signal's points are in blocks, or deleted. */
  #coveredSeq(signal: number): number {
    const { sealedSeq, cycleSeq, cycleSignal } = this.#state;
    return Math.max(signal <= cycleSignal ? cycleSeq : sealedSeq, this.#deleted.get(signal) ?? 0);
  }

  #scanSource(source: ScanSource): Points {
    const { startUs } = source.window;
    const endUs = Math.max(startUs, source.window.endUs);
    const runs = source.signals.map((signal) =>
      mergeRuns(this.#log.runs(signal, this.#coveredSeq(signal), startUs, endUs)),
    );
    const edges = (wanted: boolean, read: (signal: number) => Point | null) =>
      wanted ? source.signals.map(read) : [];
    const before = edges(source.before, (signal) =>
      this.#log.before(signal, this.#coveredSeq(signal), startUs),
    );
    const after = edges(source.after, (signal) => this.#log.after(signal, this.#coveredSeq(signal), endUs));
    return mergeRuns([pick(before, -1), mergeRuns(runs), pick(after, 1)]);
  }
}

/** The one edge point of a source: the nearest; of equal times that of the signal listed last. */
function pick(points: readonly (Point | null)[], sign: 1 | -1): Points {
  let best: Point | null = null;
  for (const point of points) {
    if (point === null) continue;
    if (best === null || (point.timeUs - best.timeUs) * sign <= 0) best = point;
  }
  if (best === null) return noPoints;
  return { timesUs: Float64Array.of(best.timeUs), values: Float64Array.of(best.value) };
}
