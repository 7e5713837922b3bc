/** Exports as JSON lines, wide and long (X4). */
import type { ExportBlock, ExportColumn, ExportResource, ExportSubject } from '#model/export';
import { timeWriter } from './local-times.ts';
import { RowWriter, type TextFormat } from './text-format.ts';

/** How lines are written. */
export interface JsonOptions {
  subject: ExportSubject;
  /** Of the times. */
  timeZone: string;
  /** Describes a signal or an item as JSON. */
  printResource(resource: ExportResource): string;
}

/** The format of an export; `columns` are those of the wide form, null in the long form. */
export function jsonFormat(columns: readonly ExportColumn[] | null, options: JsonOptions): TextFormat {
  const member = options.subject === 'items' ? 'item' : 'signal';
  return {
    head: () => '',
    rows: (block) => {
      if (block.resources !== undefined) return resourceLines(block.resources, options);
      return columns === null ? longRows(block, member, options) : wideRows(block, options);
    },
    tail: (next) => (next === null ? '' : `${JSON.stringify({ next })}\n`),
  };
}

function* resourceLines(
  resources: readonly ExportResource[],
  { printResource }: JsonOptions,
): Generator<Buffer, void, void> {
  const writer = new RowWriter();
  for (const resource of resources) {
    writer.text(`${printResource(resource)}\n`);
    const piece = writer.endRow();
    if (piece !== null) yield piece;
  }
  yield writer.end();
}

const timeStart = Buffer.from('{"time":"');
const timeEnd = Buffer.from('"');
const lineEnd = Buffer.from('}\n');

function* longRows(
  { columns, timesUs, values }: ExportBlock,
  member: string,
  { timeZone }: JsonOptions,
): Generator<Buffer, void, void> {
  const writer = new RowWriter();
  const writeTime = timeWriter(writer, timeZone, timesUs);
  const middles = columns.map(({ id, statistic }) => {
    const computed = statistic === null ? '' : `,"statistic":${JSON.stringify(statistic)}`;
    return Buffer.from(`","${member}":${JSON.stringify(id)}${computed},"value":`);
  });
  for (let row = 0; row < timesUs.length; row++) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      if (Number.isNaN(value)) continue;
      writer.bytes(timeStart);
      writeTime(timesUs[row]);
      writer.bytes(middles[i]);
      writer.number(value);
      writer.bytes(lineEnd);
      const piece = writer.endRow();
      if (piece !== null) yield piece;
    }
  }
  yield writer.end();
}

/** Null values are left out. */
function* wideRows(
  { columns, timesUs, values }: ExportBlock,
  { timeZone }: JsonOptions,
): Generator<Buffer, void, void> {
  const writer = new RowWriter();
  const writeTime = timeWriter(writer, timeZone, timesUs);
  const names = columns.map(({ key }) => Buffer.from(`,${JSON.stringify(key)}:`));
  for (let row = 0; row < timesUs.length; row++) {
    writer.bytes(timeStart);
    writeTime(timesUs[row]);
    writer.bytes(timeEnd);
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      if (Number.isNaN(value)) continue;
      writer.bytes(names[i]);
      writer.number(value);
    }
    writer.bytes(lineEnd);
    const piece = writer.endRow();
    if (piece !== null) yield piece;
  }
  yield writer.end();
}
