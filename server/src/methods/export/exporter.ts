/** Exports: connects the domain's blocks with a file format, in the caller's turns and within its plan (X1-X6). */
import { setTimeout } from 'node:timers/promises';
import type { ExportOptions, ExportRequest } from '#domain/export/request';
import type { Account } from '#load/account';
import { AppError } from '#model/error';
import { cutBlock, type ExportBlock, type ExportResource, printPosition } from '#model/export';
import { RateExceeded } from '#model/rate-exceeded';
import { csvFormat } from '#protocol/export/csv-format';
import { jsonFormat } from '#protocol/export/json-format';
import { ParquetFormat } from '#protocol/export/parquet-format';
import type { TextFormat } from '#protocol/export/text-format';
import type { ExportCall, Exporter, ExportFile } from '#protocol/exporter';
import { mayCall } from '#protocol/permission';
import { viewChoice, viewHistory } from '../calculation-view.ts';
import { itemResource, signalResource } from '../resource-view.ts';
import type { MethodServices } from '../services.ts';
import { type ExportParams, type FileOptions, parseExportParams } from './params.ts';

/** What exports need of the domain. */
export type ExportServices = Pick<MethodServices, 'exports' | 'limits'>;

/** The exporter over these services. */
export function newExporter({ exports, limits }: ExportServices): Exporter {
  return {
    async open(call, query) {
      const params = parseExportParams(query, limits);
      requireGrant(call, params.request);
      const { account } = call.ticket;
      await account.admit(countedAs);
      const opened = await exports.open(params.request, optionsOf(call));
      const newFormat = () => formatOf(params, opened.columns, call);
      return fileOf(params, piecesOf(opened.blocks, newFormat, params.pointsMax, call));
    },
  };
}

/** The method whose rate applies: an export is a call, and one more for each {@link pointsPerCall} points. */
const countedAs = 'service.dataFrame';
const pointsPerCall = 1_000_000;

/** Items need the grant to read them, signals that to select them. */
function requireGrant({ caller }: ExportCall, { subject }: ExportRequest): void {
  const grant = subject === 'items' ? 'service' : 'admin';
  if (mayCall(caller, { grant, role: 'viewer' })) return;
  throw new AppError('not-permitted', `Exporting ${subject} needs the grant ${grant}`);
}

function optionsOf({ signal, ticket }: ExportCall): ExportOptions {
  return { signal, enter: () => ticket.enter('read'), runStep: (step) => ticket.step(step) };
}

type Columns = Parameters<typeof csvFormat>[0];

/** What writes a file. */
interface FileFormat {
  head(): AsyncGenerator<string | Buffer, void, void>;
  rows(block: ExportBlock): AsyncGenerator<string | Buffer, void, void>;
  tail(next: string | null): AsyncGenerator<string | Buffer, void, void>;
  /** Ends what the format holds. */
  close(): void;
}

function formatOf({ request, file }: ExportParams, columns: Columns, { ticket }: ExportCall): FileFormat {
  const { subject, timeZone, rollup, hasMetadata } = request;
  const isRolledUp = rollup !== null;
  if (file.format === 'parquet')
    return new ParquetFormat({ subject, columns, isRolledUp, hasMetadata }, printResource);
  const text =
    file.format === 'jsonl'
      ? jsonFormat(columns, { subject, timeZone, printResource })
      : csvFormat(columns, { ...file, subject, timeZone, isRolledUp });
  return textFile(text, ticket);
}

/** A text format whose rows are printed in the client's turns. */
function textFile(format: TextFormat, ticket: ExportCall['ticket']): FileFormat {
  return {
    async *head() {
      yield format.head();
    },
    rows: (block) => inTurns(format.rows(block), ticket),
    async *tail(next) {
      yield format.tail(next);
    },
    close() {},
  };
}

const types: Readonly<Record<FileOptions['format'], string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};
const endings = { gzip: '.gz', zstd: '.zst' } as const;

function fileOf({ request, file }: ExportParams, pieces: ExportFile['pieces']): ExportFile {
  const { format, compression } = file;
  const ending = compression === null ? '' : endings[compression];
  return { type: types[format], name: `${request.subject}.${format}${ending}`, compression, pieces };
}

/** A signal or an item in the relational view (R5); of a signal also the item that it feeds, of an item how it is calculated. */
function printResource({ resource, item, versions }: ExportResource): string {
  if (!('number' in resource)) {
    const { calculation } = resource;
    const more = {
      ...(calculation !== null && { calculation: viewChoice(calculation) }),
      ...(versions !== undefined && { versions: viewHistory(versions) }),
    };
    return JSON.stringify({ ...itemResource(resource), ...more });
  }
  return JSON.stringify({ ...signalResource(resource), published: item && itemResource(item) });
}

/** The content of a file. The first block is read before anything is produced, so that its errors can be answered. */
async function* piecesOf(
  blocks: AsyncGenerator<ExportBlock, void, void>,
  newFormat: () => FileFormat,
  pointsMax: number,
  call: ExportCall,
): ExportFile['pieces'] {
  // Not before: pieces that are never asked for do not pass the end either.
  const format = newFormat();
  try {
    yield* cutPieces(blocks, format, pointsMax, call);
  } finally {
    format.close();
  }
}

async function* cutPieces(
  blocks: AsyncGenerator<ExportBlock, void, void>,
  format: FileFormat,
  pointsMax: number,
  { ticket, signal }: ExportCall,
): ExportFile['pieces'] {
  const meter = new Meter(ticket.account, signal);
  let left = pointsMax;
  let end: ExportBlock['end'] | null = null;
  let isCut = false;
  let hasBegun = false;
  for await (const whole of blocks) {
    if (!hasBegun) yield* format.head();
    hasBegun = true;
    isCut = left <= 0;
    if (isCut) break;
    const { block, pointCount } = await ticket.step(() => cutBlock(whole, left));
    await meter.add(pointCount);
    left -= pointCount;
    yield* format.rows(block);
    if (block.timesUs.length > 0) end = block.end;
    isCut = block !== whole;
    if (isCut) break;
  }
  if (!hasBegun) yield* format.head();
  yield* format.tail(isCut && end !== null ? printPosition(end) : null);
}

async function* inTurns(pieces: Generator<Buffer>, ticket: ExportCall['ticket']): ExportFile['pieces'] {
  for (;;) {
    const { done, value } = await ticket.step(() => pieces.next());
    if (done) return;
    if (value.length > 0) yield value;
  }
}

/** Counts points as calls. Where the plan's rate is used up, the export waits. */
class Meter {
  readonly #account: Account;
  readonly #signal: AbortSignal;
  #points = 0;

  constructor(account: Account, signal: AbortSignal) {
    this.#account = account;
    this.#signal = signal;
  }

  async add(points: number): Promise<void> {
    this.#points += points;
    for (; this.#points >= pointsPerCall; this.#points -= pointsPerCall) await this.#admit();
  }

  async #admit(): Promise<void> {
    for (;;) {
      try {
        return void (await this.#account.admit(countedAs));
      } catch (error) {
        if (!(error instanceof RateExceeded)) throw error;
        await setTimeout(error.status.resetS * 1000, undefined, { signal: this.#signal });
      }
    }
  }
}
