/** Real recordings if they are next to the project, otherwise generated ones of the same form. Read here without the importer's code. */
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A recording as a file and as what it means. */
export interface Recording {
  path: string;
  /** Rows of the file. */
  rows: number;
  /** Column title → UNIX milliseconds → value; of equal times the last. */
  columns: Map<string, Map<number, number>>;
}

/** A recording's name and how to make one like it. */
export interface Kind {
  file: string;
  separator: string;
  generate(): string;
}

/** The kinds of recordings: one signal with repeated times, a test bench with gaps, years of hours. */
export const kinds = {
  machine: { file: 'nab-machine-temperature.csv', separator: ',', generate: generateMachine },
  bench: { file: 'skab-valve1/0.csv', separator: ';', generate: () => generateBench(0) },
  transformer: { file: 'etth1.csv', separator: ',', generate: generateTransformer },
} satisfies Record<string, Kind>;

/** The test bench ran eight times on one day; the runs have the same columns. */
export const benchRuns: readonly Kind[] = Array.from({ length: 8 }, (_, run) => ({
  file: `skab-valve1/${run}.csv`,
  separator: ';',
  generate: () => generateBench(run),
}));

const downloads = new URL('../../../../shared/data/', import.meta.url);

/** Puts a recording into a directory. */
export async function takeRecording(kind: Kind, directory: string): Promise<Recording> {
  const path = join(directory, kind.file.replace('/', '-'));
  const source = new URL(kind.file, downloads);
  if (existsSync(source)) await copyFile(source, path);
  else await writeFile(path, kind.generate());
  return { path, ...parse(await readFile(path, 'utf8'), kind.separator) };
}

/** No recording has quotes; its times are UTC, `YYYY-MM-DD HH:MM:SS`, in the first column. */
function parse(text: string, separator: string): Pick<Recording, 'rows' | 'columns'> {
  const [head, ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const titles = head.split(separator).slice(1);
  const columns = new Map(titles.map((title) => [title, new Map<number, number>()]));
  for (const line of lines) {
    const [time, ...cells] = line.split(separator);
    const ms = Date.parse(`${time.replace(' ', 'T')}Z`);
    for (const [i, cell] of cells.entries()) if (cell !== '') columns.get(titles[i])!.set(ms, Number(cell));
  }
  return { rows: lines.length, columns };
}

/** What is there when recordings with the same columns are imported one after the other. */
export function mergeRecordings(recordings: readonly Recording[]): Pick<Recording, 'rows' | 'columns'> {
  const columns: Recording['columns'] = new Map();
  for (const [title, points] of recordings.flatMap((recording) => [...recording.columns])) {
    columns.set(title, new Map([...(columns.get(title) ?? []), ...points]));
  }
  return { rows: recordings.reduce((rows, recording) => rows + recording.rows, 0), columns };
}

function print(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function generateMachine(): string {
  const start = Date.UTC(2013, 11, 2, 21, 15);
  const lines = ['timestamp,value'];
  for (let i = 0; i < 22_000; i++) {
    const time = print(start + i * 300_000);
    lines.push(`${time},${80 + 15 * Math.sin(i / 500)}`);
    if (i % 1000 === 999) lines.push(`${time},${i}`);
  }
  return `${lines.join('\n')}\n`;
}

function generateBench(run: number): string {
  const start = Date.UTC(2020, 2, 9, 10, 14 + 20 * run, 33);
  const lines = ['datetime;Current;Volume Flow RateRMS;anomaly;changepoint'];
  for (let i = 0; i < 1200; i++) {
    if (i % 17 === 3) continue;
    const anomaly = i > 600 && i < 900 ? 1 : 0;
    lines.push(
      `${print(start + i * 1000)};${1 + ((i + run) % 7) / 8};${32 - anomaly}.0;${anomaly}.0;${i === 601 ? 1 : 0}.0`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function generateTransformer(): string {
  const start = Date.UTC(2016, 6, 1);
  const lines = ['date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT'];
  for (let i = 0; i < 17_420; i++) {
    const values = Array.from({ length: 7 }, (_, column) => 10 * Math.sin(i / (20 + column)));
    lines.push([print(start + i * 3_600_000), ...values].join(','));
  }
  return `${lines.join('\n')}\n`;
}
