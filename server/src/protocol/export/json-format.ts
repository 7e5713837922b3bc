/** Exports as JSON lines, wide and long (X4). */
import type { ExportBlock, ExportColumn, ExportResource, ExportSubject } from '#model/export';
import { timePrinter } from './local-times.ts';
import { printNumber, TextCollector, type TextFormat } from './text-format.ts';

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
): Generator<string, void, void> {
  const collector = new TextCollector();
  for (const resource of resources) {
    const text = collector.add(`${printResource(resource)}\n`);
    if (text !== null) yield text;
  }
  yield collector.take();
}

function* longRows(
  { columns, timesUs, values }: ExportBlock,
  member: string,
  { timeZone }: JsonOptions,
): Generator<string, void, void> {
  const printTime = timePrinter(timeZone, timesUs[0], timesUs[timesUs.length - 1]);
  const collector = new TextCollector();
  const middles = columns.map(({ id, statistic }) => {
    const computed = statistic === null ? '' : `,"statistic":${JSON.stringify(statistic)}`;
    return `","${member}":${JSON.stringify(id)}${computed},"value":`;
  });
  for (let row = 0; row < timesUs.length; row++) {
    const time = `{"time":"${printTime(timesUs[row])}`;
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      const isEmpty = Number.isNaN(value);
      const text = isEmpty ? null : collector.add(`${time}${middles[i]}${printNumber(value)}}\n`);
      if (text !== null) yield text;
    }
  }
  yield collector.take();
}

/** Null values are left out. */
function* wideRows(
  { columns, timesUs, values }: ExportBlock,
  { timeZone }: JsonOptions,
): Generator<string, void, void> {
  const printTime = timePrinter(timeZone, timesUs[0], timesUs[timesUs.length - 1]);
  const names = columns.map(({ key }) => `,${JSON.stringify(key)}:`);
  const collector = new TextCollector();
  for (let row = 0; row < timesUs.length; row++) {
    let line = `{"time":"${printTime(timesUs[row])}"`;
    for (let i = 0; i < values.length; i++) {
      const value = values[i][row];
      if (!Number.isNaN(value)) line += names[i] + printNumber(value);
    }
    const text = collector.add(`${line}}\n`);
    if (text !== null) yield text;
  }
  yield collector.take();
}
