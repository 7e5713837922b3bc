/** `tidemark import csv`: a CSV file becomes signals and points. */
import { Batcher, type RowBatch, rowsPerBatch } from './csv/batches.ts';
import { type Layout, type LayoutWishes, readLayout } from './csv/layout.ts';
import type { CsvReader, CsvRow } from './csv/reader.ts';
import type { RejectsFile } from './csv/rejects.ts';
import { type RowReading, readRow } from './csv/row.ts';
import type { Localize } from './csv/row-time.ts';
import { findSeparator } from './csv/separator.ts';
import type { ImportTarget, TargetSignal } from './import-target.ts';
import type { Progress } from './progress.ts';
import { CommandError } from './usage.ts';

/** What to import, how, and where to. */
export interface CsvImport {
  reader: CsvReader;
  target: ImportTarget;
  wishes: LayoutWishes;
  /** Null: find it. */
  separator: string | null;
  decimal: '.' | ',';
  localize: Localize;
  bodyBytesMax: number;
  /** Makes the file for the rows that are left out. */
  openRejects(titles: readonly string[]): RejectsFile;
  progress: Progress;
}

/** What became of the file. */
export interface ImportSummary {
  /** Rows stored; all of them are durable. */
  rows: number;
  rejected: number;
  /** Lists the rejected rows; there is no such file when there are none. */
  rejectsPath: string;
  /** Input key → signal. */
  signals: Map<string, TargetSignal>;
  separator: string;
  layout: Layout;
}

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importCsv(work: CsvImport): Promise<ImportSummary> {
  const separator = work.separator ?? findSeparator(work.reader.headText());
  const [titles = [], ...rows] = work.reader.headRows(separator);
  if (titles.length === 0) throw new CommandError('the file is empty');
  const layout = readLayout(
    titles.map((title) => title.trim()),
    rows,
    work.wishes,
  );
  const rejects = work.openRejects(titles);
  try {
    const signals = await nameSignals(work.target, layout);
    const stored = await importRows(work, { layout, separator, rejects, signals });
    return { rows: stored, rejected: rejects.count, rejectsPath: rejects.path, signals, separator, layout };
  } finally {
    await rejects.close();
    work.progress.end();
  }
}

/** A column whose title cannot be an input key lives on as the signal's name. */
async function nameSignals(target: ImportTarget, layout: Layout): Promise<Map<string, TargetSignal>> {
  const names = layout.series
    .filter(({ title, key }) => title !== key && title.length <= 128)
    .map(({ title, key }) => [key, title] as const);
  return names.length === 0 ? new Map() : target.name(new Map(names));
}

interface RowWork {
  layout: Layout;
  separator: string;
  rejects: RejectsFile;
  /** Filled on the way. */
  signals: Map<string, TargetSignal>;
}

async function importRows(
  work: CsvImport,
  { layout, separator, rejects, signals }: RowWork,
): Promise<number> {
  const reading: RowReading = { layout, localize: work.localize, decimal: work.decimal };
  const batcher = new Batcher(layout.series, rowsPerBatch(layout.series.length, work.bodyBytesMax));
  let stored = 0;
  async function store(batch: RowBatch): Promise<void> {
    for (const [key, signal] of await work.target.insert(batch)) {
      signals.set(key, { id: signal.id, created: signal.created || signals.get(key)?.created === true });
    }
    stored += batch.rows;
  }
  for await (const { line, fields } of belowTitles(work.reader.rows(separator))) {
    const row = readRow(fields, reading);
    if (typeof row === 'string') await rejects.add({ line, reason: row, fields });
    else {
      const batch = batcher.add(row);
      if (batch !== null) await store(batch);
    }
    work.progress.show(partOf(work.reader), stored);
  }
  const rest = batcher.take();
  if (rest !== null) await store(rest);
  return stored;
}

async function* belowTitles(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow> {
  let isTitles = true;
  for await (const row of rows) {
    if (!isTitles) yield row;
    isTitles = false;
  }
}

function partOf({ bytesRead, bytesTotal }: CsvReader): number | null {
  return bytesTotal === null || bytesTotal === 0 ? null : bytesRead / bytesTotal;
}
