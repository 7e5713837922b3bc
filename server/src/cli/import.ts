/** `tidemark import …`: brings recordings into the service. */
import { Option } from 'commander';
import { splitOnce } from '#config';
import type { Domain } from '#domain/domain';
import { counted } from '#model/text';
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
import { type ImportSummary, importCsv } from './import-csv.ts';
import { importJsonLines, type PointsSummary } from './import-json-lines.ts';
import { importLongCsv, readLongHead } from './import-long-csv.ts';
import {
  DryTarget,
  directTarget,
  type ImportTarget,
  RemoteTarget,
  type TargetSignal,
} from './import-target.ts';
import { collect } from './options.ts';
import { Progress } from './progress.ts';
import { openService } from './service-client.ts';
import { printJson } from './terminal.ts';
import { CommandError, exitCodes, UsageError } from './usage.ts';

/** Options that files of single points have too. */
const pointsOptions = ['--integration', '--map', '--time-format', '--ambiguous', '--rejects'];

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

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  pointsCommand(importOptions.filter(({ long }) => pointsOptions.includes(long ?? ''))),
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
}

function pointsCommand(shared: readonly Option[]): CommandDefinition {
  const from = new Option(
    '--from <ID>',
    'of a file with the signals of several integrations: the one to import',
  );
  return {
    usage: 'jsonl <files...>',
    summary: 'import JSON lines (- is standard input): points, and the signals that an export describes',
    settings: ['credentials', 'ca', ...storeSettings, 'zone', 'prefix'],
    options: [...shared, dryRun, from],
    limits: true,
    notes: `Needs --credentials or --integration, as "tidemark import csv" does. Files may be compressed with gzip or zstd. A line is
{"time", "signal", "value"}, {"time", KEY: value, …}, or the description of a signal as "tidemark export --all" writes it.
docs/import.md describes the forms of times. Importing a file again changes nothing.`,
    action: (call) => importEach(call, importPoints),
  };
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

/** What is reported of an imported file. */
interface Imported {
  isComplete: boolean;
  json: object;
  /** `3 rows of 2 signals (1 new)`. */
  counts: string;
  notes: readonly string[];
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
    const target = isDry ? new DryTarget(opened) : opened;
    for (const path of paths) {
      const imported = await importFile(call, path, target, progress).catch((error) => {
        throw paths.length === 1 ? error : inFile(path, error);
      });
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

async function importTable(
  { config, options }: Call,
  path: string,
  target: ImportTarget,
  progress: Progress,
): Promise<Imported> {
  const { time, prefix, separator, decimal, zone } = config.settings;
  const { map = new Map(), timeFormat: timeForm = null, ...given } = options as ImportOptions;
  const rejectsPath = rejectsPathOf(path, given.rejects);
  const reader = await CsvReader.open(path, given.encoding ?? null);
  const shared = {
    ...{ reader, target, progress },
    decimal: decimal === 'auto' ? null : decimal,
    nullWords: new Set(given.null ?? usualNullWords),
    clock: { zone, instantsOf: readZone(zone), ambiguous: given.ambiguous ?? null },
  };
  try {
    const separatorGiven = separator === null ? null : readSeparator(separator);
    const head = readLongHead(reader, separatorGiven);
    if (head !== null) {
      const rejects = new RejectsFile(rejectsPath, ['text']);
      return pointsReport(path, await importLongCsv({ ...shared, head, timeForm, prefix, map, rejects }));
    }
    const summary = await importCsv({
      ...shared,
      layout: { time, timeForm, prefix, map },
      states: given.states ?? [],
      separator: separatorGiven,
      bodyBytesMax: config.limits.bodyBytesMax,
      openRejects: (titles) => new RejectsFile(rejectsPath, titles),
    });
    return { ...tableReport(path, summary), isComplete: isComplete(summary) };
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

function rejectsPathOf(path: string, given: string | undefined): string {
  return given ?? `${path === '-' ? 'stdin' : path}.rejects.csv`;
}

async function importPoints(
  { config, options }: Call,
  path: string,
  target: ImportTarget,
  progress: Progress,
): Promise<Imported> {
  const { prefix, zone } = config.settings;
  const { map = new Map(), timeFormat: timeForm = null, ...given } = options as ImportOptions;
  const clock = { zone, instantsOf: readZone(zone), ambiguous: given.ambiguous ?? null };
  const rejects = new RejectsFile(rejectsPathOf(path, given.rejects), ['text']);
  const work = { path, target, timeForm, clock, prefix, map, from: given.from ?? null, rejects, progress };
  return pointsReport(path, await importJsonLines(work));
}

function pointsReport(path: string, summary: PointsSummary): Imported {
  const { points, rejected, rejectsPath, signals, notes } = summary;
  const leftOut = `left out ${counted(rejected, 'line')}, listed in ${rejectsPath}`;
  const rejects = rejected === 0 ? null : rejectsPath;
  return {
    isComplete: rejected === 0,
    json: { file: path, points, rejected, rejects, notes, signals: Object.fromEntries(signals) },
    counts: `${counted(points, 'point')} of ${counted(signals.size, 'signal')} (${countNew(signals)} new)`,
    notes: rejected === 0 ? notes : [...notes, leftOut],
  };
}

function tableReport(path: string, summary: ImportSummary): Omit<Imported, 'isComplete'> {
  const { rows, rejected, rejectedCells, rejectsPath, signals, separator, layout, notes } = summary;
  const json = {
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
  const counts = `${counted(rows, 'row')} of ${counted(layout.series.length, 'signal')} (${countNew(signals)} new)`;
  return { json, counts, notes: [...notes, ...tableRejects(summary)] };
}

function tableRejects({ rejected, rejectedCells, rejectsPath }: ImportSummary): string[] {
  const rows = rejected > 0 ? [`left out ${counted(rejected, 'row')}, listed in ${rejectsPath}`] : [];
  const cells = [...rejectedCells].map(
    ([title, count]) =>
      `left out ${counted(count, 'cell')} of column ${JSON.stringify(title)}, listed in ${rejectsPath}; --states reads words as states, --map "${title}=" leaves the column out`,
  );
  return [...rows, ...cells];
}

function countNew(signals: ReadonlyMap<string, TargetSignal>): number {
  return [...signals.values()].filter(({ created }) => created).length;
}

function report(
  { terminal, options }: Call,
  { counts, notes }: Imported,
  file: string,
  progress: Progress,
): void {
  const seconds = progress.elapsedS.toFixed(1);
  const done = options.dryRun === true ? 'would import' : 'imported';
  terminal.stdout.write(`${file}${done} ${counts} in ${seconds} s\n`);
  for (const text of notes) terminal.stderr.write(`tidemark: ${text}\n`);
}
