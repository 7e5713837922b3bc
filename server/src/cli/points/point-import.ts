/** Imports single points, whatever file they come from: settles their times, and stores them in batches. */

import type { RejectsFile } from '../csv/rejects.ts';
import { RowSettler, type Settled, type SettleOptions } from '../csv/settle.ts';
import type { RowTime } from '../csv/time-pattern.ts';
import type { ImportTarget, TargetSignal } from '../import-target.ts';
import { PointBatch } from './point-batch.ts';

/** A point as it was read. */
export interface ReadPoint {
  time: RowTime;
  /** Of the signal. */
  key: string;
  value: number;
  /** Where it was read, and what: for the rejects. */
  line: number;
  text: string;
}

type HeldPoint = ReadPoint & { bytes: number };

/** Takes the points of one file. */
export class PointImport {
  readonly #target: ImportTarget;
  readonly #rejects: RejectsFile;
  readonly #settler: RowSettler<HeldPoint>;
  readonly #zone: string;
  readonly #batch = new PointBatch();
  /** Input key → signal. */
  readonly signals = new Map<string, TargetSignal>();
  /** Points stored; all of them are durable. */
  points = 0;

  constructor(target: ImportTarget, rejects: RejectsFile, clock: SettleOptions) {
    this.#target = target;
    this.#rejects = rejects;
    this.#settler = new RowSettler(clock);
    this.#zone = clock.zone;
  }

  /** How times were read that the user may not expect, one sentence each. */
  notes(): string[] {
    const { resolvedByOrder } = this.#settler;
    if (resolvedByOrder === 0) return [];
    return [
      `${resolvedByOrder} points are in an hour that occurs twice in ${this.#zone}; their order shows which one is meant`,
    ];
  }

  /** Takes a point; a promise when there is something to wait for. */
  add(point: ReadPoint): Promise<void> | null {
    const settled = this.#settler.add({ ...point, bytes: 200 + 2 * point.text.length });
    const [first] = settled;
    if (first === undefined) return null;
    if (settled.length > 1 || 'reason' in first) return this.#take(settled);
    return this.#put(first) ? this.flush() : null;
  }

  /** Lists a line that cannot be read. */
  reject(line: number, reason: string, text: string): Promise<void> {
    return this.#rejects.add({ line, reason, fields: [text.slice(0, 1000)] }, true);
  }

  /** Lists a value that is left out of a line of which others are stored. */
  rejectValue(line: number, reason: string, text: string): Promise<void> {
    return this.#rejects.add({ line, reason, fields: [text.slice(0, 1000)] }, false);
  }

  /** Stores everything that has been taken. */
  async end(): Promise<void> {
    await this.#take(this.#settler.end());
    await this.flush();
  }

  /** Stores what has been collected so far. */
  async flush(): Promise<void> {
    const { count } = this.#batch;
    for (const frame of this.#batch.take()) this.note(await this.#target.insertFrame(frame));
    this.points += count;
  }

  /** Notes signals that were saved. */
  note(saved: ReadonlyMap<string, TargetSignal>): void {
    for (const [key, { id, created }] of saved)
      this.signals.set(key, { id, created: created || this.signals.get(key)?.created === true });
  }

  /** Whether the batch is full now. */
  #put({ row, us }: { row: HeldPoint; us: number }): boolean {
    return this.#batch.add(row.key, us, row.value);
  }

  async #take(settled: readonly Settled<HeldPoint>[]): Promise<void> {
    for (const one of settled) {
      if ('reason' in one) await this.reject(one.row.line, `the time ${one.reason}`, one.row.text);
      else if (this.#put(one)) await this.flush();
    }
  }
}
