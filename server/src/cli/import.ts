/** `tidemark import …`: brings recordings into the service. */
import { type Command, Option } from 'commander';
import { splitOnce } from '#config';
import { counted } from '#model/text';
import { type Call, define, type Runner } from './command.ts';
import { readCredentialsFile } from './credentials-path.ts';
import { CsvReader } from './csv/reader.ts';
import { RejectsFile } from './csv/rejects.ts';
import { localizeIn } from './csv/row-time.ts';
import { parseSeparator } from './csv/separator.ts';
import { withDomain } from './data-directory.ts';
import { type ImportSummary, importCsv } from './import-csv.ts';
import { directTarget, type ImportTarget, remoteTarget } from './import-target.ts';
import { Progress } from './progress.ts';
import { printJson } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';

/** Adds the commands. */
export function defineImport(root: Command, run: Runner): void {
  const group = root.command('import').summary('import recordings');
  const csv = define(group, run, {
    usage: 'csv <file>',
    summary: 'import a CSV file (- is standard input): one column of times, each other one a signal',
    settings: ['credentials', 'data', 'time', 'separator', 'decimal', 'zone', 'prefix'],
    options: [
      new Option(
        '--integration <ID>',
        'write into the data directory as this integration, without a credential',
      ),
      new Option(
        '--map <COLUMN=KEY>',
        'input key of a column, empty to leave it out; may be repeated',
      ).argParser(collectMapping),
      new Option('--rejects <FILE>', 'where rows go that cannot be taken (default: FILE.rejects.csv)'),
    ],
    limits: true,
    action: importFile,
  });
  csv.addHelpText('after', notes);
}

const notes = `
Needs --credentials (over HTTP, to the service that the file names) or --integration (into --data, also beside a
running service). Times: RFC 3339; YYYY-MM-DD[ HH:MM[:SS[.f]]] in --zone, of two equal
local times the first; UNIX seconds, milliseconds or microseconds.
An empty cell is no value. Importing a file again changes nothing, so an import that was interrupted is just repeated.
Rows that cannot be taken are left out and listed in the rejects file; the exit code is 1 then.`;

function collectMapping(text: string, previous: Map<string, string> | undefined): Map<string, string> {
  const [title, key] = splitOnce(text, '=');
  if (key === null) throw new UsageError(`--map must be COLUMN=KEY, got ${JSON.stringify(text)}`);
  return new Map([...(previous ?? []), [title, key]]);
}

async function importFile(call: Call): Promise<number> {
  const path = String(call.args[0]);
  const progress = new Progress(call.terminal.stderr);
  const summary = await withTarget(call, progress, async (target) => {
    const reader = await CsvReader.open(path);
    try {
      return await importCsv(readWork(call, { path, reader, target, progress }));
    } finally {
      await reader.close();
    }
  });
  report(call, summary, progress);
  return summary.rejected > 0 ? exitCodes.failed : exitCodes.ok;
}

/** Opens the place that the flags name, for the time of the work. */
async function withTarget<Result>(
  call: Call,
  progress: Progress,
  work: (target: ImportTarget) => Promise<Result>,
): Promise<Result> {
  const integration = call.options.integration as string | undefined;
  const { credentials } = call.config.settings;
  if (integration !== undefined) {
    if (call.config.origins.get('credentials') === 'flag') {
      throw new UsageError('--credentials and --integration name two places: choose one');
    }
    return withDomain(call, false, async (domain) => work(await directTarget(domain, integration)));
  }
  if (credentials === null) throw new UsageError('say where to: --credentials FILE or --integration ID');
  const onWait = (reason: string, waitMs: number) =>
    progress.say(`tidemark: ${reason}; next attempt in ${(waitMs / 1000).toFixed(1)} s`);
  return work(remoteTarget(await readCredentialsFile(credentials), onWait));
}

interface Parts {
  path: string;
  reader: CsvReader;
  target: ImportTarget;
  progress: Progress;
}

function readWork({ config, options }: Call, { path, ...parts }: Parts): Parameters<typeof importCsv>[0] {
  const { time, prefix, separator, decimal, zone } = config.settings;
  const rejectsPath =
    (options.rejects as string | undefined) ?? `${path === '-' ? 'stdin' : path}.rejects.csv`;
  return {
    ...parts,
    wishes: { time, prefix, map: (options.map as Map<string, string> | undefined) ?? new Map() },
    separator: separator === null ? null : readSeparator(separator),
    decimal,
    localize: readZone(zone),
    bodyBytesMax: config.limits.bodyBytesMax,
    openRejects: (titles) => new RejectsFile(rejectsPath, titles),
  };
}

function readSeparator(text: string): string {
  const separator = parseSeparator(text);
  if (separator !== null) return separator;
  throw new UsageError(`--separator must be one character or "tab", got ${JSON.stringify(text)}`);
}

function readZone(zone: string): ReturnType<typeof localizeIn> {
  try {
    return localizeIn(zone);
  } catch (error) {
    throw new UsageError(`--zone: ${(error as Error).message}`);
  }
}

function report({ config, terminal }: Call, summary: ImportSummary, progress: Progress): void {
  const { rows, rejected, rejectsPath, signals, separator, layout } = summary;
  const created = [...signals.values()].filter((signal) => signal.created).length;
  if (config.settings.json) {
    const time = { column: layout.time.title, form: layout.time.form };
    const rejects = rejected === 0 ? null : rejectsPath;
    const byKey = Object.fromEntries(signals);
    terminal.stdout.write(printJson({ rows, rejected, rejects, separator, time, signals: byKey }));
    return;
  }
  const seconds = progress.elapsedS.toFixed(1);
  const what = `${counted(rows, 'row')} of ${counted(layout.series.length, 'signal')}`;
  terminal.stdout.write(`imported ${what} (${created} new) in ${seconds} s\n`);
  if (rejected > 0)
    terminal.stderr.write(`tidemark: left out ${counted(rejected, 'row')}, listed in ${rejectsPath}\n`);
}
