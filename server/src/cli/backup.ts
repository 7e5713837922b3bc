/** `tidemark backup`: a single file with all data, which can be created while the service runs. */
import { rm, stat } from 'node:fs/promises';
import { Option } from 'commander';
import { sqliteFiles } from '#storage/sqlite/files';
import { checkPath, countsOf, type FullReport } from './check.ts';
import { requireEmbedded } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { Progress } from './progress.ts';
import { printResult } from './result.ts';
import { printBytes, type Terminal } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

const mebibyte = 1024 * 1024;

/** The option of the commands that check a backup. */
export const verifyOption = new Option('--no-verify', 'do not check the file, which reads all of it');

/** The command. */
export const definition: CommandBody = {
  options: [
    new Option('--rate <MIB/S>', 'maximum speed of the copy; 0: as fast as the disk').default('100'),
    new Option('--force', 'replace the file'),
    verifyOption,
  ],
  notes: `The file has the state at the start: everything that was acknowledged before. It gets its name when it is complete and has
been checked. It contains the keys that sign tokens: keep it as secret as the data directory.`,
  action: backup,
};

async function backup(call: Call): Promise<undefined> {
  const { config, options, args, terminal } = call;
  const { data } = config.settings;
  requireEmbedded(
    config,
    'backup',
    'back up the points with FREEZE or BACKUP of ClickHouse first, then the database with pg_dump',
  );
  const file = String(args[0]);
  const bytesPerSMax = readRate(String(options.rate));
  await requireDirectory(data);
  if (options.force !== true && (await exists(file))) {
    throw new CommandError(`${file} exists; choose another name, or replace it with --force`);
  }
  const progress = new Progress(terminal.stderr, 'MiB');
  const onProgress = (copied: number, total: number) =>
    progress.show(copied / total, Math.round(copied / mebibyte));
  const isVerified = options.verify !== false;
  // A temporary name until it is verified, so that a file under the final name is always a valid backup.
  const fresh = `${file}.unchecked`;
  try {
    const bytes = await sqliteFiles.backUp(data, fresh, { bytesPerSMax, onProgress });
    progress.end();
    const report = isVerified ? await verified(fresh, terminal) : null;
    sqliteFiles.rename(fresh, file);
    const seconds = Math.round(progress.elapsedS * 10) / 10;
    const note = report === null ? `${printBytes(bytes)}, not checked` : `checked: ${countsOf(report)}`;
    const result = { file, bytes, seconds, checked: isVerified };
    printResult(call, result, `backed up ${data} to ${file} in ${seconds} s; ${note}`);
  } finally {
    progress.end();
    await rm(fresh, { force: true });
  }
}

/** The counts of a valid file; fails with its first problem. */
export async function verified(file: string, terminal: Terminal): Promise<FullReport> {
  const report = await checkPath(file, terminal);
  const [problem] = report.problems;
  if (problem === undefined) return report;
  const more = report.problems.length > 1 ? ` (and ${report.problems.length - 1} more)` : '';
  throw new CommandError(`${file} is damaged: ${problem}${more}; "tidemark check" lists all problems`);
}

function readRate(text: string): number {
  const rate = /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(rate)) throw new UsageError(`--rate must be MiB per second, got ${JSON.stringify(text)}`);
  return rate === 0 ? Number.POSITIVE_INFINITY : rate * mebibyte;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
