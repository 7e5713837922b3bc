/** `tidemark export`: data of a running service as a file, of any size, and resumed where it was interrupted. */
import { Option } from 'commander';
import { type Client, ServiceError } from '#client';
import type { Call, CommandBody } from './command.ts';
import { ExportFile } from './export-file.ts';
import { numberOption, readJsonObject } from './options.ts';
import { Progress } from './progress.ts';
import { commandError, openService } from './service-client.ts';
import { printJson } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

const formats = ['csv', 'jsonl', 'parquet'] as const;

/** The command. */
export const definition: CommandBody = {
  settings: ['credentials', 'ca'],
  options: [
    new Option('--all', 'everything: signals with their metadata, items and points, for "tidemark import"'),
    new Option('--items <IDS>', 'item IDs with commas between them, or "all"'),
    new Option('--signals <IDS>', 'signal IDs with commas between them, or "all"'),
    new Option('--filter <JSON>', 'only items or signals that match, for example {"labels.site":"north"}'),
    new Option('--format <FORMAT>', 'form of the file').choices([...formats]),
    new Option('--output <FILE>', 'file to write; - is standard output'),
    new Option(
      '--form <FORM>',
      'one row for each point, or a column for each series (default: long)',
    ).choices(['long', 'wide']),
    new Option('--from <TIME>', 'inclusive start, RFC 3339 (default: the oldest point)'),
    new Option('--to <TIME>', 'exclusive end, RFC 3339 (default: after the newest point)'),
    new Option('--rollup <WIDTH>', 'a duration such as PT1H or P1D, or "window" (default: every point)'),
    new Option('--statistics <NAMES>', 'of each bucket, with commas between them (default: avg)'),
    new Option('--time-zone <ZONE>', 'of CSV and JSON times and of buckets (default: UTC)'),
    new Option('--titles <TITLES>', 'titles of CSV columns (default: id)').choices(['id', 'name']),
    numberOption('--part <POINTS>', 'points of one request (default: 5000000)', 1, Number.MAX_SAFE_INTEGER),
  ],
  notes: `Needs a credentials file whose integration has the grant "service" to export items, "admin" to export signals.
FILE is complete when it exists: until then its content is in FILE.part, and the same command goes on where it ended.
A FILE that ends in .gz or .zst is compressed. docs/import-export.md describes the forms.`,
  action: exportFile,
};

interface ExportOptions {
  all?: boolean;
  items?: string;
  signals?: string;
  filter?: string;
  format?: (typeof formats)[number];
  output?: string;
  part?: number;
  [name: string]: unknown;
}

async function exportFile(call: Call): Promise<undefined> {
  const { config, options, terminal } = call;
  const { output, part = 5_000_000, ...given } = options as ExportOptions;
  if (output === undefined) throw new UsageError('--output FILE is needed; - is standard output');
  const parameters = parametersOf(given);
  const progress = new Progress(terminal.stderr, 'MB');
  const say = (text: string) => progress.say(text);
  const { client, credentials } = await openService({ config, env: terminal.env, version: '1.2', say });
  const file = await ExportFile.open(output, parameters, terminal.stdout);
  if (file.bytes > 0) say(`tidemark: resumes after ${file.bytes} bytes of ${output}.part`);
  try {
    await exportParts(client, file, { ...parameters, ...limitOf(parameters, part) }, progress);
    await file.complete();
  } catch (error) {
    throw commandError(error, credentials.apiUrl);
  } finally {
    await file.close();
    progress.end();
  }
  const seconds = progress.elapsedS.toFixed(1);
  const done = { file: output, bytes: file.bytes };
  if (output !== '-')
    terminal.stdout.write(
      config.settings.json ? printJson(done) : `exported ${file.bytes} bytes in ${seconds} s\n`,
    );
}

/** Parts of Parquet files cannot be put together: such a file is one part. */
function limitOf({ format }: Record<string, string>, part: number): Record<string, string> {
  return format === 'parquet' ? {} : { limit: String(part) };
}

/** The parameters of the request (X1, X2). */
function parametersOf({
  all,
  format,
  items,
  signals,
  filter,
  ...others
}: ExportOptions): Record<string, string> {
  if (all && [items, signals, filter].some((one) => one !== undefined))
    throw new UsageError('--all cannot be combined with --items, --signals or --filter');
  if (filter !== undefined) readJsonObject('--filter', filter);
  const subject: Record<string, string> =
    all || signals ? { signals: idsOf(signals) } : { items: idsOf(items) };
  if (!all && items === undefined && signals === undefined && filter === undefined)
    throw new UsageError('name what to export: --all, --items IDS, --signals IDS, or --filter JSON');
  const names = ['form', 'from', 'to', 'rollup', 'statistics', 'timeZone', 'titles'];
  const plain = names.flatMap((name) =>
    others[name] === undefined ? [] : [[name, String(others[name])] as const],
  );
  if (all && format === 'csv') throw new UsageError('--all needs --format jsonl or parquet');
  return {
    ...subject,
    format: format ?? 'jsonl',
    ...(all ? { metadata: 'true' } : {}),
    ...(filter === undefined ? {} : { filter }),
    ...Object.fromEntries(plain),
  };
}

/** The word `all`, which a shell leaves alone, means `*`. */
function idsOf(ids = 'all'): string {
  return ids === 'all' ? '*' : ids;
}

/** Attempts for a part whose answer broke off. */
const attemptsMax = 5;

/** Writes one part after the other; what is written of a part that broke off is replaced by the next attempt. */
async function exportParts(
  client: Client<'1.2'>,
  file: ExportFile,
  parameters: Record<string, string>,
  progress: Progress,
): Promise<void> {
  for (let attempt = 1; !file.isComplete; attempt++) {
    const after: Record<string, string> = file.next === null ? {} : { after: file.next };
    const stream = await client.openExport({ ...parameters, ...after });
    try {
      await file.writePart(stream, (bytes) => progress.show(null, Math.round(bytes / 1e6)));
      attempt = 0;
    } catch (error) {
      if (error instanceof ServiceError || error instanceof CommandError) throw error;
      if (attempt >= attemptsMax || !file.canRepeat)
        throw new CommandError(`the service broke off ${attempt} times: ${(error as Error).message}`);
      progress.say('tidemark: the answer broke off; the part is requested again');
    }
  }
}
