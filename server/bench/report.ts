/** What a benchmark found: a table for people, and a line of JSON for the history. */
import { appendFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** One measured figure, with its target if it has one. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Where it should be: at least, or at most. */
  target?: { least: number } | { most: number };
  /** What else informs: a floor of the same run, bytes, a count. */
  note?: string;
}

/** The machine, as far as a figure depends on it. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model.trim()} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
}

/** How busy the machine is: figures of a busy one are worse than its own. */
export function load(): string {
  return `load ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}`;
}

/** How many targets are reached. */
export function summary(figures: readonly Figure[]): string {
  const verdicts = figures.map(verdict).filter((word) => word !== '');
  const short = verdicts.filter((word) => word === 'short').length;
  return `${verdicts.length - short} of ${verdicts.length} targets reached, ${short} short`;
}

/** `ok`, `short`, or nothing where no target is set. */
export function verdict({ value, target }: Figure): '' | 'ok' | 'short' {
  if (target === undefined) return '';
  return ('least' in target ? value >= target.least : value <= target.most) ? 'ok' : 'short';
}

/** One line of the table. */
export function printFigure(figure: Figure): string {
  const { name, value, unit, target, note } = figure;
  const goal = target === undefined ? '' : 'least' in target ? `≥ ${target.least}` : `≤ ${target.most}`;
  const columns = [name.padEnd(56), printValue(value).padStart(10), unit.padEnd(12), goal.padEnd(11)];
  return `${columns.join(' ')} ${verdict(figure).padEnd(5)} ${note ?? ''}`.trimEnd();
}

/** What has been measured of the peers too, a line each: this service, then each peer. Empty if no peer was measured. */
export function comparison(figures: readonly Figure[]): string[] {
  const values = new Map(figures.map(({ name, value }) => [name, value]));
  const own = figures.filter(({ name }) => !name.includes(': '));
  const peers = [...new Set(figures.map(({ name }) => /^(.+?): /.exec(name)?.[1] ?? ''))].filter((peer) =>
    own.some(({ name }) => values.has(`${peer}: ${name}`)),
  );
  const rows = own.filter(({ name }) => peers.some((peer) => values.has(`${peer}: ${name}`)));
  if (peers.length === 0) return [];
  const line = (title: string, cells: readonly string[]) =>
    `${title.padEnd(68)}${cells.map((cell) => cell.padStart(17)).join('')}`;
  const cell = (value: number | undefined) => (value === undefined ? '' : printValue(value));
  return [
    line('', ['Tidemark', ...peers]),
    ...rows.map(({ name, value, unit }) => {
      return line(`${name}, ${unit}`, [
        cell(value),
        ...peers.map((peer) => cell(values.get(`${peer}: ${name}`))),
      ]);
    }),
  ];
}

function printValue(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

/** Appends the run to a history file: one JSON object a line. */
export function appendHistory(
  file: string,
  commit: string,
  startedAt: string,
  figures: readonly Figure[],
): void {
  const values = Object.fromEntries(
    figures.map(({ name, value, unit }) => [`${name}, ${unit}`, Number(value.toPrecision(4))]),
  );
  appendFileSync(
    file,
    `${JSON.stringify({ at: startedAt, commit, machine: machine(), load: loadavg()[0], figures: values })}\n`,
  );
}

/** The median of some measurements; the lower middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1];
}
