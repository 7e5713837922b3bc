/** `tidemark stats`: what a data directory holds, and who has most of it. */
import { type Command, Option } from 'commander';
import type { StoreInspection, StoreStats } from '#storage/store';
import { type Call, define, type Runner } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { printBytes, printCount, printJson, printNumber, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** Adds the command. */
export function defineStats(root: Command, run: Runner): void {
  define(root, run, {
    usage: 'stats',
    summary: 'show how much is stored: points, blocks, bytes a point, the log, the largest signals',
    settings: ['data'],
    options: [new Option('--largest <N>', 'so many of the largest signals').default('10')],
    action: stats,
  }).addHelpText(
    'after',
    `
Batches of the last minutes are in the log, and become blocks later. The largest signals are those with the largest blocks.
Changes nothing; a service may go on writing meanwhile.`,
  );
}

/** A signal's figures, with its names. */
interface NamedStats {
  signal: string | null;
  integration: string | null;
  input: string | null;
  points: number;
  blocks: number;
  bytes: number;
}

async function stats({ config, options, terminal }: Call): Promise<undefined> {
  const { data, json } = config.settings;
  const largestMax = readLargest(String(options.largest));
  await requireDirectory(data);
  const { storeFiles } = await import('#main');
  const inspection = storeFiles.inspect(storeFiles.fileIn(data));
  try {
    const found = inspection.stats(largestMax);
    const largest = named(inspection, found);
    terminal.stdout.write(json ? printJson(viewOf(found, largest)) : textOf(found, largest));
  } finally {
    inspection.close();
  }
}

function readLargest(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--largest must be a whole number up to 999999, got ${JSON.stringify(text)}`);
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

/** Bytes a point: of the blocks alone, and of all that is not free or log. Null without points. */
function densities({ blockBytes, blockPoints, fileBytes, freeBytes, logBytes }: Omit<StoreStats, 'largest'>) {
  const perPoint = (bytes: number) => (blockPoints === 0 ? null : round(bytes / blockPoints));
  return {
    blockBytesPerPoint: perPoint(blockBytes),
    fileBytesPerPoint: perPoint(fileBytes - freeBytes - logBytes),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function textOf(stats: StoreStats, largest: NamedStats[]): string {
  const { fileBytes, freeBytes, signals, blocks, blockPoints, blockBytes, logRows, logBytes, logPoints } =
    stats;
  const { blockBytesPerPoint, fileBytesPerPoint } = densities(stats);
  const rows = [
    ['file', `${printBytes(fileBytes)}, of which ${printBytes(freeBytes)} are free`],
    ['points', `${printNumber(blockPoints + logPoints)} of ${printCount(signals, 'signal')}`],
    ['blocks', `${printNumber(blocks)} with ${printCount(blockPoints, 'point')}, ${printBytes(blockBytes)}`],
    [
      'bytes a point',
      `${blockBytesPerPoint ?? '-'} in blocks, ${fileBytesPerPoint ?? '-'} with all there is`,
    ],
    [
      'log',
      `${printCount(logRows, 'batch', 'batches')} with ${printCount(logPoints, 'point')}, ${printBytes(logBytes)}`,
    ],
  ];
  const summary = rows.map(([name, value]) => `${name.padEnd(17)} ${value}\n`).join('');
  if (largest.length === 0) return summary;
  const cells = largest.map(({ signal, integration, input, points, blocks, bytes }) => [
    ...[signal ?? '(deleted)', integration ?? '-', input ?? '-'],
    ...[printNumber(points), printNumber(blocks), printBytes(bytes), String(round(bytes / points))],
  ]);
  const headings = ['signal', 'integration', 'input', 'points', 'blocks', 'size', 'bytes a point'];
  return `${summary}\n${printTable(headings, cells)}`;
}
