/** The writer with a whole service that is killed, slow, full, over its quota, or that revokes: nothing written is lost. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../server/test/cli/process.ts';
import { Client } from '../src/client.ts';
import { FileQueue } from '../src/file-queue.ts';
import { Writer } from '../src/writer.ts';
import { limitFiles, open, type Rig } from './rig.ts';

const patience = { firstMs: 20, longestMs: 100 };
const child = fileURLToPath(new URL('writer-child.ts', import.meta.url));
const msMax = 60_000;

/** A writer of the rig's integration, with a queue in files. */
async function write(t: TestContext, rig: Rig, timeoutMs = 60_000): Promise<Writer> {
  const client = Client.fromFile(rig.credentials, { timeoutMs });
  const queue = new FileQueue({ directory: join(rig.directory, 'queue') });
  const onLoss = () => assert.fail('points were lost');
  const { integration } = rig.credentials;
  const writer = await Writer.open(client, { integration, queue, patience, onLoss });
  t.after(() => writer.close({ timeoutMs: 1 }));
  return writer;
}

/** Writes the points 0 to end - 1, in batches of 100. */
async function writeNumbers(writer: Writer, end: number): Promise<void> {
  for (let number = 0; number < end; number++) {
    writer.write('number', number, number);
    if (number % 100 === 99) await writer.store();
  }
}

/** Starts the program that writes without end; the number of the last point that it has stored, at its end. */
async function startChild(rig: Rig, first: number, end: string) {
  const path = join(rig.directory, 'child.json');
  await writeFile(path, JSON.stringify(rig.credentials));
  const program = fork(child, [path, join(rig.directory, 'queue'), String(first), end], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  program.stdout!.on('data', (chunk) => (output += chunk));
  const stored = () => Number(output.trimEnd().split('\n').at(-1) || -1);
  const closed = once(program, 'close');
  return { program, stored, closed };
}

test('R9 a service that is killed while a program writes has all of its points after the next start', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  let service = await rig.start();
  const writer = await write(t, rig);
  const writing = writeNumbers(writer, 6000);
  for (let round = 1; round <= 3; round++) {
    assert.ok(await until(() => writer.status().sent >= round * 500, msMax), 'nothing is sent');
    await service.stop('SIGKILL');
    service = await rig.start();
  }
  await writing;
  await writer.flush({ timeoutMs: msMax });
  assert.deepEqual(await rig.numbers(), { count: 6000, sum: (6000 * 5999) / 2 });
});

test('what a program has stored in its file queue reaches the service although it is killed with the service away', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  await (await rig.start()).stop();
  let last = -1;
  for (let round = 0; round < 3; round++) {
    const { program, stored, closed } = await startChild(rig, last + 1, 'kill');
    const least = last + 500;
    assert.ok(await until(() => stored() >= least, msMax), 'nothing is stored');
    program.kill('SIGKILL');
    await closed;
    last = stored();
  }
  await rig.start();
  const writer = await write(t, rig);
  assert.ok(writer.status().queued > last, `${writer.status().queued} points in the queue`);
  await writer.flush({ timeoutMs: msMax });
  const { count } = await rig.numbers(last + 1);
  assert.equal(count, last + 1);
});

test('a program that is asked to end, or that exits, leaves nothing behind', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  await rig.start();
  const first = 0;
  for (const end of ['signal', 'exit']) {
    const { program, stored, closed } = await startChild(rig, first, end);
    assert.ok(await until(() => stored() >= first + 100, msMax), 'nothing is stored');
    if (end === 'signal') program.kill('SIGTERM');
    else program.send('end');
    const [code, signal] = await closed;
    assert.deepEqual([code, signal], end === 'signal' ? [null, 'SIGTERM'] : [0, null]);
    const writer = await write(t, rig);
    await writer.flush({ timeoutMs: msMax });
    await writer.close();
    const { count } = await rig.numbers(stored() + 1);
    assert.equal(count, stored() - first + 1);
  }
});

test('A1b L4 a writer whose integration is disabled, or over its quota, waits until that is changed', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  await rig.start();
  const writer = await write(t, rig);
  const { integration } = rig.credentials;
  const changes: [string[], string[], RegExp][] = [
    [['integration', 'disable', integration], ['integration', 'enable', integration], /HTTP 401/],
    [
      ['plan', 'set', 'default', '--points-per-day', '1'],
      ['plan', 'set', 'default', '--points-per-day', 'unlimited'],
      /allows 1 point a day/,
    ],
  ];
  for (const [i, [refuse, allow, message]] of changes.entries()) {
    await rig.run(refuse);
    const from = i * 1000;
    // It takes effect within a second.
    for (let number = from; writer.status().problem === null; number++) {
      writer.write('probe', number, number);
      await writer.store();
      assert.ok(number < from + 900);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.match(String(writer.status().problem), message);
    writer.write('number', i, i);
    await rig.run(allow);
    await writer.flush({ timeoutMs: msMax });
  }
  assert.deepEqual(await rig.numbers(), { count: 2, sum: 1 });
});

test('E3 a service whose disk is full gets the points when it has space again', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  const service = await rig.start();
  const writer = await write(t, rig);
  writer.write('number', 0, 0);
  await writer.flush();
  await limitFiles(service.child.pid!, 1024);
  await writeNumbers(writer, 5000);
  assert.ok(await until(() => writer.status().problem !== null, msMax), 'it was stored');
  assert.match(String(writer.status().problem), /HTTP 503.*the disk/);
  await limitFiles(service.child.pid!, 'unlimited');
  await writer.flush({ timeoutMs: msMax });
  assert.deepEqual(await rig.numbers(), { count: 5000, sum: (5000 * 4999) / 2 });
});

test('a request that gets no answer in time is sent again', { timeout: 180_000 }, async (t) => {
  const rig = await open(t);
  const service = await rig.start();
  const slow = await startSlow(t, Number(new URL(service.url).port));
  rig.credentials.apiUrl = `http://127.0.0.1:${slow.port}/v1/`;
  const writer = await write(t, rig, 2000);
  writer.write('number', 7, 7);
  await until(() => writer.status().problem !== null, msMax);
  assert.match(String(writer.status().problem), /no answer from .* within 2000 ms/);
  slow.release();
  await writer.flush({ timeoutMs: msMax });
  assert.deepEqual(await rig.numbers(), { count: 1, sum: 7 });
});

/** Passes connections on to a port; before its release it accepts them only. */
async function startSlow(t: TestContext, target: number) {
  let isHeld = true;
  const held = new Set<Socket>();
  const server = createServer((from) => {
    held.add(from);
    from.on('error', () => {});
    if (isHeld) return;
    const to = connect(target, '127.0.0.1');
    held.add(to);
    to.on('error', () => from.destroy());
    from.pipe(to).pipe(from);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of held) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const release = () => {
    isHeld = false;
  };
  return { port, release };
}
