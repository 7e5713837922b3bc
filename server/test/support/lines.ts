/** Line protocol for tests: reads bodies as the service does, and prints points as clients do. */
import { runAtOnce, runSteps } from '#model/steps';
import { HeadMemory } from '#protocol/line-protocol/head-memory';
import type { LineProblem } from '#protocol/line-protocol/line-fault';
import { LineReader } from '#protocol/line-protocol/line-reader';
import type { Precision } from '#protocol/line-protocol/value-scanner';
import type { SeriesName } from '#protocol/series/series';
import { SeriesFrames } from '#protocol/series/series-frames';

/** A value as it was read. */
export interface LinePoint {
  name: SeriesName;
  input: string;
  timeUs: number;
  value: number;
}

/** What a body says: points in order of input key and time, the texts of string values, and problems. */
export interface LinesRead {
  points: LinePoint[];
  texts: string[];
  problems: readonly LineProblem[];
}

/** Reads a body. */
export async function readLines(
  text: string | Buffer,
  { precision = 'ns' as Precision, nowUs = 7e6, memory = new HeadMemory(), frames = new SeriesFrames() } = {},
): Promise<LinesRead> {
  const bytes = Buffer.from(text);
  const { rows, problems } = await runSteps(
    new LineReader(bytes, memory, { precision, nowUs }).read(),
    runAtOnce,
  );
  for (const { line, series, reason } of rows.refusals)
    problems.addValue(line, series.name.field ?? '', reason);
  const texts = rows.texts.map(({ from, to }) => bytes.toString('utf8', from, to));
  const points = new Map<string, LinePoint>();
  for (const { series, columns } of await runSteps(frames.make(rows, 1000), runAtOnce)) {
    const { timesUs, values } = columns;
    for (let at = 0; at < values.length; at++) {
      if (Number.isNaN(values[at])) continue;
      const { name, input } = series[Math.floor(at / timesUs.length)];
      const timeUs = timesUs[at % timesUs.length];
      points.set(`${input} ${timeUs}`, { name, input, timeUs, value: values[at] });
    }
  }
  const order = (a: LinePoint, b: LinePoint) =>
    a.input < b.input ? -1 : a.input > b.input ? 1 : a.timeUs - b.timeUs;
  return { points: [...points.values()].sort(order), texts, problems: problems.first };
}

/** Prints a point as a line, with its time in nanoseconds. */
export function printLine({ name, timeUs, value }: Omit<LinePoint, 'input'>): string {
  const tags = name.tags.map(([key, tag]) => `,${escaped(key, /[,= ]/g)}=${escaped(tag, /[,= ]/g)}`).join('');
  const head = `${escaped(name.measurement, /[, ]/g)}${tags}`;
  return `${head} ${escaped(name.field ?? '', /[,= ]/g)}=${printNumber(value)} ${BigInt(timeUs) * 1000n}`;
}

function printNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function escaped(text: string, pattern: RegExp): string {
  return text.replace(pattern, '\\$&');
}
