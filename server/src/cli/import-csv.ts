/** `tidemark import csv`: a CSV file becomes signals and points. */
import { Batcher, type RowBatch, rowsPerBatch } from './csv/batches.ts';
import { type CellReading, findDecimal } from './csv/cell.ts';
import { isTitleRow, type Layout, type LayoutOptions, readLayout, type SeriesColumn } from './csv/layout.ts';
import type { CsvRow } from './csv/plain-rows.ts';
import type { CsvReader } from './csv/reader.ts';
import type { RejectsFile } from './csv/rejects.ts';
import { cellReasons, type ReadRow, readRow } from './csv/row.ts';
import { findSeparator } from './csv/separator.ts';
import { RowSettler, type Settled, type SettleOptions, type TimedRow } from './csv/settle.ts';
import { declareStates, findStates, type StateOptions } from './import-states.ts';
import type { ImportTarget, TargetSignal } from './import-target.ts';
import type { Progress } from './progress.ts';
import { CommandError, UsageError } from './usage.ts';

/** Options of an import. */
export interface CsvImport {
  reader: CsvReader;
  target: ImportTarget;
  layout: LayoutOptions;
  states: StateOptions;
  /** Null: detect it. */
  separator: string | null;
  /** Null: detect it. */
  decimal: '.' | ',' | null;
  nullWords: CellReading['nullWords'];
  clock: SettleOptions;
  bodyBytesMax: number;
  /** Makes the file for what is left out. */
  openRejects(titles: readonly string[]): RejectsFile;
  progress: Progress;
}

/** The result of an import. */
export interface ImportSummary {
  /** Rows stored; all of them are durable. */
  rows: number;
  /** Rows of which nothing was stored. */
  rejected: number;
  /** Title → cells of stored rows that were left out. */
  rejectedCells: Map<string, number>;
  /** Lists what was left out; the file does not exist if nothing was. */
  rejectsPath: string;
  /** Input key → signal. */
  signals: Map<string, TargetSignal>;
  separator: string;
  layout: Layout;
  /** Detected properties of the file that the user may not expect, one sentence each. */
  notes: string[];
}

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importCsv(work: CsvImport): Promise<ImportSummary> {
  const head = readHead(work);
  const layout = readLayout(head.titles, head.rows, work.layout);
  const decimal = work.decimal ?? decimalOf(head, layout);
  await using rejects = work.openRejects(head.titles);
  const signals = await nameSignals(work.target, layout);
  await findStates(work.target, layout, head.rows, work.states, { decimal, nullWords: work.nullWords });
  const run = new ImportRun(work, { ...head, layout, decimal, rejects, signals });
  await run.all().finally(() => run.settle());
  const notes = [...head.notes, ...layout.notes, ...run.notes(work.decimal === null && decimal === ',')];
  const { rows, rejectedCells } = run;
  const counts = { rows, rejected: rejects.rows, rejectedCells, rejectsPath: rejects.path };
  await rejects.removeStale();
  return { ...counts, signals, separator: head.separator, layout, notes };
}

interface Head {
  separator: string;
  titles: string[];
  rows: string[][];
  /** Whether the first row has the titles; else they are in a comment before it. */
  hasTitleRow: boolean;
  notes: string[];
}

function readHead({ reader, ...work }: CsvImport): Head {
  const separator = work.separator ?? reader.preamble.separator ?? findSeparator(reader.headText());
  const rows = reader.headRows(separator);
  if (rows.length === 0) throw new CommandError('the file is empty');
  const commented = reader.preamble.lastComment?.split(separator) ?? [];
  const hasTitleRow = isTitleRow(rows[0]) || commented.length !== rows[0].length;
  const titles = (hasTitleRow ? rows[0] : commented).map((title) => title.trim());
  const notes = hasTitleRow ? [] : ['the names of the columns are read from the comment above the first row'];
  return { separator, titles, rows: hasTitleRow ? rows.slice(1) : rows, hasTitleRow, notes };
}

function decimalOf({ rows }: Head, { series }: Layout): '.' | ',' {
  const decimal = findDecimal(cellsOf(rows, series));
  if (decimal !== null) return decimal;
  throw new UsageError(
    'numbers such as 1,234 may have a decimal comma or a comma between thousands; use --decimal "," or "."',
  );
}

function* cellsOf(rows: readonly (readonly string[])[], series: readonly SeriesColumn[]): Generator<string> {
  for (const row of rows) for (const { index } of series) yield row[index] ?? '';
}

/** Where a title cannot be an input key, it becomes the name of the signal. */
async function nameSignals(target: ImportTarget, layout: Layout): Promise<Map<string, TargetSignal>> {
  const names = layout.series
    .filter(({ title, key }) => title !== key && title.length <= 128)
    .map(({ title, key }) => [key, { name: title }] as const);
  return names.length === 0 ? new Map() : target.create(new Map(names));
}

interface RunParts extends Head {
  layout: Layout;
  decimal: '.' | ',';
  rejects: RejectsFile;
  /** Filled during the run. */
  signals: Map<string, TargetSignal>;
}

interface FileRow extends ReadRow, TimedRow, CsvRow {}

/** One pass over the rows of a file. */
class ImportRun {
  readonly #work: CsvImport;
  readonly #parts: RunParts;
  readonly #batcher: Batcher;
  readonly #settler: RowSettler<FileRow>;
  #storing: Promise<void> = Promise.resolve();
  rows = 0;
  rejectedCells = new Map<string, number>();

  constructor(work: CsvImport, parts: RunParts) {
    const { series } = parts.layout;
    this.#work = work;
    this.#parts = parts;
    this.#batcher = new Batcher(series, rowsPerBatch(series.length, work.bodyBytesMax));
    this.#settler = new RowSettler(work.clock);
  }

  async all(): Promise<void> {
    const { reader, progress } = this.#work;
    let skip = this.#parts.hasTitleRow;
    for await (const rows of reader.rows(this.#parts.separator)) {
      for (const row of rows) {
        const taking = skip ? null : this.#take(row);
        skip = false;
        if (taking !== null) await taking;
      }
      progress.show(reader.part, this.rows);
    }
    await this.#putAll(this.#settler.end());
    await this.#store(this.#batcher.take());
    await this.#storing;
  }

  /** Waits for the insert that is under way, whatever becomes of it. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#storing]);
  }

  notes(foundDecimal: boolean): string[] {
    const { encoding } = this.#work.reader;
    const notes: string[] = [];
    if (encoding !== null && encoding !== 'utf-8') notes.push(`the file is read as ${encoding} text`);
    if (foundDecimal) notes.push('numbers are read with a decimal comma');
    const { resolvedByOrder } = this.#settler;
    if (resolvedByOrder > 0) {
      notes.push(
        `${resolvedByOrder} rows are in an hour that occurs twice in ${this.#work.clock.zone}; their order shows which one is meant`,
      );
    }
    if (this.#parts.rows.length === 0) notes.push('the file has names of columns, but no rows');
    return notes;
  }

  /** Takes a row; null when there is nothing to wait for, as with most. */
  #take(row: CsvRow): Promise<void> | null {
    const { layout, decimal, rejects } = this.#parts;
    const read = readRow(row.fields, { layout, decimal, nullWords: this.#work.nullWords });
    if (typeof read === 'string') return rejects.add({ ...row, reason: read }, true);
    const bytes = 200 + 16 * read.values.length + 2 * row.fields.reduce((sum, { length }) => sum + length, 0);
    const settled = this.#settler.add({ ...row, ...read, bytes });
    return settled.length === 1 ? this.#put(settled[0]) : this.#putAll(settled);
  }

  async #putAll(all: readonly Settled<FileRow>[]): Promise<void> {
    for (const settled of all) await this.#put(settled);
  }

  #put(settled: Settled<FileRow>): Promise<void> | null {
    if ('reason' in settled || settled.row.rejected.length > 0) return this.#putPart(settled);
    return this.#add(settled.us, settled.row);
  }

  /** Puts what is not rejected of a row. */
  async #putPart(settled: Settled<FileRow>): Promise<void> {
    const { layout, rejects } = this.#parts;
    const { line, fields, values, rejected } = settled.row;
    if ('reason' in settled) {
      const reason = `${layout.time.title}: the time of this row ${settled.reason}`;
      return rejects.add({ line, fields, reason }, true);
    }
    const isLost = values.every((value) => value === null);
    await rejects.add({ line, fields, reason: cellReasons(fields, rejected) }, isLost);
    if (isLost) return;
    for (const { title } of rejected) this.rejectedCells.set(title, (this.rejectedCells.get(title) ?? 0) + 1);
    await this.#add(settled.us, settled.row);
  }

  #add(timeUs: number, { values }: FileRow): Promise<void> | null {
    const batch = this.#batcher.add({ timeUs, values });
    return batch === null ? null : this.#store(batch);
  }

  /** Begins to store a batch, when the one before is stored: meanwhile the next rows are read. */
  async #store(batch: RowBatch | null): Promise<void> {
    if (batch === null) return;
    await this.#storing;
    this.#note(await declareStates(this.#work.target, this.#parts.layout.series));
    this.#storing = this.#insert(batch);
    this.#storing.catch(() => {}); // It is reported where it is waited for.
  }

  async #insert({ frame, rows }: RowBatch): Promise<void> {
    this.#note(await this.#work.target.insertFrame(frame));
    this.rows += rows;
  }

  #note(saved: ReadonlyMap<string, TargetSignal>): void {
    const { signals } = this.#parts;
    for (const [key, { id, created }] of saved) {
      signals.set(key, { id, created: created || signals.get(key)?.created === true });
    }
  }
}
