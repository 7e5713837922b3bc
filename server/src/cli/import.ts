/** `tidemark import …`: brings recordings into the service. */
import { Option } from 'commander';
import { splitOnce } from '#config';
import type { Domain } from '#domain/domain';
import { counted } from '#model/text';
import type { Call, CommandDefinition } from './command.ts';
import { usualNullWords } from './csv/cell.ts';
import { type Encoding, encodings } from './csv/decode.ts';
import { type InstantsOf, instantsIn } from './csv/local-time.ts';
import { CsvReader } from './csv/reader.ts';
import { RejectsFile } from './csv/rejects.ts';
import { type TimeForm, timeFormOf } from './csv/row-time.ts';
import { parseSeparator } from './csv/separator.ts';
import { withDomain } from './data-directory.ts';
import { type ImportSummary, importCsv } from './import-csv.ts';
import { directTarget, type ImportTarget, RemoteTarget } from './import-target.ts';
import { collect } from './options.ts';
import { Progress } from './progress.ts';
import { openService } from './service-client.ts';
import { printJson } from './terminal.ts';
import { CommandError, exitCodes, UsageError } from './usage.ts';

const importOptions = [
  new Option('--integration <ID>', 'write into the data directory as this integration, without a credential'),
  new Option('--map <COLUMN=KEY>', 'input key of a column, empty to leave it out; may be repeated').argParser(
    readMapping,
  ),
  new Option(
    '--time-format <FORMAT>',
    'form of the times: unix-s, unix-ms, unix-us, unix-ns, or a pattern such as "%d.%m.%Y %H:%M" (default: detected)',
  ).argParser(readTimeFormat),
  new Option(
    '--ambiguous <WHICH>',
    'which of two equal local times is meant if the order of the rows does not show it (default: reject such rows)',
  ).choices(['first', 'second']),
  new Option(
    '--null <WORDS>',
    'comma-separated words that mean "no value", in any case (default: NaN, null, NA, inf, - and the like)',
  ).argParser((text) => text.split(',').map((word) => word.trim().toLowerCase())),
  new Option('--states <COLUMN>', 'the words of this column become states; may be repeated').argParser(
    collect,
  ),
  new Option('--encoding <NAME>', 'encoding of the file (default: detected)').choices([...encodings]),
  new Option('--rejects <FILE>', 'file for the rows and cells that are left out (default: FILE.rejects.csv)'),
];

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'csv <files...>',
    summary:
      'import CSV files (- is standard input): one column of times, and a signal for each other column',
    settings: ['credentials', 'ca', 'data', 'time', 'separator', 'decimal', 'zone', 'prefix'],
    options: importOptions,
    limits: true,
    notes: `Needs --credentials (over HTTP, to the service that the file names) or --integration (into --data, also while a service
is running). Files may be compressed with gzip or zstd. docs/import.md describes the forms of times and numbers.
An empty cell is no value. Importing a file again changes nothing, so repeat an import that was interrupted.
Rows and cells that cannot be read are left out and listed in the rejects file; the exit code is then 1.`,
    action: importFiles,
  },
];

/** The options of a call. */
interface ImportOptions {
  integration?: string;
  map?: Map<string, string>;
  timeFormat?: TimeForm;
  ambiguous?: 'first' | 'second';
  null?: string[];
  states?: string[];
  encoding?: Encoding;
  rejects?: string;
}

function readMapping(text: string, previous: Map<string, string> | undefined): Map<string, string> {
  const [title, key] = splitOnce(text, '=');
  if (key === null) throw new UsageError(`--map must be COLUMN=KEY, got ${JSON.stringify(text)}`);
  return new Map([...(previous ?? []), [title, key]]);
}

function readTimeFormat(text: string): TimeForm {
  const form = timeFormOf(text);
  if (typeof form !== 'string') return form;
  throw new UsageError(`--time-format ${JSON.stringify(text)}: ${form}`);
}

/** An imported file. */
interface Imported {
  path: string;
  summary: ImportSummary;
}

async function importFiles(call: Call): Promise<number> {
  const paths = call.args[0] as readonly string[];
  const { json } = call.config.settings;
  if (paths.length > 1 && call.options.rejects !== undefined) {
    throw new UsageError('--rejects names one file and cannot be used with several files');
  }
  const progress = new Progress(call.terminal.stderr);
  const done: Imported[] = [];
  await withTarget(call, progress, async (target) => {
    for (const path of paths) {
      const summary = await importFile(call, path, target, progress).catch((error) => {
        throw paths.length === 1 ? error : inFile(path, error);
      });
      done.push({ path, summary });
      if (!json) report(call, { path, summary }, paths.length > 1, progress);
    }
  });
  if (json) call.terminal.stdout.write(printJson(done.length === 1 ? asJson(done[0]) : done.map(asJson)));
  return done.every(({ summary }) => isComplete(summary)) ? exitCodes.ok : exitCodes.failed;
}

/** An error of usage or of the file, with the name of the file. */
function inFile(path: string, error: unknown): unknown {
  if (error instanceof UsageError) return new UsageError(`${path}: ${error.message}`);
  return error instanceof CommandError ? new CommandError(`${path}: ${error.message}`) : error;
}

/** Opens the target that the options name while the work runs. */
async function withTarget(
  { config, options, terminal }: Call,
  progress: Progress,
  work: (target: ImportTarget) => Promise<void>,
): Promise<void> {
  const { integration } = options as ImportOptions;
  if (integration !== undefined) {
    if (config.origins.get('credentials') === 'flag') {
      throw new UsageError('--credentials and --integration cannot be used together');
    }
    const run = async (domain: Domain) => work(await directTarget(domain, integration));
    return withDomain({ config, terminal }, false, run);
  }
  if (config.settings.credentials === null)
    throw new UsageError('no target: use --credentials FILE or --integration ID');
  const say = (text: string) => progress.say(text);
  await work(new RemoteTarget(await openService({ config, env: terminal.env, version: '1.2', say })));
}

async function importFile(
  { config, options }: Call,
  path: string,
  target: ImportTarget,
  progress: Progress,
): Promise<ImportSummary> {
  const { time, prefix, separator, decimal, zone } = config.settings;
  const { map = new Map(), timeFormat: timeForm = null, ...given } = options as ImportOptions;
  const rejectsPath = given.rejects ?? `${path === '-' ? 'stdin' : path}.rejects.csv`;
  const reader = await CsvReader.open(path, given.encoding ?? null);
  try {
    return await importCsv({
      ...{ reader, target, progress },
      layout: { time, timeForm, prefix, map },
      states: given.states ?? [],
      separator: separator === null ? null : readSeparator(separator),
      decimal: decimal === 'auto' ? null : decimal,
      nullWords: new Set(given.null ?? usualNullWords),
      clock: { zone, instantsOf: readZone(zone), ambiguous: given.ambiguous ?? null },
      bodyBytesMax: config.limits.bodyBytesMax,
      openRejects: (titles) => new RejectsFile(rejectsPath, titles),
    });
  } finally {
    reader.close();
  }
}

function readSeparator(text: string): string {
  const separator = parseSeparator(text);
  if (separator !== null) return separator;
  throw new UsageError(`--separator must be one character or "tab", got ${JSON.stringify(text)}`);
}

function readZone(zone: string): InstantsOf {
  try {
    return instantsIn(zone);
  } catch (error) {
    throw new UsageError(`--zone: ${(error as Error).message}`);
  }
}

function isComplete({ rejected, rejectedCells }: ImportSummary): boolean {
  return rejected === 0 && rejectedCells.size === 0;
}

function asJson({ path, summary }: Imported): object {
  const { rows, rejected, rejectedCells, rejectsPath, signals, separator, layout, notes } = summary;
  return {
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
}

function report(
  { terminal }: Call,
  { path, summary }: Imported,
  isOneOfSeveral: boolean,
  progress: Progress,
): void {
  const { rows, rejected, rejectedCells, rejectsPath, signals, layout, notes } = summary;
  const created = [...signals.values()].filter((signal) => signal.created).length;
  const seconds = progress.elapsedS.toFixed(1);
  const what = `${counted(rows, 'row')} of ${counted(layout.series.length, 'signal')}`;
  const note = (text: string) => terminal.stderr.write(`tidemark: ${text}\n`);
  terminal.stdout.write(
    `${isOneOfSeveral ? `${path}: ` : ''}imported ${what} (${created} new) in ${seconds} s\n`,
  );
  for (const text of notes) note(text);
  if (rejected > 0) note(`left out ${counted(rejected, 'row')}, listed in ${rejectsPath}`);
  for (const [title, count] of rejectedCells) {
    note(
      `left out ${counted(count, 'cell')} of column ${JSON.stringify(title)}, listed in ${rejectsPath}; --states reads words as states, --map "${title}=" leaves the column out`,
    );
  }
}
