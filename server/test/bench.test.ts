/** Every part of the benchmark runs, on small data: what is not run rots. Nothing here is about how fast anything is. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '../bench/client.ts';
import { cutBlocks, measureMethod, methods } from '../bench/codec.ts';
import { generatedSets, sharedRows } from '../bench/density.ts';
import { shapes } from '../bench/frames.ts';
import { watchMachine } from '../bench/machine-watch.ts';
import { peers } from '../bench/peers/main.ts';
import { comparison, printFigure, summary, verdict } from '../bench/report.ts';
import { compileCache } from './support/compile-cache.ts';
import { serviceThreads } from './support/service-threads.ts';

const main = join(import.meta.dirname, '../bench/main.ts');

/** The lines of a run; it fails when an answer differs from what the generator says. */
async function bench(...parts: string[]): Promise<string> {
  const args = ['--tiny', '--seconds', '0.06', '--times', '1', '--only', parts.join()];
  const options = { timeout: 600_000, env: { ...process.env, ...compileCache, ...serviceThreads } };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], options);
  return stdout;
}

/** Each of these names begins a line. */
function assertFigures(text: string, names: readonly string[]): void {
  const lines = text.split('\n');
  const missing = names.filter((name) => !lines.some((line) => line.startsWith(name)));
  assert.deepEqual(missing, [], text);
}

suite('every part runs', { concurrency: true }, () => {
  test('the parts about inserting, reading, density and codec give all their figures', async () => {
    const text = await bench('ingest', 'query', 'arrow', 'labels', 'density', 'codec');
    assertFigures(text, [
      ...shapes.flatMap(({ name }) => [
        ...[`ingest ${name} `, `ingest ${name}, of the floor`, `ingest ${name}, processor`],
        ...[`ingest ${name}, written, 1 client`, `ingest ${name}, event loop`],
      ]),
      'memory under ingest',
      'raw 21,600 points of one signal',
      'hourly rollup, 50 signals × 10,080 points',
      'one window, 50 signals × 10,080 points',
      'minute averages, 10 signals × 21,600 points',
      'Europe/Berlin days, 10 signals × 10,080 points',
      'formula of 3 signals, hourly, 7 days',
      'formula of 3 signals, hourly, 7 days, 8 clients',
      'raw 21,600 points of one signal, the first 50 after a start',
      'raw 21,600 points of one signal, as Arrow',
      'ingest 100×100 as Arrow',
      '50 of 500 signals by label',
      ...generatedSets.map(({ name }) => `on disk: ${name}`),
      `on disk: ${sharedRows}`,
      'file, second half of overwriting',
      'file, at rest after overwriting',
      ...methods.flatMap((method) => generatedSets.map(({ name }) => `${method.name}: ${name}`)),
    ]);
    assert.match(text, /^\d+ of 33 targets reached, \d+ short; load /m);
  });

  test('the parts about files and line protocol give their figures', async () => {
    assertFigures(await bench('export', 'lines'), [
      'import of a CSV file, 3 columns',
      ...['csv long', 'csv wide', 'jsonl long', 'parquet long', 'parquet wide'].flatMap((form) => [
        ...[`export ${form} `, `export ${form}, growth`],
      ]),
      ...[5000, 100].map((lines) => `line protocol, bodies of ${lines} lines`),
    ]);
  });

  test('the part about more than the service can do gives its figures', async () => {
    assertFigures(await bench('overload'), [
      '50 idle connections: open at the end',
      '20 parallel inserts: accepted',
      '5 parallel evaluates: accepted',
      'evaluates end after their clients have left',
    ]);
  });

  test('the part about much data gives its figures', async () => {
    assertFigures(await bench('large'), [
      'insert 50 × 2,000 points',
      'hourly rollup, 50 signals × 2,000 points',
      'one window, 50 signals × 2,000 points',
      'start with 0.2 M points',
      `slower with 1,000 signals: ingest ${shapes[0].name}`,
      'slower with 1,000 signals: 50 of 1,000 signals by label',
    ]);
  });

  test('each peer is measured, or named with the line that installs it', async () => {
    const text = await bench('peers');
    for (const { name, install, isInstalled } of peers) {
      const wanted = isInstalled()
        ? [`${name}: raw 21,600 points of one signal, ratio`, `${name}: ingest 100×100 `]
        : [`${name} is not installed, and not measured: ${install}`];
      assertFigures(text, wanted);
    }
  });
});

test('a client whose connection was closed while it was idle makes another one', async () => {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.end('yes')),
  );
  const connection = once(server, 'connection');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const client = await Client.open(url);
  const request = Buffer.from(`GET / HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  const answers = [String((await client.send(request)).body)];
  const [socket] = (await connection) as [Socket];
  // It closes when the other side has ended too.
  await once(socket.end(), 'close');
  answers.push(String((await client.send(request)).body));
  assert.deepEqual(answers, ['yes', 'yes']);
  client.close();
  server.close();
});

test('a target is reached from both sides, and counted', () => {
  const rate = { name: 'rate', value: 5, unit: '1/s', target: { least: 5 } };
  const time = { name: 'time', value: 6, unit: 'ms', target: { most: 5 } };
  const free = { name: 'free', value: 1, unit: 'ms' };
  assert.deepEqual([rate, time, free].map(verdict), ['ok', 'short', '']);
  assert.equal(summary([rate, time, free]), '1 of 2 targets reached, 1 short');
  assert.match(printFigure(time), /^time +6\.00 ms +≤ 5 +short$/);
});

test('what peers were measured in too is a table; there is none without peers', () => {
  const figure = (name: string, value: number) => ({ name, value, unit: 'ms' });
  const own = [figure('raw', 5), figure('on disk: walk', 1), figure('memory', 2)];
  assert.deepEqual(comparison(own), []);
  const [head, ...rows] = comparison([...own, figure('DuckDB: raw', 12), figure('Other: on disk: walk', 1)]);
  assert.match(head, /^ +Tidemark +DuckDB$/);
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)),
    [['raw, ms', '5.00', '12.0']],
  );
});

test('a method of the codec part that changes a value is found out', () => {
  const blocks = generatedSets.flatMap(({ make }) => cutBlocks(make(100, 1)));
  const [codec] = methods;
  const wrong = {
    ...codec,
    encode: (points: (typeof blocks)[0]) =>
      codec.encode({ ...points, values: points.values.map((v) => v + 1) }),
  };
  assert.throws(() => measureMethod('', wrong, blocks, 0), /came back differently/);
});

test('a time in which the machine runs nothing is noticed', async () => {
  const watch = await watchMachine();
  watch.process.kill('SIGSTOP');
  await sleep(400);
  watch.process.kill('SIGCONT');
  const longestMs = await watch.end();
  assert.ok(longestMs > 300 && longestMs < 60_000, `${longestMs} ms`);
});
