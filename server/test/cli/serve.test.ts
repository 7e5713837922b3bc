/** The life of `tidemark serve`: start, signals, and starts that cannot be. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { type Ending, type Serving, serve, temporaryDirectory, tidemark, until } from './process.ts';

async function dataOf(t: Ending): Promise<string> {
  return join(await temporaryDirectory(t), 'data');
}

/** A service without options, for the tests that only look at it. */
const sharedData = await dataOf({ after });
const shared = await serve({ after }, sharedData);

test('W5 serve says where it listens, as a JSON line on stdout, and answers there', async () => {
  const line = shared.output.stdout.split('\n').find((text) => text.includes('"listening"'))!;
  const { level, time, url, msg } = JSON.parse(line);
  assert.deepEqual([level, url, msg], ['info', shared.url, 'listening']);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal((await fetch(`${shared.url}/healthz`)).status, 200);
});

/** A thread of a process, as Linux runs it. */
interface ThreadState {
  name: string;
  niceness: number;
  /** Numbers of the processors that it may use, such as `0-3`. */
  processors: string;
}

async function threadsOf(pid: number | undefined): Promise<ThreadState[]> {
  const tasks = `/proc/${pid}/task`;
  return Promise.all(
    (await readdir(tasks)).map(async (id) => {
      const [, name, fields] = (await readFile(`${tasks}/${id}/stat`, 'utf8')).match(/\((.*)\) (.*)/)!;
      const [, processors] = (await readFile(`${tasks}/${id}/status`, 'utf8')).match(
        /allowed_list:\s*(\S+)/,
      )!;
      return { name, niceness: Number(fields.split(' ')[16]), processors };
    }),
  );
}

if (process.platform === 'linux') {
  test('E3 threads for large reads let service threads go first; those for passwords and compression do not, since service threads wait for them', async () => {
    const threads = await threadsOf(shared.child.pid);
    const nicenessOf = (name: string) =>
      threads.filter((thread) => thread.name === name).map((thread) => thread.niceness);
    const own = Math.min(...threads.map((thread) => thread.niceness));
    const pool = nicenessOf('libuv-worker');
    assert.ok(pool.length > 0 && pool.every((niceness) => niceness === own), pool.join());
    assert.ok(nicenessOf('reader').includes(Math.min(19, own + 10)));
  });

  test('E3 each service thread has a processor of its own, unless other programs need these', async (t) => {
    const count = availableParallelism();
    const processorsOf = async (...args: string[]) => {
      const service = await serve(t, await dataOf(t), ['--threads', String(count), ...args]);
      const threads = await threadsOf(service.child.pid);
      const ofThreads = (names: RegExp) =>
        new Set(threads.filter(({ name }) => names.test(name)).map(({ processors }) => processors));
      return {
        serving: ofThreads(/^(node-MainThread|service-\d+)$/),
        others: ofThreads(/^(writer|reader)$/),
      };
    };
    const [{ processors: all }] = await threadsOf(process.pid);
    const own = await processorsOf();
    assert.equal(own.serving.size, count, [...own.serving].join(' '));
    assert.deepEqual(own.others, new Set([all]));
    assert.deepEqual((await processorsOf('--share-processors')).serving, new Set([all]));
  });
}

test('W5 serve takes its settings from environment and file', async (t) => {
  const data = await dataOf(t);
  const path = join(await temporaryDirectory(t), 'tidemark.json');
  await writeFile(path, JSON.stringify({ baseUrl: 'https://signals.example.com', logLevel: 'warn' }));
  const env = { TIDEMARK_CONFIG: path, TIDEMARK_LOG_LEVEL: 'info', TIDEMARK_LIMIT_BODY_BYTES_MAX: '1024' };
  const service = await serve(t, data, [], { env });
  assert.match(service.output.stdout, /"baseUrl":"https:\/\/signals\.example\.com"/);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { text: 'x'.repeat(2000) } });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${service.url}/v1/rpc`, { method: 'POST', headers, body });
  assert.ok([401, 413].includes(response.status), String(response.status));
});

/** How a running process was started, according to Linux: its arguments and its environment. */
async function startOf(pid: number | undefined): Promise<{ args: string[]; env: string[] }> {
  const [args, env] = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  );
  return { args: args.split('\0'), env: env.split('\0') };
}

if (process.platform === 'linux') {
  test('E3 serve begins again with settings that spare memory and processors, as the same process', async () => {
    const { args, env } = await startOf(shared.child.pid);
    assert.ok(args.includes('--max-semi-space-size=8'), args.join(' '));
    const threads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
    assert.ok(args.includes(`--v8-pool-size=${threads}`), args.join(' '));
    for (const setting of ['ARENA_MAX=16', 'MMAP_THRESHOLD_=262144', 'TRIM_THRESHOLD_=1048576'])
      assert.ok(env.includes(`MALLOC_${setting}`), setting);
  });

  test('E3 serve leaves the settings that were made by others', async (t) => {
    const nodeOptions = ['--max-semi-space-size=16', '--v8-pool-size=3'];
    const service = await serve(t, await dataOf(t), [], { env: { MALLOC_ARENA_MAX: '3' }, nodeOptions });
    const { args, env } = await startOf(service.child.pid);
    assert.deepEqual(
      args.filter((arg) => /semi|pool/.test(arg)),
      nodeOptions,
    );
    assert.ok(env.includes('MALLOC_ARENA_MAX=3'));
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`E3 ${signal} ends the service with code 0, and it can be started again`, async (t) => {
    const data = await dataOf(t);
    const service = await serve(t, data);
    assert.equal(await service.stop(signal), 0);
    assert.match(service.output.stdout, /"msg":"stopped"\}\n$/);
    const again = await serve(t, data);
    assert.equal(await again.stop(), 0);
  });
}

test('E3 a service that npx started stops when npx gets a signal', async (t) => {
  const data = await dataOf(t);
  const npx = spawn('npx', ['--no', 'tidemark', 'serve', '--data', data, '--port', '0'], {
    cwd: import.meta.dirname,
  });
  t.after(() => npx.kill('SIGKILL'));
  let output = '';
  npx.stdout.on('data', (text) => {
    output += text;
  });
  assert.ok(await until(() => output.includes('"msg":"listening"'), 60_000), output);
  npx.kill('SIGTERM');
  // The service holds the other end of the pipe until it has stopped.
  await once(npx.stdout, 'end');
  assert.match(output, /"reason":"npm has ended".*\n.*"msg":"stopped"\}\n$/s);
});

/** A request whose body does not come. */
async function openSlowRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n',
  );
  return socket;
}

/** Whether so many slow requests have begun; the one that asks is in progress too. */
async function hasBegun({ url }: Serving, count = 1): Promise<boolean> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return metrics.includes(`\ntidemark_http_running ${count + 1}\n`);
}

test('E3 a call that does not end is cut off, and the service ends with code 0', async (t) => {
  const service = await serve(t, await dataOf(t));
  const socket = await openSlowRequest(service.url);
  assert.ok(await until(() => hasBegun(service), 10_000));
  // Code 1 would mean that the service did not end by itself, and the process ended it.
  assert.equal(await service.stop(), 0);
  socket.destroy();
});

test('E3 a service thread that fails ends the process with an error that says so', async (t) => {
  // A module that is loaded before the thread's own, and fails in one of them when a file exists.
  const signal = join(await temporaryDirectory(t), 'fail');
  const code = `import { existsSync } from 'node:fs';
    import { isMainThread, workerData } from 'node:worker_threads';
    const fail = () => { if (existsSync(${JSON.stringify(signal)})) throw new Error('out of order'); };
    if (!isMainThread && workerData?.index === 1) setInterval(fail, 50);`;
  const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
  const service = await serve(t, await dataOf(t), ['--threads', '3'], { nodeOptions });
  await writeFile(signal, '');
  const [exitCode] = await once(service.child, 'close');
  assert.notEqual(exitCode, 0);
  assert.match(
    service.output.stdout,
    /"level":"error".*"out of order".*a service thread has failed: the process ends/,
  );
  assert.match(service.output.stderr, /out of order/);
});

test('E3 several threads end together: open calls of all are answered first', async (t) => {
  const service = await serve(t, await dataOf(t), ['--threads', '3']);
  const clients = await Promise.all(Array.from({ length: 12 }, () => openSlowRequest(service.url)));
  const answers = clients.map(async (client) => (await text(client)).split('\r\n')[0]);
  assert.ok(await until(() => hasBegun(service, clients.length), 10_000));
  const ended = service.stop();
  assert.ok(await until(() => service.output.stdout.includes('"stopping"'), 10_000));
  for (const client of clients) client.write('a=1&b=2&c');
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 400 Bad Request']));
  assert.equal(await ended, 0);
});

test('E3 a second signal ends the service at once', async (t) => {
  const service = await serve(t, await dataOf(t));
  const socket = await openSlowRequest(service.url);
  assert.ok(await until(() => hasBegun(service), 10_000));
  const stopped = service.stop();
  assert.ok(await until(() => service.output.stdout.includes('"stopping"'), 10_000));
  assert.equal(await service.stop('SIGINT'), 1);
  await stopped;
  socket.destroy();
});

test('L1 a SIGHUP during the start does not end the service, which then reads its configuration again', async (t) => {
  const data = await dataOf(t);
  const onStart = async (child: ChildProcess) => {
    // The store is opened long before the service listens.
    assert.ok(await until(() => existsSync(join(data, 'tidemark.lock')), 30_000));
    child.kill('SIGHUP');
  };
  const service = await serve(t, data, [], { onStart });
  assert.ok(await until(() => service.output.stdout.includes('the configuration was read again'), 10_000));
  assert.equal(await service.stop(), 0);
});

/** What a start that fails says: one line, code 1. */
async function assertRefused(args: string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await tidemark(['serve', ...args]);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(stderr, message);
  assert.match(stderr, /^tidemark: .*\n$/);
}

test('L1 a port that is taken', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address!.port : 0;
  const args = ['--data', await dataOf(t), '--port', String(port)];
  await assertRefused(args, new RegExp(`port ${port} of 127.0.0.1 is in use by another process; .*--port`));
});

test('L1 a host that is not of this machine', async (t) => {
  const data = await dataOf(t);
  await assertRefused(
    ['--data', data, '--host', '192.0.2.1', '--insecure'],
    /192\.0\.2\.1 is not an address of this machine/,
  );
  await assertRefused(
    ['--data', data, '--host', '192.0.2.1', '--insecure', '--port', '0'],
    /is not an address of this machine/,
  );
});

test('L1 a data directory that is served already', async () => {
  await assertRefused(['--data', sharedData, '--port', '0'], /already served by another process/);
});

test('L1 a data directory whose place is a file', async (t) => {
  const path = join(await temporaryDirectory(t), 'data');
  await writeFile(path, 'x');
  await assertRefused(['--data', path, '--port', '0'], /tidemark: .*data/);
});

test('L1 a store that is damaged', async (t) => {
  const data = await dataOf(t);
  await mkdir(data);
  await writeFile(
    join(data, 'tidemark.db'),
    'this is no database, but it is long enough to look at '.repeat(20),
  );
  await assertRefused(['--data', data, '--port', '0'], /is damaged or not a store of this program/);
});

test('L1 a store of a newer program', async (t) => {
  const data = await dataOf(t);
  const service = await serve(t, data);
  assert.equal(await service.stop(), 0);
  const db = new DatabaseSync(join(data, 'tidemark.db'));
  db.exec('pragma user_version = 999');
  db.close();
  await assertRefused(['--data', data, '--port', '0'], /has format 999, this program knows up to/);
});
