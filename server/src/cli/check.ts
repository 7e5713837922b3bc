/** `tidemark check`: looks at every page, block and row of a data directory or a backup. */
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { ChainWalk } from '#domain/audit/chain';
import type { CheckReport, FileCheck } from '#storage/sqlite/check';
import { type Call, define, type Runner } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { Progress } from './progress.ts';
import { printBytes, printCount, printJson, type Terminal } from './terminal.ts';
import { exitCodes } from './usage.ts';

/** Adds the command. */
export function defineCheck(root: Command, run: Runner): void {
  define(root, run, {
    usage: 'check [file]',
    summary: 'look for damage in the data directory, or in a backup; exit code 1 when there is some',
    settings: ['data'],
    action: check,
  }).addHelpText(
    'after',
    `
Reads everything and changes nothing; a service may go on writing meanwhile. Page structure, checksums and figures of all
blocks, checksums of the log, what refers to what, and the chain of the audit.`,
  );
}

/** A report, and what the audit adds to it. */
export interface FullReport extends CheckReport {
  auditRows: number;
}

async function check({ config, args, terminal }: Call): Promise<number> {
  const path = await pathOf(args[0] as string | undefined, config.settings.data);
  const report = await checkPath(path, terminal);
  const { problems } = report;
  terminal.stdout.write(config.settings.json ? printJson({ file: path, ...report }) : textOf(path, report));
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function pathOf(file: string | undefined, data: string): Promise<string> {
  const isFile = file !== undefined && (await stat(file).catch(() => null))?.isDirectory() !== true;
  if (isFile) return file;
  const directory = file ?? data;
  await requireDirectory(directory);
  const { databasePath } = await import('#storage/sqlite/connection');
  return databasePath(directory);
}

/** Checks a store's file; shows how far it is where somebody looks on. */
export async function checkPath(path: string, terminal: Terminal): Promise<FullReport> {
  // Help and wrong usage do not load the store.
  const { FileCheck } = await import('#storage/sqlite/check');
  const look = new FileCheck(path);
  const progress = new Progress(terminal.stderr, '% of blocks');
  try {
    const report = look.run((part) => progress.show(part, Math.floor(part * 100)));
    return { ...report, ...checkAudit(look, report.problems) };
  } finally {
    progress.end();
    look.close();
  }
}

/** The chain of the audit; what is wrong with it is added to the problems. */
function checkAudit(look: FileCheck, problems: string[]): { auditRows: number } {
  const walk = new ChainWalk(null);
  let auditRows = 0;
  try {
    for (const row of look.auditRows()) {
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
  return [...lines, `${path} ${verdict}: ${countsOf(report)}`, ''].join('\n');
}

/** What was looked at, in words. */
export function countsOf({ pages, signals, blocks, points, logRows, auditRows }: FullReport): string {
  const bytes = printBytes(pages * 16_384);
  const inBlocks = [
    printCount(points, 'point'),
    printCount(signals, 'signal'),
    printCount(blocks, 'block'),
  ] as const;
  const log = printCount(logRows, 'batch', 'batches');
  const audit = printCount(auditRows, 'row');
  return `${bytes}, ${inBlocks[0]} of ${inBlocks[1]} in ${inBlocks[2]}, ${log} in the log, ${audit} of the audit`;
}
