/** `tidemark import jsonl`: JSON lines become signals, items and points; the lines that an export has written, as they were. */
import type { RejectsFile } from './csv/rejects.ts';
import type { TimeForm } from './csv/row-time.ts';
import type { SettleOptions } from './csv/settle.ts';
import { ByteSource } from './csv/source.ts';
import type { ImportTarget, TargetSignal } from './import-target.ts';
import { DescribedSignals } from './points/described-signals.ts';
import { readJsonLine } from './points/json-lines.ts';
import { readLines } from './points/lines.ts';
import { PointImport, type ReadPoint } from './points/point-import.ts';
import { TimeTexts } from './points/time-texts.ts';
import type { Progress } from './progress.ts';

/** Options of an import. */
export interface PointsImport {
  path: string;
  target: ImportTarget;
  /** Null: RFC 3339, and numbers by their size. */
  timeForm: TimeForm | null;
  clock: SettleOptions;
  /** Before every input key. */
  prefix: string;
  /** Name in the file → input key, empty to leave it out. */
  map: ReadonlyMap<string, string>;
  /** Of files with the signals of several integrations: which one is imported. */
  from: string | null;
  rejects: RejectsFile;
  progress: Progress;
}

/** The result of an import. */
export interface PointsSummary {
  /** Points stored; all of them are durable. */
  points: number;
  /** Lines of which nothing was stored. */
  rejected: number;
  /** Fields that were left out of lines of which others are stored. */
  rejectedFields?: number;
  rejectsPath: string;
  /** Input key → signal. */
  signals: ReadonlyMap<string, TargetSignal>;
  notes: string[];
}

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importJsonLines(work: PointsImport): Promise<PointsSummary> {
  using source = await ByteSource.open(work.path);
  return await new JsonLinesRun(work, source).all();
}

/** One pass over the lines of a file. */
class JsonLinesRun {
  readonly #work: PointsImport;
  readonly #source: ByteSource;
  readonly #points: PointImport;
  readonly #described: DescribedSignals;
  #isCut = false;
  readonly #times: TimeTexts;

  constructor(work: PointsImport, source: ByteSource) {
    this.#work = work;
    this.#source = source;
    this.#points = new PointImport(work.target, work.rejects, work.clock);
    this.#described = new DescribedSignals(work, this.#points);
    this.#times = new TimeTexts(work.timeForm);
  }

  async all(): Promise<PointsSummary> {
    const { progress, rejects } = this.#work;
    for await (const { number, text } of readLines(this.#source)) {
      const taken = this.#take(number, text);
      if (taken !== null) await taken;
      const { bytesRead, bytesTotal } = this.#source;
      progress.show(bytesTotal ? bytesRead / bytesTotal : null, this.#points.points);
    }
    await this.#described.flush();
    await this.#points.end();
    await rejects.removeStale();
    const { points, signals } = this.#points;
    return { points, rejected: rejects.rows, rejectsPath: rejects.path, signals, notes: this.#notes() };
  }

  #take(line: number, text: string): Promise<void> | null {
    const read = readJsonLine(text);
    if (typeof read === 'string') return this.#points.reject(line, read, text);
    this.#isCut = read.kind === 'next';
    if (read.kind === 'next') return null;
    if (read.kind === 'signal') return this.#described.add(read.signal);
    if (read.kind === 'calculation') return this.#described.addCalculation(line, read.item, text);
    return this.#described.isWaiting
      ? this.#described.flush().then(async () => void (await this.#takePoints(line, text, read)))
      : this.#takePoints(line, text, read);
  }

  #takePoints(
    line: number,
    text: string,
    read: { time: string; values: [string, number][] },
  ): Promise<void> | null {
    const time = this.#times.read(read.time);
    if (time === null) return this.#points.reject(line, `${JSON.stringify(read.time)} is not a time`, text);
    const points = read.values.flatMap(([name, value]) => {
      const key = this.#described.keyOf(name);
      return key === null ? [] : [{ time, key, value, line, text }];
    });
    return points.length === 1 ? this.#points.add(points[0]) : this.#addAll(points);
  }

  async #addAll(points: readonly ReadPoint[]): Promise<void> {
    for (const point of points) {
      const added = this.#points.add(point);
      if (added !== null) await added;
    }
  }

  #notes(): string[] {
    const notes = [...this.#points.notes(), ...this.#described.notes()];
    return this.#isCut ? [...notes, 'the file is an incomplete export'] : notes;
  }
}
