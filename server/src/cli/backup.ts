/** `tidemark backup` and `tidemark restore`: a single file with all data, which can be created while the service runs. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import type { Json } from '#domain/audit/canonical';
import { cliAct } from './act.ts';
import { checkPath, countsOf, type FullReport } from './check.ts';
import type { Call, CommandDefinition } from './command.ts';
import { requireDirectory, withDomain } from './data-directory.ts';
import { Progress } from './progress.ts';
import { printResult } from './result.ts';
import { printBytes, type Terminal } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

const mebibyte = 1024 * 1024;

const verifyOption = new Option('--no-verify', 'do not check the file, which reads all of it');

/** The command `backup`. */
export const backupCommand: CommandDefinition = {
  usage: 'backup <file>',
  summary: 'write all data to one file, with or without a running service',
  options: [
    new Option('--rate <MIB/S>', 'maximum speed of the copy; 0: as fast as the disk').default('100'),
    new Option('--force', 'replace the file'),
    verifyOption,
  ],
  notes: `The file has the state at the start: everything that was acknowledged before. It gets its name when it is complete and has
been checked. It contains the keys that sign tokens: keep it as secret as the data directory.`,
  action: backup,
};

/** The command `restore`. */
export const restoreCommand: CommandDefinition = {
  usage: 'restore <file>',
  summary: 'create a data directory from a backup',
  options: [verifyOption],
  action: restore,
};

async function backup(call: Call): Promise<undefined> {
  const { config, options, args, terminal } = call;
  const { data } = config.settings;
  const file = String(args[0]);
  const bytesPerSMax = readRate(String(options.rate));
  await requireDirectory(data);
  if (options.force !== true && (await exists(file))) {
    throw new CommandError(`${file} exists; choose another name, or replace it with --force`);
  }
  const { storeFiles } = await import('#main');
  const progress = new Progress(terminal.stderr, 'MiB');
  const onProgress = (copied: number, total: number) =>
    progress.show(copied / total, Math.round(copied / mebibyte));
  const isVerified = options.verify !== false;
  // A temporary name until it is verified, so that a file under the final name is always a valid backup.
  const fresh = `${file}.unchecked`;
  try {
    const bytes = await storeFiles.backUp(data, fresh, { bytesPerSMax, onProgress });
    progress.end();
    const report = isVerified ? await verified(fresh, terminal) : null;
    storeFiles.rename(fresh, file);
    const seconds = Math.round(progress.elapsedS * 10) / 10;
    const note = report === null ? `${printBytes(bytes)}, not checked` : `checked: ${countsOf(report)}`;
    const result = { file, bytes, seconds, checked: isVerified };
    printResult(call, result, `backed up ${data} to ${file} in ${seconds} s; ${note}`);
  } finally {
    progress.end();
    await rm(fresh, { force: true });
  }
}

async function restore(call: Call): Promise<undefined> {
  const { config, options, args, terminal } = call;
  const { data } = config.settings;
  const file = String(args[0]);
  const { storeFiles } = await import('#main');
  storeFiles.requireRestorable(file, data);
  const report = options.verify === false ? null : await verified(file, terminal);
  const change = await restoredFrom(file, report);
  await storeFiles.restore(file, data, (staging) => noteRestored(call, staging, change));
  const note = report === null ? 'not checked' : countsOf(report);
  const text = `restored ${file} to ${data} (${note}); start it with "tidemark serve --data ${data}"`;
  printResult(call, { file, data, checked: report !== null, ...change }, text);
}

/** The audit's description of the file that a store was restored from; null: not counted. */
async function restoredFrom(file: string, report: FullReport | null): Promise<{ [field: string]: Json }> {
  const { size: bytes } = await stat(file);
  const sha256 = await sha256Of(file);
  return {
    backup: basename(file),
    bytes,
    sha256,
    pointsInBlocks: report?.points ?? null,
    batchesInLog: report?.logRows ?? null,
  };
}

async function sha256Of(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: mebibyte }), sum);
  return sum.digest('hex');
}

/** Records the restore in the audit of the restored store (L4a), before the store is moved to its place. */
function noteRestored({ config, terminal }: Call, staging: string, change: Json): Promise<void> {
  const settings = { ...config.settings, data: staging };
  return withDomain({ config: { ...config, settings }, terminal }, false, ({ audit }) =>
    audit.note(cliAct(), { action: 'store.restore', target: 'store', change }),
  );
}

/** The counts of a valid file; fails with its first problem. */
async function verified(file: string, terminal: Terminal): Promise<FullReport> {
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
