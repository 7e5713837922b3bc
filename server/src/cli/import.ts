/** `tidemark import …`: brings recordings into the service. */
import { Option } from 'commander';
import { splitOnce } from '#config';
import type { Domain } from '#domain/domain';
import type { Precision } from '#protocol/line-protocol/value-scanner';
import { storeSettings } from '#settings';
import type { Call, CommandDefinition } from './command.ts';
import { usualNullWords } from './csv/cell.ts';
import { type Encoding, encodings } from './csv/decode.ts';
import { type InstantsOf, instantsIn } from './csv/local-time.ts';
import { CsvReader } from './csv/reader.ts';
import { RejectsFile } from './csv/rejects.ts';
import { type TimeForm, timeFormOf } from './csv/row-time.ts';
import { parseSeparator } from './csv/separator.ts';
import { withDomain } from './data-directory.ts';
import { importCsv } from './import-csv.ts';
import { importJsonLines } from './import-json-lines.ts';
import { importLineProtocol } from './import-line-protocol.ts';
import { importLongCsv, readLongHead } from './import-long-csv.ts';
import { importParquet } from './import-parquet.ts';
import { type Imported, pointsReport, report, tableReport } from './import-report.ts';
import { directTarget, dryTarget, type ImportTarget, RemoteTarget } from './import-target.ts';
import { collect } from './options.ts';
import { Progress } from './progress.ts';
import { openService } from './service-client.ts';
import { printJson } from './terminal.ts';
import { CommandError, exitCodes, UsageError } from './usage.ts';

/** Options that files of single points have too. */
const pointsFlags = ['--integration', '--map', '--time-format', '--ambiguous', '--rejects'];
/** Options that files in line protocol have too. */
const linesFlags = ['--integration', '--rejects'];

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

const dryRun = new Option('--dry-run', 'read and check the files, and change nothing');
const from = new Option(
  '--from <ID>',
  'of a file with the signals of several integrations: the one to import',
);
const precision = new Option('--precision <UNIT>', 'unit of the times (default: ns)').choices([
  ...['ns', 'us', 'ms', 's', 'm', 'h'],
]);

const pointsShared = importOptions.filter(({ long }) => pointsFlags.includes(long ?? ''));
const linesShared = importOptions.filter(({ long }) => linesFlags.includes(long ?? ''));

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'jsonl <files...>',
    summary: 'import JSON lines (- is standard input): points, and the signals that an export describes',
    settings: ['credentials', 'ca', ...storeSettings, 'zone', 'prefix'],
    options: [...pointsShared, dryRun, from],
    limits: true,
    notes: `Needs --credentials or --integration, as "tidemark import csv" does. Files may be compressed with gzip or zstd. A line is
{"time", "signal", "value"}, {"time", KEY: value, …}, or the description of a signal as "tidemark export --all" writes it.
docs/import.md describes the forms of times. Importing a file again changes nothing.`,
    action: (call) => importEach(call, importPoints),
  },
  {
    usage: 'parquet <files...>',
    summary: 'import Parquet files (- is standard input): a row for each point, or a column for each signal',
    settings: ['credentials', 'ca', ...storeSettings, 'time', 'zone', 'prefix'],
    options: [...pointsShared, dryRun, from],
    limits: true,
    notes: `Needs --credentials or --integration, as "tidemark import csv" does. The columns are a time, "signal" (or "item") and "value", or a
time and columns of numbers; "tidemark export --all --format parquet" writes descriptions of signals too. Files may be
compressed with gzip or zstd as a whole. docs/import-export.md describes the types. Importing a file again changes nothing.`,
    action: (call) => importEach(call, importParquetFile),
  },
  {
    usage: 'line-protocol <files...>',
    summary: "import files in InfluxDB's line protocol (- is standard input)",
    settings: ['credentials', 'ca', ...storeSettings],
    options: [...linesShared, precision, dryRun],
    limits: true,
    notes: `Needs --credentials or --integration, as "tidemark import csv" does. Files may be compressed with gzip or zstd. Series become
signals as when they are written to /api/v2/write (docs/influxdb.md). Lines without a time are refused, since importing a
file again is to change nothing.`,
    action: (call) => importEach(call, importLines),
  },
  {
    usage: 'csv <files...>',
    summary:
      'import CSV files (- is standard input): one column of times, and a signal for each other column',
    settings: ['credentials', 'ca', ...storeSettings, 'time', 'separator', 'decimal', 'zone', 'prefix'],
    options: [...importOptions, dryRun],
    limits: true,
    notes: `Needs --credentials (over HTTP, to the service that the file names) or --integration (into --data, also while a service
is running). Files may be compressed with gzip or zstd. docs/import.md describes the forms of times and numbers.
An empty cell is no value. Importing a file again changes nothing, so repeat an import that was interrupted.
Rows and cells that cannot be read are left out and listed in the rejects file; the exit code is then 1.`,
    action: (call) => importEach(call, importTable),
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
  dryRun?: boolean;
  from?: string;
  precision?: Precision;
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

/** Imports one file. */
type ImportFile = (call: Call, path: string, target: ImportTarget, progress: Progress) => Promise<Imported>;

/** Imports every file of a call into one target. */
async function importEach(call: Call, importFile: ImportFile): Promise<number> {
  const paths = call.args[0] as readonly string[];
  const { json } = call.config.settings;
  if (paths.length > 1 && call.options.rejects !== undefined) {
    throw new UsageError('--rejects names one file and cannot be used with several files');
  }
  const progress = new Progress(call.terminal.stderr);
  const done: Imported[] = [];
  const isDry = call.options.dryRun === true;
  await withTarget(call, progress, async (opened) => {
    const target = isDry ? dryTarget(opened) : opened;
    for (const path of paths) {
      const imported = await importFile(call, path, target, progress)
        .catch((error) => Promise.reject(paths.length === 1 ? error : inFile(path, error)))
        .finally(() => progress.end());
      done.push(imported);
      if (!json) report(call, imported, paths.length > 1 ? `${path}: ` : '', progress);
    }
  });
  if (json)
    call.terminal.stdout.write(printJson(done.length === 1 ? done[0].json : done.map((one) => one.json)));
  return done.every(({ isComplete }) => isComplete) ? exitCodes.ok : exitCodes.failed;
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

const importTable: ImportFile = async (call, path, target, progress) => {
  const { config, options } = call;
  const { time, prefix, separator, decimal, zone } = config.settings;
  const { map = new Map(), timeFormat: timeForm = null, ...given } = options as ImportOptions;
  using reader = await CsvReader.open(path, given.encoding ?? null);
  const shared = {
    ...{ reader, target, progress },
    decimal: decimal === 'auto' ? null : decimal,
    nullWords: new Set(given.null ?? usualNullWords),
    clock: { zone, instantsOf: readZone(zone), ambiguous: given.ambiguous ?? null },
  };
  const separatorGiven = separator === null ? null : readSeparator(separator);
  const head = readLongHead(reader, separatorGiven);
  if (head !== null) {
    await using rejects = rejectsOf(call, path);
    return pointsReport(path, await importLongCsv({ ...shared, head, timeForm, prefix, map, rejects }));
  }
  const summary = await importCsv({
    ...shared,
    layout: { time, timeForm, prefix, map },
    states: given.states ?? [],
    separator: separatorGiven,
    bodyBytesMax: config.limits.bodyBytesMax,
    openRejects: (titles) => rejectsOf(call, path, titles),
  });
  return tableReport(path, summary);
};

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

/** The file for what is left out of a file; `titles` name the fields of its rows. */
function rejectsOf({ options }: Call, path: string, titles: readonly string[] = ['text']): RejectsFile {
  const { rejects } = options as ImportOptions;
  return new RejectsFile(rejects ?? `${path === '-' ? 'stdin' : path}.rejects.csv`, titles);
}

const importPoints: ImportFile = async (call, path, target, progress) => {
  await using rejects = rejectsOf(call, path);
  const work = { ...pointsOptions(call), path, target, rejects, progress };
  return pointsReport(path, await importJsonLines(work));
};

const importParquetFile: ImportFile = async (call, path, target, progress) => {
  await using rejects = rejectsOf(call, path);
  const { time } = call.config.settings;
  const work = { ...pointsOptions(call), path, target, rejects, progress, time };
  return pointsReport(path, await importParquet(work));
};

const importLines: ImportFile = async (call, path, target, progress) => {
  await using rejects = rejectsOf(call, path);
  const { precision = 'ns' } = call.options as ImportOptions;
  return pointsReport(path, await importLineProtocol({ path, target, precision, rejects, progress }));
};

function pointsOptions({ config, options }: Call) {
  const { prefix, zone } = config.settings;
  const { map = new Map(), timeFormat: timeForm = null, ...given } = options as ImportOptions;
  const clock = { zone, instantsOf: readZone(zone), ambiguous: given.ambiguous ?? null };
  return { timeForm, clock, prefix, map, from: given.from ?? null };
}
