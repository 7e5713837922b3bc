/** `tidemark check`: checks every page, block and row of a data directory or a backup. */
import { stat } from 'node:fs/promises';
import { ChainWalk } from '#domain/audit/chain';
import { sqliteFiles } from '#storage/sqlite/files';
import type { CheckReport, StoreInspection } from '#storage/store';
import { requireEmbedded } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { Progress } from './progress.ts';
import { printResult } from './result.ts';
import { printBytes, printCount, printNumber, type Terminal } from './terminal.ts';
import { exitCodes } from './usage.ts';

/** The command. */
export const definition: CommandBody = {
  notes: `Reads everything and changes nothing; a service may be running. Checks the structure of pages, checksums and figures of all
blocks, checksums of the log, references between rows, and the chain of the audit.`,
  action: check,
};

/** A report, and what the audit adds to it. */
export interface FullReport extends CheckReport {
  auditRows: number;
}

async function check(call: Call): Promise<number> {
  const { config, args, terminal } = call;
  if (args[0] === undefined)
    requireEmbedded(config, 'check', 'pg_amcheck and "check table" of ClickHouse check these for damage');
  const path = await pathOf(args[0] as string | undefined, config.settings.data);
  const report = await checkPath(path, terminal);
  printResult(call, { file: path, ...report }, textOf(path, report));
  return report.problems.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function pathOf(file: string | undefined, data: string): Promise<string> {
  const isFile = file !== undefined && (await stat(file).catch(() => null))?.isDirectory() !== true;
  if (isFile) return file;
  const directory = file ?? data;
  await requireDirectory(directory);
  return sqliteFiles.fileIn(directory);
}

/** Checks a store's file; shows its progress on a terminal. */
export async function checkPath(path: string, terminal: Terminal): Promise<FullReport> {
  const inspection = sqliteFiles.inspect(path);
  const progress = new Progress(terminal.stderr, '% of blocks');
  try {
    const report = inspection.check((part) => progress.show(part, Math.floor(part * 100)));
    return { ...report, ...checkAudit(inspection, report.problems) };
  } finally {
    progress.end();
    inspection.close();
  }
}

/** The chain of the audit; what is wrong with it is added to the problems. */
function checkAudit(inspection: StoreInspection, problems: string[]): { auditRows: number } {
  const walk = new ChainWalk(null);
  let auditRows = 0;
  try {
    for (const row of inspection.auditRows()) {
      auditRows++;
      const problem = walk.step(row);
      if (problem === null) continue;
      problems.push(`audit: row ${row.seq}: ${problem}`);
      return { auditRows };
    }
    const verdict = walk.end();
    if (!verdict.ok) problems.push(`audit: row ${verdict.seq}: ${verdict.problem}`);
  } catch (error) {
    problems.push(`audit: it cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return { auditRows };
}

function textOf(path: string, report: FullReport): string {
  const { problems, notes } = report;
  const lines = [...problems.map((text) => `damaged: ${text}`), ...notes.map((text) => `note: ${text}`)];
  const verdict = problems.length === 0 ? 'is sound' : 'is damaged; restore a backup';
  return [...lines, `${path} ${verdict}: ${countsOf(report)}`].join('\n');
}

/** The counts of a check, for people. */
export function countsOf(report: FullReport): string {
  const { fileBytes, signals, blocks, points, logPoints, logRows, auditRows } = report;
  const all = `${printCount(points + logPoints, 'point')} of ${printCount(signals, 'signal')}`;
  const inBlocks = `${printNumber(points)} in ${printCount(blocks, 'block')}`;
  const inLog = `${printNumber(logPoints)} in ${printCount(logRows, 'batch', 'batches')} of the log`;
  return `${printBytes(fileBytes)}, ${all} (${inBlocks}, ${inLog}), ${printCount(auditRows, 'row')} of the audit`;
}
