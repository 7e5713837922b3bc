/** `tidemark stats`: the contents of a data directory in figures, and its largest signals. */
import { sqliteFiles } from '#storage/sqlite/files';
import type { StoreInspection, StoreStats } from '#storage/store';
import { requireEmbedded } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { numberOption } from './options.ts';
import { printResult } from './result.ts';
import { printBytes, printCount, printNumber, printTable } from './terminal.ts';

/** The command. */
export const definition: CommandBody = {
  options: [numberOption('--largest <N>', 'number of largest signals to show', 0, 999_999).default(10)],
  notes: `Recent batches are in the log, and become blocks later. The largest signals are those with the largest blocks. Changes nothing;
a service may be running.`,
  action: stats,
};

/** A signal's figures, with its names. */
interface NamedStats {
  signal: string | null;
  integration: string | null;
  input: string | null;
  points: number;
  blocks: number;
  bytes: number;
}

async function stats(call: Call): Promise<undefined> {
  const { data } = call.config.settings;
  requireEmbedded(call.config, 'stats', 'the console has the sizes, and system.parts of ClickHouse');
  await requireDirectory(data);
  const inspection = sqliteFiles.inspect(sqliteFiles.fileIn(data));
  try {
    const found = inspection.stats(call.options.largest as number);
    const largest = named(inspection, found);
    printResult(call, viewOf(found, largest), textOf(found, largest));
  } finally {
    inspection.close();
  }
}

function named(inspection: StoreInspection, { largest }: StoreStats): NamedStats[] {
  return largest.map(({ signal: number, ...figures }) => {
    const { id = null, integration = null, input = null } = inspection.signalName(number) ?? {};
    return { signal: id, integration, input, ...figures };
  });
}

function viewOf({ largest: _, ...figures }: StoreStats, largest: NamedStats[]) {
  return { ...figures, ...densities(figures), largest };
}

/** Bytes per point: in blocks, and in the file without free space and log. Null without points. */
function densities(stats: Omit<StoreStats, 'largest'>) {
  const { blockBytes, timeColumnBytes, blockPoints, fileBytes, freeBytes, logBytes, keptBytes } = stats;
  const perPoint = (bytes: number) => (blockPoints === 0 ? null : round(bytes / blockPoints));
  return {
    blockBytesPerPoint: perPoint(blockBytes + timeColumnBytes),
    fileBytesPerPoint: perPoint(fileBytes - freeBytes - logBytes - keptBytes),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function textOf(stats: StoreStats, largest: NamedStats[]): string {
  const { fileBytes, freeBytes, signals, blocks, blockPoints, blockBytes, logRows, logBytes, logPoints } =
    stats;
  const { timeColumns, timeColumnBytes, keptBytes } = stats;
  const { blockBytesPerPoint, fileBytesPerPoint } = densities(stats);
  const rows = [
    ['file', `${printBytes(fileBytes)}, of which ${printBytes(freeBytes)} are free`],
    ['points', `${printNumber(blockPoints + logPoints)} of ${printCount(signals, 'signal')}`],
    ['blocks', `${printNumber(blocks)} with ${printCount(blockPoints, 'point')}, ${printBytes(blockBytes)}`],
    ['shared times', `${printCount(timeColumns, 'column')}, ${printBytes(timeColumnBytes)}`],
    ['bytes per point', `${blockBytesPerPoint ?? '-'} in blocks, ${fileBytesPerPoint ?? '-'} in the file`],
    [
      'log',
      `${printCount(logRows, 'batch', 'batches')} with ${printCount(logPoints, 'point')}, ${printBytes(logBytes)}`,
    ],
    ['kept batches', `${printBytes(keptBytes)} of the newest batches that are in blocks already`],
  ];
  const summary = rows.map(([name, value]) => `${name.padEnd(17)} ${value}\n`).join('');
  if (largest.length === 0) return summary;
  const cells = largest.map(({ signal, integration, input, points, blocks, bytes }) => [
    ...[signal ?? '(deleted)', integration ?? '-', input ?? '-'],
    ...[printNumber(points), printNumber(blocks), printBytes(bytes), String(round(bytes / points))],
  ]);
  const headings = ['signal', 'integration', 'input', 'points', 'blocks', 'size', 'bytes per point'];
  return `${summary}\n${printTable(headings, cells)}`;
}
