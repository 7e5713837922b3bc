/** Exports as CSV (RFC 4180), wide and long (X3). */
import type { ExportBlock, ExportColumn, ExportSubject } from '#model/export';
import { type PrintTime, timePrinter } from './local-times.ts';
import { printNumber, TextCollector, type TextFormat } from './text-format.ts';

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
  const printValue =
    options.decimal === '.' ? printNumber : (value: number) => printNumber(value).replace('.', ',');
  const cell = (text: string) => quoteCell(text, separator);
  const head =
    columns === null ? longHead(options) : ['time', ...columns.map((column) => titleOf(column, options))];
  const print = { ...options, printValue, cell };
  return {
    head: () => head.map(cell).join(separator) + lineEnd,
    rows: (block) => (columns === null ? longRows(block, print) : wideRows(block, print)),
    tail: (next) => (next === null ? '' : `# next=${next}${lineEnd}`),
  };
}

/** What rows are printed with. */
interface RowPrinter extends CsvOptions {
  printValue(value: number): string;
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

function* wideRows({ timesUs, values }: ExportBlock, print: RowPrinter): Generator<string, void, void> {
  const { separator, printValue } = print;
  const printTime = timesOf(timesUs, print);
  const collector = new TextCollector();
  for (let row = 0; row < timesUs.length; row++) {
    let line = printTime(timesUs[row]);
    for (const column of values) {
      const value = column[row];
      line += !Number.isNaN(value) ? separator + printValue(value) : separator;
    }
    const text = collector.add(line + lineEnd);
    if (text !== null) yield text;
  }
  yield collector.take();
}

function* longRows(
  { columns, timesUs, values }: ExportBlock,
  print: RowPrinter,
): Generator<string, void, void> {
  const { separator, printValue, cell, isRolledUp, titles } = print;
  const printTime = timesOf(timesUs, print);
  const collector = new TextCollector();
  const middles = columns.map(({ id, name, statistic }) => {
    const title = cell(titles === 'id' ? id : name);
    return separator + title + separator + (isRolledUp ? `${statistic}${separator}` : '');
  });
  for (let row = 0; row < timesUs.length; row++) {
    const time = printTime(timesUs[row]);
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      const isEmpty = Number.isNaN(value);
      const text = isEmpty ? null : collector.add(time + middles[i] + printValue(value) + lineEnd);
      if (text !== null) yield text;
    }
  }
  yield collector.take();
}

function timesOf(timesUs: Float64Array, { timeZone }: CsvOptions): PrintTime {
  return timePrinter(timeZone, timesUs[0], timesUs[timesUs.length - 1]);
}

/** Quoted where it must be. A text that a spreadsheet would compute is quoted and begins with an apostrophe. */
function quoteCell(text: string, separator: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return safe !== text || safe.includes(separator) || /["\r\n]|^#/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}
