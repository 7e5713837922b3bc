/** `tidemark import parquet`: Parquet files become signals, items and points; those that an export has written, as they were. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { instantUsMax } from '#model/instant';
import { ByteSource } from './csv/source.ts';
import type { RowTime } from './csv/time-pattern.ts';
import type { PointsImport, PointsSummary } from './import-json-lines.ts';
import { DescribedSignals } from './points/described-signals.ts';
import { readJsonLine } from './points/json-lines.ts';
import { ParquetFile, type ParquetPart } from './points/parquet-file.ts';
import { type ParquetLayout, readParquetLayout } from './points/parquet-layout.ts';
import { PointImport } from './points/point-import.ts';
import { TimeTexts } from './points/time-texts.ts';

/** Options of an import. */
export interface ParquetImport extends PointsImport {
  /** The column of the times; null: detect it. */
  time: string | null;
}

/** Reads the whole file, a group of rows at a time. What was stored before an error stays; importing again completes it. */
export async function importParquet(work: ParquetImport): Promise<PointsSummary> {
  await using plain = await plainFile(work.path);
  await using file = await ParquetFile.open(plain.path);
  return await new ParquetRun(work, file).all();
}

/** The end of a file is read first, so what comes from a pipe or is compressed is written to a temporary file. */
async function plainFile(path: string): Promise<AsyncDisposable & { path: string }> {
  if (path !== '-' && (await isParquet(path))) return { path, [Symbol.asyncDispose]: async () => {} };
  using source = await ByteSource.open(path);
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-import-'));
  const copy = join(directory, 'file.parquet');
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await pipeline(Readable.from(source.chunks()), createWriteStream(copy));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: copy, [Symbol.asyncDispose]: remove };
}

async function isParquet(path: string): Promise<boolean> {
  (await ByteSource.open(path))[Symbol.dispose]();
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(() => file.close());
  return buffer.toString('latin1') === 'PAR1';
}

/** One pass over the rows of a file. */
class ParquetRun {
  readonly #work: ParquetImport;
  readonly #file: ParquetFile;
  readonly #points: PointImport;
  readonly #described: DescribedSignals;
  readonly #layout: ParquetLayout;
  readonly #times: TimeTexts;

  constructor(work: ParquetImport, file: ParquetFile) {
    this.#work = work;
    this.#file = file;
    this.#points = new PointImport(work.target, work.rejects, work.clock);
    this.#described = new DescribedSignals(work, this.#points);
    this.#times = new TimeTexts(work.timeForm);
    const keyOf = (name: string) => this.#described.keyOf(name);
    this.#layout = readParquetLayout(file.columns, { time: work.time, keyOf });
  }

  async all(): Promise<PointsSummary> {
    const { progress, rejects } = this.#work;
    for await (const part of this.#file.parts(this.#columns())) {
      await (this.#layout.long === null ? this.#takeWide(part) : this.#takeLong(part, this.#layout.long));
      progress.show((part.firstRow + part.rowCount) / this.#file.rowCount, this.#points.points);
    }
    await this.#described.flush();
    await this.#points.end();
    await rejects.removeStale();
    const { points, signals } = this.#points;
    const counts = { rejected: rejects.rows, rejectedFields: rejects.count - rejects.rows };
    const notes = [...this.#layout.notes, ...this.#points.notes(), ...this.#described.notes()];
    return { points, ...counts, rejectsPath: rejects.path, signals, notes };
  }

  #columns(): string[] {
    const { time, long, series } = this.#layout;
    if (long === null) return [time.name, ...series.map(({ name }) => name)];
    const { name, value, description } = long;
    return [time.name, name, value, ...(description === null ? [] : [description])];
  }

  async #takeLong(
    { firstRow, rowCount, values }: ParquetPart,
    { name, value, description }: NonNullable<ParquetLayout['long']>,
  ): Promise<void> {
    const [times, names, numbers] = [this.#layout.time.name, name, value].map((one) => valuesOf(values, one));
    const descriptions = description === null ? [] : valuesOf(values, description);
    for (let i = 0; i < rowCount; i++) {
      const row = firstRow + i;
      const described = descriptions[i];
      if (typeof described === 'string') await this.#describe(row, described);
      else {
        if (this.#described.isWaiting) await this.#described.flush();
        const added = this.#takePoint(row, times[i], names[i], numbers[i]);
        if (added !== null) await added;
      }
    }
  }

  async #describe(row: number, text: string): Promise<void> {
    const read = readJsonLine(text);
    if (typeof read !== 'string' && read.kind === 'signal') return this.#described.add(read.signal);
    if (typeof read !== 'string' && read.kind === 'calculation')
      return this.#described.addCalculation(row, read.item, text);
    const reason = typeof read === 'string' ? read : 'does not describe a signal';
    return this.#points.reject(row, `the description ${reason}`, text);
  }

  #takePoint(line: number, timeValue: unknown, name: unknown, cell: unknown): Promise<void> | null {
    const value = numberOf(cell);
    if (value === null) return null;
    const time = this.#timeOf(timeValue);
    const key = typeof name === 'string' && name !== '' ? this.#described.keyOf(name) : '';
    if (key === null) return null;
    const text = `${String(timeValue)} ${String(name)} ${String(cell)}`;
    if (key === '') return this.#points.reject(line, 'has no name of a signal', text);
    if (time === null) return this.#points.reject(line, noTime(timeValue), text);
    if (typeof value === 'string') return this.#points.reject(line, value, text);
    return this.#points.add({ time, key, value, line, text });
  }

  async #takeWide({ firstRow, rowCount, values }: ParquetPart): Promise<void> {
    const { time, series } = this.#layout;
    const times = valuesOf(values, time.name);
    const columns = series.map(({ name }) => valuesOf(values, name));
    for (let i = 0; i < rowCount; i++) {
      const at = this.#timeOf(times[i]);
      if (at === null) await this.#points.reject(firstRow + i, noTime(times[i]), String(times[i]));
      else {
        const added = this.#addRow(firstRow + i, at, i, columns);
        if (added !== null) await added;
      }
    }
  }

  /** A promise when there is something to wait for. */
  #addRow(
    line: number,
    time: RowTime,
    i: number,
    columns: readonly ArrayLike<unknown>[],
  ): Promise<void> | null {
    const { series } = this.#layout;
    let waiting: Promise<void> | null = null;
    for (let c = 0; c < series.length; c++) {
      const value = numberOf(columns[c][i]);
      if (value === null) continue;
      const { key, name } = series[c];
      const added = () =>
        typeof value === 'string'
          ? this.#points.rejectValue(line, `column ${JSON.stringify(name)} ${value}`, String(columns[c][i]))
          : this.#points.add({ time, key, value, line, text: '' });
      if (waiting !== null) waiting = waiting.then(() => added() ?? undefined);
      else waiting = added();
    }
    return waiting;
  }

  #timeOf(value: unknown): RowTime | null {
    if (value === null || value === undefined) return null;
    const { kind } = this.#layout.time;
    if (kind === 'number' || kind === 'text') return this.#times.read(String(value));
    const us = Number(value);
    return Math.abs(us) <= instantUsMax ? { us, isLocal: kind === 'local-time' } : null;
  }
}

function valuesOf(values: ParquetPart['values'], name: string): ArrayLike<unknown> {
  return values.get(name) ?? [];
}

function noTime(value: unknown): string {
  return value === null || value === undefined
    ? 'has no time'
    : `${JSON.stringify(String(value))} is not a time`;
}

/** A value; null: there is none. A text says why it cannot be stored. */
function numberOf(cell: unknown): number | string | null {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
  if (typeof cell === 'boolean') return Number(cell);
  if (typeof cell === 'bigint') return exactNumber(cell);
  if (typeof cell !== 'number') return `has ${JSON.stringify(String(cell))}, which is not a number`;
  return Number.isFinite(cell) ? cell : `has the value ${cell}; only finite numbers are stored`;
}

function exactNumber(cell: bigint): number | string {
  const value = Number(cell);
  return Math.abs(value) <= 2 ** 53 ? value : `has the integer ${cell}; integers are exact up to 2^53`;
}
