/** `tidemark backup` and `tidemark restore`: one file that holds everything, made beside a running service. */
import { rm, stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { checkPath, countsOf } from './check.ts';
import { type Call, define, type Runner } from './command.ts';
import { requireDirectory } from './data-directory.ts';
import { Progress } from './progress.ts';
import { printBytes, printJson, type Terminal } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

const mebibyte = 1024 * 1024;

const verifyOption = () => new Option('--no-verify', 'do not check the file, which reads all of it');

/** Adds the commands. */
export function defineBackup(root: Command, run: Runner): void {
  define(root, run, {
    usage: 'backup <file>',
    summary: 'write everything to one file, beside a running service or without one',
    settings: ['data'],
    options: [
      new Option('--rate <MIB/S>', 'copy so much a second at most; 0: as fast as the disk').default('100'),
      new Option('--force', 'replace the file'),
      verifyOption(),
    ],
    action: backup,
  }).addHelpText(
    'after',
    `
The file is the state at the beginning: everything acknowledged before is in it. It takes its name when it is complete and
checked. It holds the keys that sign tokens: keep it as secret as the data directory.`,
  );
  define(root, run, {
    usage: 'restore <file>',
    summary: 'make a new data directory out of a backup',
    settings: ['data'],
    options: [verifyOption()],
    action: restore,
  });
}

async function backup({ config, options, args, terminal }: Call): Promise<undefined> {
  const { data, json } = config.settings;
  const file = String(args[0]);
  const bytesPerSMax = readRate(String(options.rate));
  await requireDirectory(data);
  if (options.force !== true && (await exists(file))) {
    throw new CommandError(`${file} exists; choose another name, or replace it with --force`);
  }
  const { backUp, rename } = await import('#storage/sqlite/backup');
  const progress = new Progress(terminal.stderr, 'MiB');
  const onProgress = (copied: number, total: number) =>
    progress.show(copied / total, Math.round(copied / mebibyte));
  const isVerified = options.verify !== false;
  // It has a name of its own until it is checked: what is found under the name is a good backup.
  const fresh = `${file}.unchecked`;
  try {
    const bytes = await backUp(data, fresh, { bytesPerSMax, onProgress });
    progress.end();
    const counts = isVerified ? await verified(fresh, terminal) : null;
    rename(fresh, file);
    const seconds = Math.round(progress.elapsedS * 10) / 10;
    const note = counts === null ? `${printBytes(bytes)}, not checked` : `checked: ${counts}`;
    const text = `backed up ${data} to ${file} in ${seconds} s; ${note}\n`;
    terminal.stdout.write(json ? printJson({ file, bytes, seconds, checked: isVerified }) : text);
  } finally {
    progress.end();
    await rm(fresh, { force: true });
  }
}

async function restore({ config, options, args, terminal }: Call): Promise<undefined> {
  const { data, json } = config.settings;
  const file = String(args[0]);
  const { requireRestorable, restore: restoreFile } = await import('#storage/sqlite/backup');
  requireRestorable(file, data);
  const counts = options.verify === false ? null : await verified(file, terminal);
  restoreFile(file, data);
  const note = counts ?? 'not checked';
  const text = `restored ${file} to ${data} (${note}); start it with "tidemark serve --data ${data}"\n`;
  terminal.stdout.write(json ? printJson({ file, data, checked: counts !== null }) : text);
}

/** What is in a sound file; fails with the first thing that is wrong with it. */
async function verified(file: string, terminal: Terminal): Promise<string> {
  const report = await checkPath(file, terminal);
  const [problem] = report.problems;
  if (problem === undefined) return countsOf(report);
  const more = report.problems.length > 1 ? ` (and ${report.problems.length - 1} more)` : '';
  throw new CommandError(`${file} is damaged: ${problem}${more}; "tidemark check" says more`);
}

function readRate(text: string): number {
  const rate = /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(rate)) throw new UsageError(`--rate must be MiB a second, got ${JSON.stringify(text)}`);
  return rate === 0 ? Number.POSITIVE_INFINITY : rate * mebibyte;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
