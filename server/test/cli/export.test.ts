/** `tidemark export` and `tidemark import jsonl`, as a person runs them. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, zstdCompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { client } from './imported.ts';
import { callBearer, readCredentials, serve, temporaryDirectory, tidemark, until } from './process.ts';

const data = join(await temporaryDirectory({ after }), 'data');
await serve({ after }, data, ['--limit', 'tokenRequestsPerMinute=1000']);
const directory = await temporaryDirectory({ after });

/** A new integration; its credentials file. */
async function integration(name: string): Promise<string> {
  const path = join(directory, `${name}.json`);
  const grants = ['--grant', 'admin', '--grant', 'service'];
  const made = await tidemark([
    'integration',
    'create',
    name,
    '--data',
    data,
    ...grants,
    '--credentials',
    path,
  ]);
  assert.equal(made.code, 0, made.stderr);
  const file = await readCredentials(path);
  // A running service learns of a credential within a second (A1).
  assert.ok(await until(async () => (await callBearer(file, 'rpc.discover', {})).status === 200, 10_000));
  return path;
}

const credentials = await integration('first');
const rows = [
  '{"time":"2024-05-01T12:00:00.000001Z","signal":"flow","value":-0}',
  '{"time":"2024-05-01T12:00:01Z","signal":"flow","value":5e-324}',
  '{"time":"2024-05-01T12:00:02Z","signal":"flow","value":9007199254740991}',
  '{"time":"2024-05-01T12:00:00Z","signal":"level","value":3}',
];

/** Runs `tidemark import jsonl` on these lines. */
async function importLines(lines: readonly string[], args: readonly string[], to = credentials) {
  const path = join(directory, 'lines.jsonl');
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  return tidemark(['import', 'jsonl', path, '--credentials', to, ...args]);
}

const withoutIds = (text: string) => text.replaceAll(/"signal":"[a-v0-9]{20}"/g, '"signal"');

test('X8 JSON lines go in, come out in parts, and go in again as they were', async () => {
  const dry = await importLines(rows, ['--dry-run']);
  assert.match(dry.stdout, /^would import 4 points of 2 signals \(0 new\) in/, dry.stderr);
  const imported = await importLines(rows, []);
  assert.match(imported.stdout, /^imported 4 points of 2 signals \(2 new\) in/, imported.stderr);
  assert.equal(imported.code, 0);
  const whole = join(directory, 'whole.jsonl');
  const exported = await tidemark([
    'export',
    '--all',
    '--output',
    whole,
    '--part',
    '2',
    '--credentials',
    credentials,
  ]);
  assert.equal(exported.code, 0, exported.stderr);
  const text = await readFile(whole, 'utf8');
  assert.match(text, /"value":-0\}\n/);
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('.part')),
    [],
  );
  const second = await integration('second');
  const restored = await tidemark(['import', 'jsonl', whole, '--credentials', second]);
  assert.match(restored.stdout, /^imported 4 points of 2 signals \(2 new\) in/, restored.stderr);
  const { integration: id } = await readCredentials(second);
  const again = join(directory, 'again.jsonl');
  const filter = JSON.stringify({ integration: id });
  const args = ['--signals', '*', '--filter', filter, '--format', 'jsonl', '--output', again];
  const repeated = await tidemark(['export', ...args, '--credentials', second]);
  assert.equal(repeated.code, 0, repeated.stderr);
  const points = text.split('\n').filter((line) => line.startsWith('{"time"'));
  assert.equal(withoutIds(await readFile(again, 'utf8')).trim(), withoutIds(points.join('\n')));
});

test('X6 a file whose name ends in .gz is compressed, part by part', async () => {
  const call = await client(await readCredentials(credentials));
  const { integration: id } = await readCredentials(credentials);
  const { data: signals } = await call<{ data: { id: string; attributes: { input: string } }[] }>(
    'admin.selectSignals',
    { integration: id, query: { sort: ['input'] } },
  );
  const flow = signals.find(({ attributes }) => attributes.input === 'flow')?.id ?? '';
  const path = join(directory, 'flow.csv.gz');
  const args = ['--signals', flow, '--format', 'csv', '--part', '1', '--output', path];
  const { code, stderr } = await tidemark(['export', ...args, '--credentials', credentials]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    gunzipSync(await readFile(path))
      .toString()
      .split('\r\n'),
    [
      'time,signal,value',
      `2024-05-01T12:00:00.000001Z,${flow},-0`,
      `2024-05-01T12:00:01Z,${flow},5e-324`,
      `2024-05-01T12:00:02Z,${flow},9007199254740991`,
      '',
    ],
  );
});

test('X9 a Parquet file is written as one part', async () => {
  const path = join(directory, 'all.parquet');
  const args = ['--signals', 'all', '--format', 'parquet', '--part', '1', '--output', path];
  const { code, stderr } = await tidemark(['export', ...args, '--credentials', credentials]);
  assert.equal(code, 0, stderr);
  const bytes = await readFile(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const values = (await parquetReadObjects({ file })).map(({ value }) => value);
  assert.ok(values.some((value) => Object.is(value, -0)) && values.includes(5e-324));
});

test('X3 a CSV file with one row for each point is exported and imported again', async () => {
  const other = await integration('long');
  const path = join(directory, 'long.csv');
  const rows = [
    'time,signal,value',
    '2024-05-01T12:00:00Z,a,-0',
    '2024-05-01T12:00:00Z,b,5e-324',
    '2024-05-01T12:00:01Z,a,',
  ];
  await writeFile(path, `${[...rows, '2024-05-01T12:00:02Z,a,high'].join('\r\n')}\r\n`);
  const imported = await tidemark(['import', 'csv', path, '--credentials', other]);
  assert.match(imported.stdout, /^imported 2 points of 2 signals \(2 new\) in/, imported.stderr);
  assert.match(imported.stderr, /left out 1 line, listed in/);
  assert.match(await readFile(`${path}.rejects.csv`, 'utf8'), /^line,reason,text\n5,/);
  const { integration: id } = await readCredentials(other);
  const args = ['--signals', 'all', '--filter', JSON.stringify({ integration: id }), '--format', 'csv'];
  const out = await tidemark(['export', ...args, '--output', '-', '--credentials', other]);
  assert.deepEqual(
    out.stdout.split('\r\n').map((line) => line.replace(/,[a-v0-9]{20},/, ',')),
    ['time,signal,value', '2024-05-01T12:00:00Z,-0', '2024-05-01T12:00:00Z,5e-324', ''],
  );
});

test('lines that cannot be read are listed; local times follow the clock changes of the zone', async () => {
  const other = await integration('third');
  const lines = [
    '{"time":"2024-10-27 02:30:00","signal":"a","value":1}',
    '{"time":"2024-10-27 02:30:00","signal":"a","value":2}',
    '{"time":"2024-03-31 02:30:00","signal":"a","value":3}',
    '{"time":"2024-03-31 04:00:00","a":4,"b":true,"c":null}',
    '{"time":"tomorrow","signal":"a","value":5}',
    '{"time":"2024-03-31 05:00:00","signal":"a","value":"high"}',
    'time,a',
  ];
  const { code, stdout, stderr } = await importLines(lines, ['--zone', 'Europe/Oslo'], other);
  assert.equal(code, 1);
  assert.match(stdout, /^imported 4 points of 2 signals \(2 new\) in/, stderr);
  assert.match(stderr, /left out 4 lines, listed in .*lines\.jsonl\.rejects\.csv/);
  const rejects = await readFile(join(directory, 'lines.jsonl.rejects.csv'), 'utf8');
  const reasons = rejects.split('\n').map((line) => line.split(',')[0]);
  assert.deepEqual(reasons, ['line', '3', '5', '6', '7', '']);
});

test('epoch times, compressed files, and wrong usage', async () => {
  const path = join(directory, 'epoch.jsonl.zst');
  await writeFile(path, zstdCompressSync(Buffer.from('{"time":1714564800123,"signal":"ms","value":1}\n')));
  const imported = await tidemark(['import', 'jsonl', path, '--credentials', credentials, '--json']);
  assert.equal(imported.code, 0, imported.stderr);
  assert.equal(JSON.parse(imported.stdout).points, 1);
  for (const [args, message] of [
    [['--output', 'x'], /name what to export/],
    [['--all', '--items', '*', '--output', 'x'], /--all cannot be combined/],
    [['--all', '--format', 'csv', '--output', 'x'], /--all needs --format jsonl or parquet/],
    [['--items', '*'], /--output FILE is needed/],
  ] as const) {
    const wrong = await tidemark(['export', ...args, '--credentials', credentials]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, message);
  }
});
