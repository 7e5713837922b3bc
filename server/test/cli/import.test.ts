/** `tidemark import csv`: files go in, and come out of the service again as they were. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { assertDay, assertEqual, type Call, client } from './imported.ts';
import { callBearer, readCredentials, serve, temporaryDirectory, tidemark, until } from './process.ts';
import { benchRuns, type Kind, kinds, mergeRecordings, type Recording, takeRecording } from './recordings.ts';

interface Rig {
  /** For the files of the test. */
  directory: string;
  data: string;
  /** The path of a credentials file with every grant. */
  credentials: string;
  file: CredentialsFile;
}

const data = join(await temporaryDirectory({ after }), 'data');
// Each import requests a token.
await serve({ after }, data, ['--limit', 'tokenRequestsPerMinute=1000']);

/** An integration of the test in the service of all tests. */
function open(t: TestContext): Promise<Rig> {
  return addIntegration(t, data);
}

async function addIntegration(t: TestContext, data: string): Promise<Rig> {
  const directory = await temporaryDirectory(t);
  const credentials = join(directory, 'credentials.json');
  const args = ['--data', data, '--grant', 'admin', '--grant', 'service', '--credentials', credentials];
  const { code, stderr } = await tidemark(['integration', 'create', 'importer', ...args]);
  assert.equal(code, 0, stderr);
  const file = await readCredentials(credentials);
  // A running service learns of a credential within a second (A1).
  assert.ok(await until(async () => (await callBearer(file, 'rpc.discover', {})).status === 200, 10_000));
  return { directory, data, credentials, file };
}

test('R9 a recording whose times repeat is imported over HTTP and reads back equal, the last of equal times', async (t) => {
  const rig = await open(t);
  const recording = await takeRecording(kinds.machine, rig.directory);
  const { code, stdout, stderr } = await tidemark([
    'import',
    'csv',
    recording.path,
    '--credentials',
    rig.credentials,
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^imported \d+ rows of 1 signal \(1 new\) in/);
  const call = await client(rig.file);
  const published = await assertEqual(call, rig.file.integration, recording);
  await assertDay(call, published.get('value')!.item, recording.columns.get('value')!, Date.UTC(2013, 11, 9));
});

test('R9 a test bench is imported into the data directory of a running service, its titles become keys and names', async (t) => {
  const rig = await open(t);
  const recording = await takeRecording(kinds.bench, rig.directory);
  const args = [
    'import',
    'csv',
    recording.path,
    '--data',
    rig.data,
    '--integration',
    rig.file.integration,
    '--json',
  ];
  const { code, stdout, stderr } = await tidemark(args);
  assert.equal(code, 0, stderr);
  const summary = JSON.parse(stdout);
  assert.deepEqual(
    [summary.separator, summary.time, summary.rejected],
    [';', { column: 'datetime', form: 'text' }, 0],
  );
  const call = await client(rig.file);
  const keyOf = (title: string) => title.replaceAll(' ', '_');
  const published = await assertEqual(call, rig.file.integration, recording, keyOf);
  assert.equal(published.get('Volume_Flow_RateRMS')!.name, 'Volume Flow RateRMS');
  await assertDay(
    call,
    published.get('Current')!.item,
    recording.columns.get('Current')!,
    Date.UTC(2020, 2, 9),
  );
});

test('R9 two years of hours are imported with Basic credentials; importing them again changes nothing', async (t) => {
  const rig = await open(t);
  const recording = await takeRecording(kinds.transformer, rig.directory);
  const credentials = join(rig.directory, 'basic.json');
  const create = [
    'credential',
    'create',
    rig.file.integration,
    '--type',
    'basic-auth',
    '--credentials',
    credentials,
  ];
  assert.equal((await tidemark([...create, '--data', rig.data])).code, 0);
  const args = ['import', 'csv', recording.path, '--credentials', credentials, '--prefix', 'ett/'];
  const first = await tidemark(args);
  assert.equal(first.code, 0, first.stderr);
  const again = await tidemark([...args, '--json']);
  assert.equal(again.code, 0, again.stderr);
  const { signals } = JSON.parse(again.stdout);
  assert.ok(Object.values<{ created: boolean }>(signals).every(({ created }) => !created));
  const call = await client(rig.file);
  const published = await assertEqual(call, rig.file.integration, recording, (title) => `ett/${title}`);
  await assertDay(call, published.get('ett/OT')!.item, recording.columns.get('OT')!, Date.UTC(2017, 2, 26));
});

test('R9 all recordings in one service, side by side: every point, last write wins, each day as computed from the files', async (t) => {
  const rig = await open(t);
  const load = async (kind: Kind, prefix: string): Promise<Recording> => {
    const recording = await takeRecording(kind, rig.directory);
    const args = ['import', 'csv', recording.path, '--credentials', rig.credentials, '--prefix', prefix];
    const { code, stdout, stderr } = await tidemark(args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^imported ${recording.rows} rows `));
    return recording;
  };
  const loadRuns = async () => {
    const runs: Recording[] = [];
    for (const kind of benchRuns) runs.push(await load(kind, 'bench/'));
    return mergeRecordings(runs);
  };
  const [bench, machine, transformer] = await Promise.all([
    loadRuns(),
    load(kinds.machine, 'machine/'),
    load(kinds.transformer, 'transformer/'),
  ]);
  assert.ok(machine.columns.get('value')!.size < machine.rows, 'no time of this recording repeats');

  const call = await client(rig.file);
  const { integration } = rig.file;
  const benchKey = (title: string) => `bench/${title.replaceAll(' ', '_')}`;
  const published = await assertEqual(call, integration, bench, benchKey);
  await assertEqual(call, integration, machine, (title) => `machine/${title}`);
  await assertEqual(call, integration, transformer, (title) => `transformer/${title}`);
  for (const [title, points] of bench.columns)
    await assertDay(call, published.get(benchKey(title))!.item, points, Date.UTC(2020, 2, 9));
  const machineItem = published.get('machine/value')!.item;
  await assertDay(call, machineItem, machine.columns.get('value')!, Date.UTC(2014, 0, 15));
  for (const [title, points] of transformer.columns) {
    const { item } = published.get(`transformer/${title}`)!;
    await assertDay(call, item, points, Date.UTC(2018, 1, 28));
  }
});

test('R9 an import that was killed is completed by importing again', async (t) => {
  const rig = await open(t);
  const recording = await takeRecording(kinds.transformer, rig.directory);
  const args = [
    'import',
    'csv',
    recording.path,
    '--credentials',
    rig.credentials,
    '--limit',
    'bodyBytesMax=20000',
  ];
  const call = await client(rig.file);
  await killAfterFirstPoint(args, rig, call);
  const { code, stderr } = await tidemark(args);
  assert.equal(code, 0, stderr);
  await assertEqual(call, rig.file.integration, recording);
});

async function killAfterFirstPoint(args: string[], rig: Rig, call: Call): Promise<void> {
  const controller = new AbortController();
  const run = tidemark(args, { signal: controller.signal });
  const query = { limit: 0, total: true };
  for (let total = 0; total === 0; ) {
    const { meta } = await call<{ meta: { total: number } }>('admin.selectSignals', {
      integration: rig.file.integration,
      query,
    });
    total = meta.total;
  }
  controller.abort();
  const { code } = await run;
  assert.equal(code, null, 'the import was over before it was killed');
}

test('E3 an import goes on when the service was away for a while', async (t) => {
  const own = join(await temporaryDirectory(t), 'data');
  const { url, stop } = await serve(t, own);
  const rig = await addIntegration(t, own);
  const recording = await takeRecording(kinds.machine, rig.directory);
  await stop();
  const { promise: hasWaited, resolve: onWait } = Promise.withResolvers<void>();
  const run = tidemark(['import', 'csv', recording.path, '--credentials', rig.credentials], {
    onStderr: (text) => text.includes('next attempt') && onWait(),
  });
  await Promise.race([hasWaited, run]);
  await serve(t, own, ['--port', new URL(url).port]);
  const { code, stdout, stderr } = await run;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^imported/);
  assert.match(stderr, /no answer from .*ECONNREFUSED; next attempt in 0.\d s/);
  await assertEqual(await client(rig.file), rig.file.integration, recording);
});

test('R9 what cannot be read is listed with line and reason, rows keep their other cells, the code is 1', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'odd.csv');
  const lines = [
    'time,a,"b, c"',
    '2024-01-01 00:00,1,',
    '2024-01-01 00:01,x,2',
    '',
    '2024-01-01 00:02,3,4,5',
    'yesterday,3,4',
    '2024-01-01 00:03,5,6',
  ];
  await writeFile(path, `\ufeff${lines.join('\r\n')}`);
  const { code, stdout, stderr } = await tidemark([
    'import',
    'csv',
    path,
    '--credentials',
    rig.credentials,
    '--json',
  ]);
  assert.equal(code, 1);
  assert.equal(stderr, '');
  const { rows, rejected, rejectedCells, rejects } = JSON.parse(stdout);
  assert.deepEqual([rows, rejected, rejects], [3, 2, `${path}.rejects.csv`]);
  assert.deepEqual(rejectedCells, { a: 1 });
  assert.deepEqual((await readFile(rejects, 'utf8')).split('\n'), [
    'line,reason,time,a,"b, c"',
    '3,"a: ""x"" is not a number",2024-01-01 00:01,x,2',
    '5,"must have 3 fields, has 4",2024-01-01 00:02,3,4,5',
    '6,"time: ""yesterday"" is not a time of the form of this file",yesterday,3,4',
    '',
  ]);
  const columns = new Map([
    [
      'a',
      new Map([
        [Date.UTC(2024, 0, 1, 0, 0), 1],
        [Date.UTC(2024, 0, 1, 0, 3), 5],
      ]),
    ],
    [
      'b_c',
      new Map([
        [Date.UTC(2024, 0, 1, 0, 1), 2],
        [Date.UTC(2024, 0, 1, 0, 3), 6],
      ]),
    ],
  ]);
  await assertEqual(await client(rig.file), rig.file.integration, { columns });
});

test('R9 an import reads standard input, a named separator, decimal commas, local times and mapped columns', async (t) => {
  const rig = await open(t);
  const input = 'a;b;when;c\n1,5;2;2024-07-01 12:00:00;3\n1,25;;2024-07-01 12:00:00.5;3\n';
  const args = ['import', 'csv', '-', '--credentials', rig.credentials, '--separator', ';', '--decimal', ','];
  const more = [
    '--zone',
    'Europe/Oslo',
    '--time',
    'when',
    '--map',
    'a=first',
    '--map',
    'c=',
    '--prefix',
    'p.',
  ];
  const { code, stderr } = await tidemark([...args, ...more], { input });
  assert.equal(code, 0, stderr);
  const ms = Date.UTC(2024, 6, 1, 10);
  const columns = new Map([
    [
      'first',
      new Map([
        [ms, 1.5],
        [ms + 500, 1.25],
      ]),
    ],
    ['p.b', new Map([[ms, 2]])],
  ]);
  const published = await assertEqual(await client(rig.file), rig.file.integration, { columns });
  assert.deepEqual([...published.keys()].sort(), ['first', 'p.b']);
});

test('Q3 rows around both clock changes become as many points, and a time that does not exist is listed', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'local.csv');
  const october = ['01:30', '02:00', '02:30', '02:00', '02:30', '03:00'].map((time) => `2024-10-27 ${time}`);
  const march = ['2024-03-31 01:30', '2024-03-31 02:30', '2024-03-31 03:00'];
  await writeFile(
    path,
    ['time,a', ...[...march, ...october].map((time, i) => `${time},${i}`), ''].join('\n'),
  );
  const args = ['import', 'csv', path, '--credentials', rig.credentials, '--zone', 'Europe/Oslo'];
  const { code, stderr } = await tidemark(args);
  assert.equal(code, 1);
  assert.match(stderr, /4 rows are in an hour that occurs twice in Europe\/Oslo/);
  assert.match(stderr, /left out 1 row, listed in/);
  const rejects = await readFile(`${path}.rejects.csv`, 'utf8');
  assert.match(rejects, /^3,time: the time of this row does not exist in Europe\/Oslo/m);
  const points = [
    [Date.UTC(2024, 2, 31, 0, 30), 0],
    [Date.UTC(2024, 2, 31, 1), 2],
    [Date.UTC(2024, 9, 26, 23, 30), 3],
    [Date.UTC(2024, 9, 27, 0), 4],
    [Date.UTC(2024, 9, 27, 0, 30), 5],
    [Date.UTC(2024, 9, 27, 1), 6],
    [Date.UTC(2024, 9, 27, 1, 30), 7],
    [Date.UTC(2024, 9, 27, 2), 8],
  ] as const;
  await assertEqual(await client(rig.file), rig.file.integration, {
    columns: new Map([['a', new Map(points)]]),
  });
});

test('R2 words become states with --states, and later where the signal has them, over HTTP and into the directory of a running service', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'states.csv');
  const write = (...words: string[]) =>
    writeFile(path, ['time,mode', ...words.map((word, i) => `2024-01-01 00:0${i},${word}`), ''].join('\n'));
  const remote = ['import', 'csv', path, '--credentials', rig.credentials, '--json'];
  await write('off', 'on', 'off');
  const first = await tidemark([...remote, '--states', 'mode']);
  assert.equal(first.code, 0, first.stderr);
  await write('on', 'off', 'NaN', 'broken');
  const second = await tidemark(remote);
  assert.equal(second.code, 1);
  const summary = JSON.parse(second.stdout);
  assert.deepEqual([summary.rows, summary.rejected], [3, 1]);
  assert.match(
    await readFile(summary.rejects, 'utf8'),
    /"mode: ""broken"" is not a state of the signal \(off, on\)"/,
  );
  const direct = ['import', 'csv', path, '--data', rig.data, '--integration', rig.file.integration];
  const third = await tidemark([...direct, '--states', 'mode']);
  assert.equal(third.code, 0, third.stderr);
  await assert.rejects(stat(summary.rejects), 'a rejects file of an earlier import is left');
  const call = await client(rig.file);
  const { data } = await call<{ data: { attributes: { valueType: string; enumValues: object } }[] }>(
    'admin.selectSignals',
    { integration: rig.file.integration, query: {}, format: { dataAsArray: true } },
  );
  assert.deepEqual(
    [data[0].attributes.valueType, data[0].attributes.enumValues],
    ['enum', { 0: 'off', 1: 'on', 2: 'broken' }],
  );
  const minutes = [1, 0, 0, 2].map((value, minute) => [Date.UTC(2024, 0, 1, 0, minute), value] as const);
  await assertEqual(call, rig.file.integration, { columns: new Map([['mode', new Map(minutes)]]) });
});

test('R9 several files are imported by one command; a file with names of columns only is said to have no row', async (t) => {
  const rig = await open(t);
  const paths = ['a.csv', 'b.csv', 'c.csv'].map((name) => join(rig.directory, name));
  await writeFile(paths[0], 'time,x\n2024-01-01,1\n');
  await writeFile(paths[1], 'sep=;\r\nDate;Time;x\r\n02.01.2024;13:00;2,5\r\n');
  await writeFile(paths[2], 'time,x\n');
  const args = ['import', 'csv', ...paths, '--credentials', rig.credentials];
  const { code, stdout, stderr } = await tidemark(args);
  assert.equal(code, 0, stderr);
  const lines = stdout.split('\n');
  assert.ok(lines[1].startsWith(`${paths[1]}: imported 1 row of 1 signal`), stdout);
  assert.match(stderr, /read from the columns Date\+Time/);
  assert.match(stderr, /with a decimal comma/);
  assert.match(stderr, /names of columns, but no rows/);
  const points = new Map([
    [Date.UTC(2024, 0, 1), 1],
    [Date.UTC(2024, 0, 2, 13), 2.5],
  ]);
  await assertEqual(await client(rig.file), rig.file.integration, { columns: new Map([['x', points]]) });
  const named = await tidemark([...args, '--rejects', 'r.csv']);
  assert.deepEqual(
    [named.code, named.stderr],
    [2, 'tidemark: --rejects names one file and cannot be used with several files\n'],
  );
  await writeFile(paths[1], '\n');
  const broken = await tidemark(args);
  assert.deepEqual([broken.code, broken.stderr], [1, `tidemark: ${paths[1]}: the file is empty\n`]);
});

test('R9 a file without a row imports nothing, and makes no rejects file', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'empty.csv');
  await writeFile(path, '');
  const args = ['import', 'csv', path, '--credentials', rig.credentials];
  const { code, stderr } = await tidemark(args);
  assert.deepEqual([code, stderr], [1, 'tidemark: the file is empty\n']);
  await assert.rejects(stat(`${path}.rejects.csv`));
});

const failures: [string, (rig: Rig) => string[], number, RegExp][] = [
  [
    'an integration that there is not',
    (rig) => ['--data', rig.data, '--integration', 'c'.repeat(20)],
    2,
    /unknown integration/,
  ],
  [
    'a data directory that there is not',
    (rig) => ['--data', join(rig.directory, 'x'), '--integration', 'c'],
    1,
    /no data directory/,
  ],
  [
    'a credentials file that there is not',
    (rig) => ['--credentials', join(rig.directory, 'x')],
    2,
    /no such file/,
  ],
  [
    'a file that is not a credentials file',
    (rig) => ['--credentials', join(rig.directory, 'good.csv')],
    2,
    /is not a credentials file/,
  ],
  [
    'a zone that there is not',
    (rig) => ['--credentials', rig.credentials, '--zone', 'Mars'],
    2,
    /--zone: must be a TZ database name/,
  ],
  [
    'a separator of two characters',
    (rig) => ['--credentials', rig.credentials, '--separator', '::'],
    2,
    /--separator must be one character/,
  ],
];

test('L1 an import that cannot begin says why in one line', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'good.csv');
  await writeFile(path, 'time,a\n2024-01-01,1\n');
  for (const [name, args, code, message] of failures) {
    const outcome = await tidemark(['import', 'csv', path, ...args(rig)]);
    assert.equal(outcome.code, code, `${name}: ${outcome.stderr}`);
    assert.match(outcome.stderr, message);
    assert.match(outcome.stderr, /^tidemark: .*\n$/);
  }
});

test('A4 an import with a revoked credential fails and does not show the secret', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'good.csv');
  await writeFile(path, 'time,a\n2024-01-01,1\n');
  const { clientId, clientSecret } = rig.file.credentials;
  assert.equal((await tidemark(['credential', 'revoke', clientId, '--yes', '--data', rig.data])).code, 0);
  assert.ok(await until(async () => (await callBearer(rig.file, 'rpc.discover', {})).status === 401, 10_000));
  const { code, stdout, stderr } = await tidemark(['import', 'csv', path, '--credentials', rig.credentials]);
  assert.equal(code, 1);
  assert.match(stderr, /answered 401/);
  assert.ok(!`${stdout}${stderr}`.includes(clientSecret));
});
