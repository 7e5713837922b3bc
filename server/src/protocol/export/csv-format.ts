/** Exports as CSV (RFC 4180), wide and long (X3). */
import type { ExportBlock, ExportColumn, ExportSubject } from '#model/export';
import { timeWriter } from './local-times.ts';
import { RowWriter, type TextFormat } from './text-format.ts';

/** How tables are written. */
export interface CsvOptions {
  subject: ExportSubject;
  /** Of the times. */
  timeZone: string;
  separator: ',' | ';' | '\t';
  /** A comma needs another separator. */
  decimal: '.' | ',';
  /** Column titles: IDs, or names with units. */
  titles: 'id' | 'name';
  /** Whether the long form has a column for the statistic. */
  isRolledUp: boolean;
}

const lineEnd = '\r\n';

/** The format of an export; `columns` are those of the wide form, null in the long form. */
export function csvFormat(columns: readonly ExportColumn[] | null, options: CsvOptions): TextFormat {
  const { separator } = options;
  const cell = (text: string) => quoteCell(text, separator);
  const head =
    columns === null ? longHead(options) : ['time', ...columns.map((column) => titleOf(column, options))];
  const print = { ...options, cell };
  return {
    head: () => head.map(cell).join(separator) + lineEnd,
    rows: (block) => (columns === null ? longRows(block, print) : wideRows(block, print)),
    tail: (next) => (next === null ? '' : `# next=${next}${lineEnd}`),
  };
}

/** What rows are printed with. */
interface RowPrinter extends CsvOptions {
  cell(text: string): string;
}

function longHead({ subject, isRolledUp }: CsvOptions): string[] {
  return ['time', subject === 'items' ? 'item' : 'signal', ...(isRolledUp ? ['statistic'] : []), 'value'];
}

/** `Pump 1 flow [m³/h]`, with a statistic `Pump 1 flow max [m³/h]`. */
function titleOf({ key, name, unit, statistic }: ExportColumn, { titles }: CsvOptions): string {
  if (titles === 'id') return key;
  return `${name}${statistic === null ? '' : ` ${statistic}`}${unit === '' ? '' : ` [${unit}]`}`;
}

function* wideRows({ timesUs, values }: ExportBlock, print: RowPrinter): Generator<Buffer, void, void> {
  const separator = Buffer.from(print.separator);
  const end = Buffer.from(lineEnd);
  const writer = new RowWriter();
  const writeTime = timeWriter(writer, print.timeZone, timesUs);
  const writeValue = valueWriter(writer, print);
  for (let row = 0; row < timesUs.length; row++) {
    writeTime(timesUs[row]);
    for (const column of values) {
      writer.bytes(separator);
      const value = column[row];
      if (!Number.isNaN(value)) writeValue(value);
    }
    writer.bytes(end);
    const piece = writer.endRow();
    if (piece !== null) yield piece;
  }
  yield writer.end();
}

function* longRows(
  { columns, timesUs, values }: ExportBlock,
  print: RowPrinter,
): Generator<Buffer, void, void> {
  const { separator, cell, isRolledUp, titles } = print;
  const end = Buffer.from(lineEnd);
  const writer = new RowWriter();
  const writeTime = timeWriter(writer, print.timeZone, timesUs);
  const writeValue = valueWriter(writer, print);
  const middles = columns.map(({ id, name, statistic }) => {
    const title = cell(titles === 'id' ? id : name);
    return Buffer.from(separator + title + separator + (isRolledUp ? `${statistic}${separator}` : ''));
  });
  for (let row = 0; row < timesUs.length; row++) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      if (Number.isNaN(value)) continue;
      writeTime(timesUs[row]);
      writer.bytes(middles[i]);
      writeValue(value);
      writer.bytes(end);
      const piece = writer.endRow();
      if (piece !== null) yield piece;
    }
  }
  yield writer.end();
}

function valueWriter(writer: RowWriter, { decimal }: CsvOptions): (value: number) => void {
  return decimal === '.' ? (value) => writer.number(value) : (value) => writer.commaNumber(value);
}

/** Quoted where it must be. A text that a spreadsheet would compute is quoted and begins with an apostrophe. */
function quoteCell(text: string, separator: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return safe !== text || safe.includes(separator) || /["\r\n]|^#/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}
