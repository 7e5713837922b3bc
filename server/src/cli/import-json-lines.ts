/** `tidemark import jsonl`: JSON lines become signals, items and points; the lines that an export has written, as they were. */
import { defaultKey } from './csv/layout.ts';
import type { RejectsFile } from './csv/rejects.ts';
import { findTimeForm, type TimeForm, textForm } from './csv/row-time.ts';
import type { SettleOptions } from './csv/settle.ts';
import { ByteSource } from './csv/source.ts';
import type { ImportTarget, TargetSignal } from './import-target.ts';
import { type DescribedSignal, readJsonLine } from './points/json-lines.ts';
import { readLines } from './points/lines.ts';
import { PointImport, type ReadPoint } from './points/point-import.ts';
import type { Progress } from './progress.ts';
import { UsageError } from './usage.ts';

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
  rejectsPath: string;
  /** Input key → signal. */
  signals: ReadonlyMap<string, TargetSignal>;
  notes: string[];
}

/** Signals that are described to the target together. */
const describedMax = 200;

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importJsonLines(work: PointsImport): Promise<PointsSummary> {
  const source = await ByteSource.open(work.path);
  try {
    return await new JsonLinesRun(work, source).all();
  } finally {
    source.close();
    await work.rejects.close();
    work.progress.end();
  }
}

/** One pass over the lines of a file. */
class JsonLinesRun {
  readonly #work: PointsImport;
  readonly #source: ByteSource;
  readonly #points: PointImport;
  /** Signal ID → input key; null: the signal is of another integration. */
  readonly #keys = new Map<string, string | null>();
  #described: DescribedSignal[] = [];
  #integration: string | null = null;
  #isCut = false;
  #timeForm: TimeForm | null;

  constructor(work: PointsImport, source: ByteSource) {
    this.#work = work;
    this.#source = source;
    this.#points = new PointImport(work.target, work.rejects, work.clock);
    this.#timeForm = work.timeForm;
  }

  async all(): Promise<PointsSummary> {
    const { progress, rejects } = this.#work;
    for await (const { number, text } of readLines(this.#source)) {
      const taken = this.#take(number, text);
      if (taken !== null) await taken;
      const { bytesRead, bytesTotal } = this.#source;
      progress.show(bytesTotal ? bytesRead / bytesTotal : null, this.#points.points);
    }
    await this.#describe();
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
    if (read.kind === 'signal') return this.#takeSignal(read.signal);
    return this.#described.length > 0
      ? this.#describe().then(async () => void (await this.#takePoints(line, text, read)))
      : this.#takePoints(line, text, read);
  }

  async #takeSignal(signal: DescribedSignal): Promise<void> {
    const { from } = this.#work;
    const isOther = from !== null && signal.integration !== from;
    this.#keys.set(signal.id, isOther ? null : signal.input);
    if (isOther) return;
    this.#integration ??= signal.integration;
    if (signal.integration !== this.#integration) {
      throw new UsageError(
        `the file has signals of several integrations, such as ${this.#integration} and ${signal.integration}; import one after the other, each with --from ID and the credentials of its new integration`,
      );
    }
    this.#described.push(signal);
    if (this.#described.length >= describedMax) await this.#describe();
  }

  async #describe(): Promise<void> {
    const signals = this.#described;
    this.#described = [];
    if (signals.length > 0) this.#points.note(await this.#work.target.describe(signals));
  }

  #takePoints(
    line: number,
    text: string,
    read: { time: string; values: [string, number][] },
  ): Promise<void> | null {
    const time = this.#readTime(read.time);
    if (time === null) return this.#points.reject(line, `${JSON.stringify(read.time)} is not a time`, text);
    const points = read.values.flatMap(([name, value]) => {
      const key = this.#keyOf(name);
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

  #keyOf(name: string): string | null {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { map, prefix } = this.#work;
    const mapped = map.get(name);
    const key = mapped === '' ? null : (mapped ?? defaultKey(name, prefix));
    this.#keys.set(name, key);
    return key;
  }

  #readTime(text: string) {
    const read = this.#timeForm?.read(text) ?? null;
    if (read !== null || this.#work.timeForm !== null) return read;
    const found = findTimeForm([text]);
    if (found === null || typeof found === 'string') return textForm.read(text);
    this.#timeForm ??= found;
    return found.read(text);
  }

  #notes(): string[] {
    const notes: string[] = [];
    const { resolvedByOrder } = this.#points;
    if (resolvedByOrder > 0)
      notes.push(
        `${resolvedByOrder} points are in an hour that occurs twice in ${this.#work.clock.zone}; their order shows which one is meant`,
      );
    if (this.#isCut) notes.push('the file is a part of an export, which goes on after it');
    return notes;
  }
}
