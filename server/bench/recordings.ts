/** Real recordings, read where they are: each column of numbers is one series. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Points } from '#model/frame';

const directory = join(import.meta.dirname, '../../../shared/data');

/** One recording: its series by column. */
export interface Recording {
  name: string;
  columns: Points[];
}

/** Those recordings that are there. */
export function recordings(): Recording[] {
  const skab = join(directory, 'skab-valve1');
  const skabFiles = existsSync(skab) ? readdirSync(skab).filter((file) => file.endsWith('.csv')) : [];
  const found = [
    recording('NAB machine temperature', [join(directory, 'nab-machine-temperature.csv')]),
    recording(
      'SKAB valve 1',
      skabFiles.map((file) => join(skab, file)),
    ),
    recording('ETTh1', [join(directory, 'etth1.csv')]),
  ];
  return found.filter(({ columns }) => columns.length > 0);
}

function recording(name: string, paths: readonly string[]): Recording {
  return { name, columns: paths.filter((path) => existsSync(path)).flatMap(readColumns) };
}

function readColumns(path: string): Points[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const separator = head.includes(';') ? ';' : ',';
  const rows = lines.map((line) => line.split(separator));
  return head
    .split(separator)
    .slice(1)
    .map((_, column) => series(rows, column + 1));
}

/** Ascending, the last value at a time: as a store keeps it. Times without a zone are UTC. */
function series(rows: readonly string[][], column: number): Points {
  const byTime = new Map(
    rows.map((row) => [Date.parse(`${row[0].replace(' ', 'T')}Z`), Number(row[column])]),
  );
  const sorted = [...byTime].sort(([a], [b]) => a - b);
  return {
    timesUs: Float64Array.from(sorted, ([ms]) => ms * 1000),
    values: Float64Array.from(sorted, ([, value]) => value),
  };
}
