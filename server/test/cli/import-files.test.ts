/** `tidemark import line-protocol` and `import parquet`, as a person runs them. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { client } from './imported.ts';
import { callBearer, readCredentials, serve, temporaryDirectory, tidemark, until } from './process.ts';

const data = join(await temporaryDirectory({ after }), 'data');
await serve({ after }, data, ['--limit', 'tokenRequestsPerMinute=1000']);
const directory = await temporaryDirectory({ after });

/** A new integration; its credentials file. */
async function integration(name: string): Promise<string> {
  const path = join(directory, `${name}.json`);
  const grants = ['--grant', 'admin', '--grant', 'service', '--credentials', path];
  const made = await tidemark(['integration', 'create', name, '--data', data, ...grants]);
  assert.equal(made.code, 0, made.stderr);
  const file = await readCredentials(path);
  // A running service learns of a credential within a second (A1).
  assert.ok(await until(async () => (await callBearer(file, 'rpc.discover', {})).status === 200, 60_000));
  return path;
}

/** Runs an import of files in the directory. */
function importing(
  form: string,
  credentials: string,
  names: readonly string[],
  args: readonly string[] = [],
) {
  const paths = names.map((name) => join(directory, name));
  return tidemark(['import', form, ...paths, '--credentials', credentials, ...args]);
}

/** The points of an integration as CSV lines, with input keys in place of IDs. */
async function pointsOf(credentials: string): Promise<string[]> {
  const { integration: id } = await readCredentials(credentials);
  const call = await client(await readCredentials(credentials));
  const { data: signals } = await call<{ data: { id: string; attributes: { input: string } }[] }>(
    'admin.selectSignals',
    { integration: id },
  );
  const filter = JSON.stringify({ integration: id });
  const args = ['--signals', 'all', '--filter', filter, '--format', 'csv', '--output', '-'];
  const { stdout, stderr, code } = await tidemark(['export', ...args, '--credentials', credentials]);
  assert.equal(code, 0, stderr);
  const inputs = new Map(signals.map((signal) => [signal.id, signal.attributes.input]));
  return stdout
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.replace(/,([a-v0-9]{20}),/, (_, signal) => `,${inputs.get(signal)},`))
    .sort();
}

const lines = `# DDL
CREATE DATABASE plant WITH NAME autogen
# DML
cpu,host=a,region=eu usage=1.5,idle=2i 1700000000000000000
cpu,host=b usage=-0,text="a
b",idle=9007199254740993i 1700000000000001000
bad line
nope v=1
on v=t 1700000001000000000
`;

test('X11 a file in line protocol becomes signals with labels; what is refused is listed by its line', async () => {
  const credentials = await integration('lines');
  await writeFile(join(directory, 'lines.lp.gz'), gzipSync(lines));
  const dry = await importing('line-protocol', credentials, ['lines.lp.gz'], ['--dry-run']);
  assert.match(dry.stdout, /^would import 4 points of 4 signals \(0 new\) in/, dry.stderr);
  assert.deepEqual(await pointsOf(credentials), []);
  for (const created of [4, 0]) {
    const { code, stdout, stderr } = await importing('line-protocol', credentials, ['lines.lp.gz']);
    assert.match(stdout, new RegExp(`^imported 4 points of 4 signals \\(${created} new\\) in`), stderr);
    assert.match(stderr, /left out 2 lines and 2 values, listed in .*lines\.lp\.gz\.rejects\.csv/);
    assert.equal(code, 1);
  }
  assert.deepEqual(await pointsOf(credentials), [
    '2023-11-14T22:13:20.000001Z,cpu/host:b#usage,-0',
    '2023-11-14T22:13:20Z,cpu/host:a/region:eu#idle,2',
    '2023-11-14T22:13:20Z,cpu/host:a/region:eu#usage,1.5',
    '2023-11-14T22:13:21Z,on#v,1',
  ]);
  const rejects = (await readFile(join(directory, 'lines.lp.gz.rejects.csv'), 'utf8')).trim().split('\n');
  assert.equal(rejects.shift(), 'line,reason,text');
  assert.deepEqual(
    rejects.map((line) => line.replaceAll('"', '').slice(0, 40)),
    [
      "5,field 'text' is not stored: a string n",
      "6,field 'idle' is not stored: integers a",
      '7,invalid field format,bad line',
      '8,it has no time,nope v=1',
    ],
  );
  const call = await client(await readCredentials(credentials));
  const { data: signals } = await call<{ data: { attributes: { name: string; labels: object } }[] }>(
    'admin.selectSignals',
    {
      integration: (await readCredentials(credentials)).integration,
      query: { filter: { input: 'cpu/host:a/region:eu#usage' } },
    },
  );
  assert.equal(signals[0].attributes.name, 'cpu usage');
  assert.deepEqual(signals[0].attributes.labels, {
    _field: ['usage'],
    _measurement: ['cpu'],
    host: ['a'],
    region: ['eu'],
  });
});

test('X11 lines are imported from standard input, compressed or not', async () => {
  const credentials = await integration('piped lines');
  const input = 'm v=1 1700000000000000000\nm v=2 1700000001000000000\n';
  const args = ['import', 'line-protocol', '-', '--credentials', credentials];
  for (const [created, piped] of [
    [1, input],
    [0, gzipSync(input)],
  ] as const) {
    const { code, stdout, stderr } = await tidemark(args, { input: piped });
    assert.match(stdout, new RegExp(`imported 2 points of 1 signal \\(${created} new\\) in`), stderr);
    assert.equal(code, 0, stderr);
  }
  assert.deepEqual(await pointsOf(credentials), ['2023-11-14T22:13:20Z,m#v,1', '2023-11-14T22:13:21Z,m#v,2']);
});

test('X11 several files in line protocol, in another precision, cut anywhere, and without a line break at the end', async () => {
  const credentials = await integration('many');
  const many = Array.from({ length: 120_000 }, (_, i) => `m,t=${i % 7} v=${i},w="x\ny" ${1_700_000_000 + i}`);
  await writeFile(join(directory, 'a.lp'), many.join('\n'));
  await writeFile(join(directory, 'b.lp'), 'm v=1 1700000000');
  const { stdout, stderr } = await importing(
    'line-protocol',
    credentials,
    ['a.lp', 'b.lp'],
    ['--precision', 's'],
  );
  assert.match(
    stdout,
    /a\.lp: imported 120000 points of 7 signals \(7 new\) in .*\n.*b\.lp: imported 1 point of 1/,
  );
  assert.match(stderr, /left out 120000 values/);
  const points = await pointsOf(credentials);
  assert.equal(points.length, 120_001);
  assert.equal(points[0], '2023-11-14T22:13:20Z,m#v,1');
  assert.equal(points[120_000], '2023-11-16T07:33:19Z,m/t:5#v,119999');
});

test('X10 Parquet of other programs: local and integer times, integers, booleans, text, and several codecs', async () => {
  const credentials = await integration('parquet');
  const wide = parquetWriteBuffer({
    columnData: [
      { name: 'ts', data: [1_714_564_800_000n, 1_714_564_801_000n, null], type: 'INT64', nullable: true },
      { name: 'flow m³/h', data: [1.5, Number.POSITIVE_INFINITY, 3], type: 'DOUBLE' },
      { name: 'big', data: [2n ** 53n, 2n ** 53n + 2n, 1n], type: 'INT64' },
      { name: 'on', data: [true, false, true], type: 'BOOLEAN' },
      { name: 'who', data: ['a', 'b', 'c'], type: 'STRING' },
    ],
  });
  await writeFile(join(directory, 'wide.parquet'), new Uint8Array(wide));
  const unclear = await importing('parquet', credentials, ['wide.parquet']);
  assert.match(
    unclear.stderr,
    /which column has the times\? Name it with --time; the file has "ts", "flow m³\/h"/,
  );
  assert.equal(unclear.code, 2);
  const text = await importing('parquet', credentials, ['wide.parquet'], ['--time', 'ts']);
  assert.match(text.stderr, /column "who" has text, which cannot be stored; leave it out with --map "who="/);
  const args = ['--time', 'ts', '--map', 'who=', '--map', 'flow m³/h=flow'];
  const { code, stdout, stderr } = await importing('parquet', credentials, ['wide.parquet'], args);
  assert.match(stdout, /^imported 4 points of 3 signals \(3 new\) in/, stderr);
  assert.match(stderr, /left out 1 line and 2 values, listed in/);
  assert.equal(code, 1);
  const rejects = await readFile(join(directory, 'wide.parquet.rejects.csv'), 'utf8');
  assert.match(rejects, /^2,"column ""flow m³\/h"" has the value Infinity; only finite/m);
  assert.match(rejects, /^2,"column ""big"" has the integer 9007199254740994; integers are exact up to/m);
  assert.match(rejects, /^3,has no time/m);
  assert.deepEqual(await pointsOf(credentials), [
    '2024-05-01T12:00:00Z,big,9007199254740992',
    '2024-05-01T12:00:00Z,flow,1.5',
    '2024-05-01T12:00:00Z,on,1',
    '2024-05-01T12:00:01Z,on,0',
  ]);
});

test('X10 a Parquet file of points by name, compressed as a whole, in local times of a zone', async () => {
  const credentials = await integration('long');
  const time = {
    name: 'time',
    type: 'INT64',
    repetition_type: 'REQUIRED',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
  } as const;
  const long = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: 3 },
      time,
      { name: 'signal', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' },
      { name: 'value', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
    ],
    columnData: [
      { name: 'time', data: [1_711_852_200_000_000_000n, 1_714_564_800_000_001_999n, 0n] },
      { name: 'signal', data: ['gap', 'pump 1', 'pump 1'] },
      { name: 'value', data: [1, 2, null] },
    ],
  });
  await writeFile(join(directory, 'long.parquet.zst'), zstdCompressSync(new Uint8Array(long)));
  const { stdout, stderr } = await importing(
    'parquet',
    credentials,
    ['long.parquet.zst'],
    ['--zone', 'Europe/Oslo'],
  );
  assert.match(stdout, /^imported 1 point of 1 signal \(1 new\) in/, stderr);
  assert.match(stderr, /left out 1 line, listed in/);
  assert.deepEqual(await pointsOf(credentials), ['2024-05-01T10:00:00.000001Z,pump_1,2']);
  await writeFile(join(directory, 'broken.parquet'), 'PAR1 and nothing else');
  const broken = await importing('parquet', credentials, ['broken.parquet']);
  assert.match(broken.stderr, /the file is not a Parquet file that can be read/);
  assert.equal(broken.code, 1);
});

test('X8, X9a an instance is exported as Parquet, compressed or not, and imported from standard input', async () => {
  const first = await integration('first');
  await writeFile(
    join(directory, 'first.jsonl'),
    '{"time":"1900-01-01T00:00:00.000001Z","signal":"a","value":-0}\n{"time":0,"signal":"b","value":5e-324}\n',
  );
  const made = await importing('jsonl', first, ['first.jsonl']);
  assert.equal(made.code, 0, made.stderr);
  const output = join(directory, 'all.parquet');
  const all = ['export', '--all', '--format', 'parquet', '--output', output, '--credentials', first];
  const exported = await tidemark(all);
  assert.equal(exported.code, 0, exported.stderr);
  const { integration: from } = await readCredentials(first);
  const file = await readFile(output);
  for (const [name, input] of Object.entries({ plain: file, compressed: zstdCompressSync(file) })) {
    const credentials = await integration(name);
    const args = ['import', 'parquet', '-', '--from', from, '--credentials', credentials];
    const restored = await tidemark(args, { input });
    assert.match(restored.stdout, /imported 2 points of 2 signals \(2 new\) in/, restored.stderr);
    assert.deepEqual(await pointsOf(credentials), await pointsOf(first));
  }
  const csv = await tidemark(['export', '--all', '--format', 'csv', '--output', 'x', '--credentials', first]);
  assert.match(csv.stderr, /--all needs --format jsonl or parquet/);
});

/** 300,000 points of three series, by input key; all of them have whole seconds. */
const killedCount = 300_000;
const killedStartS = 1_700_000_000;

const killedForms = {
  'line-protocol': () =>
    Array.from(
      { length: killedCount },
      (_, i) => `m,t=${i % 3} v=${i} ${BigInt(killedStartS + i) * 1_000_000_000n}\n`,
    ).join(''),
  parquet: () => {
    const rows = Array.from({ length: killedCount }, (_, i) => i);
    const columnData = [
      {
        name: 'time',
        data: rows.map((i) => new Date((killedStartS + i) * 1000)),
        type: 'TIMESTAMP' as const,
      },
      { name: 'signal', data: rows.map((i) => `m/t:${i % 3}#v`), type: 'STRING' as const },
      { name: 'value', data: Float64Array.from(rows), type: 'DOUBLE' as const },
    ];
    return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 50_000 }));
  },
};

for (const form of ['line-protocol', 'parquet'] as const) {
  test(`X10, X11 an import of ${form} that was killed is completed by importing again`, async () => {
    const credentials = await integration(`killed ${form}`);
    const { integration: id } = await readCredentials(credentials);
    const call = await client(await readCredentials(credentials));
    await writeFile(join(directory, `killed.${form}`), killedForms[form]());
    const controller = new AbortController();
    const path = join(directory, `killed.${form}`);
    const run = tidemark(['import', form, path, '--credentials', credentials], { signal: controller.signal });
    const hasBegun = async () =>
      (await call<{ data: unknown[] }>('admin.selectSignals', { integration: id })).data.length > 0;
    assert.ok(await until(hasBegun, 60_000));
    controller.abort();
    assert.equal((await run).code, null, 'the import was over before it was killed');
    const { code, stderr } = await importing(form, credentials, [`killed.${form}`]);
    assert.equal(code, 0, stderr);
    const points = await pointsOf(credentials);
    assert.equal(points.length, killedCount);
    assert.equal(new Set(points).size, killedCount);
    const sum = points.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(',') + 1)), 0);
    assert.equal(sum, (killedCount * (killedCount - 1)) / 2);
  });
}
