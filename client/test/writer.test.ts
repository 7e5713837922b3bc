/** The writer against servers with scripted answers: what it sends, repeats, divides, holds back, and gives up. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readArrow, writeArrow } from '../src/arrow.ts';
import { Client, type Credentials, ServiceError, systemEnvironment } from '../src/client.ts';
import type { Points } from '../src/points.ts';
import { MemoryQueue } from '../src/queue.ts';
import { type PointLoss, Writer, type WriterOptions } from '../src/writer.ts';
import { done, FastEnvironment, fault, type Reply, type Seen, startScript } from './support.ts';

const credentials: Credentials = { type: 'basic-auth', clientId: 'me', clientSecret: 's' };
const integration = 'c0000000000000000000';

/** A writer against a script; both end with the test. Batches are stored by hand, or after a long time. */
async function start(
  t: TestContext,
  reply: (seen: Seen, count: number) => Reply | null,
  options: Partial<WriterOptions> = {},
) {
  const server = await startScript(reply);
  t.after(() => server.close());
  const environment = new FastEnvironment();
  const client = new Client({ apiUrl: server.apiUrl, credentials, environment });
  const losses: PointLoss[] = [];
  const errors: ServiceError[] = [];
  const writer = await Writer.open(client, {
    integration,
    environment,
    onLoss: (loss) => losses.push(loss),
    onRetry: (error) => errors.push(error),
    ...options,
  });
  t.after(() => writer.close({ timeoutMs: 1 }));
  return { writer, losses, errors, environment, seen: server.seen };
}

/** The frames of the calls, in order. */
function framesOf(seen: readonly Seen[]): { times: string[]; series: Record<string, (number | null)[]> }[] {
  return seen.map(({ body }) => JSON.parse(body).params.data);
}

test('points of one time go together, sorted, compressed; the time of a value is now unless it is said', async (t) => {
  const { writer, seen } = await start(t, () => done);
  writer.write('b', 2, '2026-03-01T09:00:01Z');
  writer.write('a', 1, 1_772_355_600);
  writer.write('b', 3);
  await writer.flush();
  assert.deepEqual(framesOf(seen), [
    { times: ['2026-03-01T09:00:00Z', '2026-03-01T09:00:01Z'], series: { b: [3, 2], a: [1, null] } },
  ]);
  assert.equal(seen[0].headers['content-encoding'], 'gzip');
  const { written, sent, lost, queued, gathered, problem } = writer.status();
  assert.deepEqual(
    { written, sent, lost, queued, gathered, problem },
    {
      ...{ written: 3, sent: 3, lost: 0, queued: 0, gathered: 0, problem: null },
    },
  );
});

test('a batch is sent when it has enough points, or when it is old enough', async (t) => {
  const { writer, seen } = await start(t, () => done, { batchPoints: 2 });
  writer.writeFrame({ times: [0, 1], series: { a: [1, 2] } });
  writer.write('a', 3, 2);
  // The pauses of this environment end at once.
  while (writer.status().sent < 3) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    framesOf(seen).flatMap(({ series }) => series.a),
    [1, 2, 3],
  );
});

test('what the service cannot take for the moment is sent again, later each time, or when it says', async (t) => {
  const replies: Reply[] = [
    { status: 503 },
    fault(-32015, 'the plan is used up'),
    { cut: 'before' },
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 503, headers: { 'retry-after': '86400' } },
    done,
  ];
  const { writer, errors, environment } = await start(t, (_, count) => replies[count - 1]);
  writer.write('a', 1, 0);
  await writer.store();
  await writer.flush();
  assert.deepEqual(
    errors.map(({ kind, status }) => [kind, status]),
    [
      ['http', 503],
      ['rpc', 200],
      ['network', null],
      ['http', 429],
      ['http', 503],
    ],
  );
  // At the middle of chance: three quarters of 250, 500 and 1,000 ms; 7 s and 5 minutes with half of the first pause.
  assert.deepEqual(environment.pausesMs.slice(-5), [187.5, 375, 750, 7125, 300_125]);
  assert.equal(writer.status().problem, null);
});

test('credentials that are refused hold points back, at long intervals, until they are accepted', async (t) => {
  const replies: Reply[] = [
    { status: 401 },
    fault(-32003),
    { status: 404 },
    fault(-32602, 'x', { params: { integration: ['unknown'] } }),
    done,
  ];
  const { writer, losses, environment } = await start(t, (_, count) => replies[count - 1]);
  writer.write('a', 1, 0);
  await writer.store();
  await writer.flush();
  assert.deepEqual(environment.pausesMs.slice(-4), [22_500, 22_500, 22_500, 22_500]);
  assert.deepEqual([losses, writer.status().sent], [[], 1]);
});

test('a frame that is too large is halved, and so are later ones, until nothing is left to halve', async (t) => {
  const isLarge = ({ body }: Seen) => JSON.parse(body).params.data.times.length > 2;
  const { writer, losses, seen } = await start(t, (one) => (isLarge(one) ? { status: 413 } : done));
  writer.writeFrame({ times: [0, 1, 2, 3, 4], series: { a: [1, 2, 3, 4, 5] } });
  await writer.flush();
  assert.deepEqual(
    framesOf(seen).map(({ times }) => times.length),
    [5, 2, 3, 1, 2],
  );
  assert.deepEqual([losses, writer.status().sent], [[], 5]);
});

test('points that the service finds invalid are taken out and reported, and do not stop the others', async (t) => {
  const refused = fault(-32602, 'invalid params', {
    params: {
      'data.series.bad': ['not allowed'],
      'data.series.a.1': ['too large'],
      'data.times.2': ['too old'],
    },
  });
  const { writer, losses, seen } = await start(t, (_, count) => (count === 1 ? refused : done));
  writer.writeFrame({ times: [0, 1, 2, 3], series: { a: [1, 2, 3, 4], bad: [9, null, 9, null] } });
  await writer.flush();
  assert.deepEqual(framesOf(seen)[1].series, { a: [1, null, null, 4], bad: [null, null, null, null] });
  const [{ reason, points, error }] = losses;
  assert.deepEqual([losses.length, reason, points], [1, 'refused', 4]);
  assert.ok(error instanceof ServiceError && error.code === -32602);
  assert.deepEqual([writer.status().sent, writer.status().lost], [2, 4]);
});

test('a frame that is refused without a name of a point in it is given up as a whole', async (t) => {
  const refused = fault(-32602, 'invalid params', { params: { data: ['no'] } });
  const { writer, losses } = await start(t, (_, count) => (count === 1 ? refused : done));
  writer.writeFrame({ times: [0, 1], series: { a: [1, 2] } });
  await writer.flush();
  assert.deepEqual(
    losses.map(({ reason, points }) => [reason, points]),
    [['refused', 2]],
  );
});

test('frames are Arrow where the service accepts it, and JSON where it does not or a series is named time', async (t) => {
  const { writer, seen } = await start(t, ({ headers }) => (headers['x-old'] ? { status: 415 } : done), {
    arrow: { writeArrow },
  });
  writer.write('a', 1.5, 1);
  await writer.flush();
  writer.write('time', 1, 1);
  await writer.flush();
  assert.match(seen[0].path, /\?method=integration\.insert&integration=c0+$/);
  assert.deepEqual(framesOf(seen.slice(1))[0].series, { time: [1] });

  const old = await start(
    t,
    ({ headers }) => (headers['content-type'] === 'application/json' ? done : { status: 415 }),
    {
      arrow: { writeArrow },
    },
  );
  for (const value of [1, 2]) {
    old.writer.write('a', value, value);
    await old.writer.flush();
  }
  assert.deepEqual(
    old.seen.map(({ headers }) => headers['content-type']?.split('/')[1]),
    ['vnd.apache.arrow.stream', 'json', 'json'],
  );
  const stream = writeArrow({ timesUs: Float64Array.of(1), series: new Map([['a', Float64Array.of(2)]]) });
  assert.deepEqual([...readArrow(stream).series], [['a', Float64Array.of(2)]]);
});

test('a full memory queue drops the oldest points and says so; what is left at the end is reported too', async (t) => {
  const { writer, losses } = await start(t, () => null, { queue: new MemoryQueue({ pointsMax: 4 }) });
  for (let i = 0; i < 6; i++) {
    writer.writeFrame({ times: [i, i + 100], series: { a: [i, i] } });
    await writer.store();
  }
  assert.deepEqual([losses.length, writer.status().lost, writer.status().queued], [4, 8, 4]);
  await assert.rejects(writer.flush({ timeoutMs: 1 }), /4 points are still queued after 1 ms/);
  await writer.close({ timeoutMs: 1 });
  assert.deepEqual(losses.at(-1), { reason: 'closed', points: 4, error: losses.at(-1)?.error });
  assert.throws(() => writer.write('a', 1), /the writer is closed/);
});

test('a queue that cannot be written leaves points in memory, within a bound, until it can', async (t) => {
  class Broken extends MemoryQueue {
    isBroken = true;
    override append(points: Points) {
      return this.isBroken ? Promise.reject(new Error('no space left')) : super.append(points);
    }
  }
  const queue = new Broken();
  // The timer would try as well, in between.
  const { writer, losses } = await start(t, () => done, {
    queue,
    environment: systemEnvironment,
    batchMs: 3_600_000,
  });
  for (let i = 0; i < 12; i++) {
    writer.write('a', i, i);
    await assert.rejects(writer.store(), /no space left/);
  }
  assert.deepEqual(
    losses.map(({ reason, points }) => [reason, points]),
    [
      ['unstored', 1],
      ['unstored', 1],
    ],
  );
  queue.isBroken = false;
  await writer.flush();
  const { sent, lost } = writer.status();
  assert.deepEqual({ sent, lost }, { sent: 10, lost: 2 });
});
