/** What imports report of each file. */
import { counted } from '#model/text';
import type { Call } from './command.ts';
import type { ImportSummary } from './import-csv.ts';
import type { PointsSummary } from './import-json-lines.ts';
import type { TargetSignal } from './import-target.ts';
import type { Progress } from './progress.ts';

/** What is reported of an imported file. */
export interface Imported {
  isComplete: boolean;
  json: object;
  /** `3 rows of 2 signals (1 new)`. */
  counts: string;
  notes: readonly string[];
}

function isComplete({ rejected, rejectedCells }: ImportSummary): boolean {
  return rejected === 0 && rejectedCells.size === 0;
}

/** Reports an import of points. */
export function pointsReport(path: string, summary: PointsSummary): Imported {
  const { points, rejected, rejectedFields = 0, rejectsPath, signals, notes } = summary;
  const leftOut = [counted(rejected, 'line'), counted(rejectedFields, 'value')].filter(
    (text) => !text.startsWith('0 '),
  );
  const isComplete = leftOut.length === 0;
  const rejects = isComplete ? null : rejectsPath;
  return {
    isComplete,
    json: {
      ...{ file: path, points, rejected, rejectedFields, rejects, notes },
      signals: Object.fromEntries(signals),
    },
    counts: `${counted(points, 'point')} of ${counted(signals.size, 'signal')} (${countNew(signals)} new)`,
    notes: isComplete ? notes : [...notes, `left out ${leftOut.join(' and ')}, listed in ${rejectsPath}`],
  };
}

/** Reports an import of a table. */
export function tableReport(path: string, summary: ImportSummary): Imported {
  const { rows, rejected, rejectedCells, rejectsPath, signals, separator, layout, notes } = summary;
  const json = {
    file: path,
    rows,
    rejected,
    rejectedCells: Object.fromEntries(rejectedCells),
    rejects: isComplete(summary) ? null : rejectsPath,
    separator,
    time: { column: layout.time.title, form: layout.time.form.name },
    notes,
    signals: Object.fromEntries(signals),
  };
  const counts = `${counted(rows, 'row')} of ${counted(layout.series.length, 'signal')} (${countNew(signals)} new)`;
  return { isComplete: isComplete(summary), json, counts, notes: [...notes, ...tableRejects(summary)] };
}

function tableRejects({ rejected, rejectedCells, rejectsPath }: ImportSummary): string[] {
  const rows = rejected > 0 ? [`left out ${counted(rejected, 'row')}, listed in ${rejectsPath}`] : [];
  const cells = [...rejectedCells].map(
    ([title, count]) =>
      `left out ${counted(count, 'cell')} of column ${JSON.stringify(title)}, listed in ${rejectsPath}; --states reads words as states, --map "${title}=" leaves the column out`,
  );
  return [...rows, ...cells];
}

function countNew(signals: ReadonlyMap<string, TargetSignal>): number {
  return [...signals.values()].filter(({ created }) => created).length;
}

/** Prints what became of a file. */
export function report(
  { terminal, options }: Call,
  { counts, notes }: Imported,
  file: string,
  progress: Progress,
): void {
  const seconds = progress.elapsedS.toFixed(1);
  const done = options.dryRun === true ? 'would import' : 'imported';
  terminal.stdout.write(`${file}${done} ${counts} in ${seconds} s\n`);
  for (const text of notes) terminal.stderr.write(`tidemark: ${text}\n`);
}
