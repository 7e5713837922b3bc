/** Prometheus remote write, versions 1.0 and 2.0, as a sender that follows the specification makes it (I3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJson } from '../../support/http.ts';
import {
  literalBlock,
  requestV1,
  requestV2,
  type SentSeries,
  staleMarker,
} from '../../support/remote-write.ts';
import { serviceOfFile, startService } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

const service = await serviceOfFile();
const { url, integration, authorization } = service;
const v2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';

function send(
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  to = { url, authorization },
) {
  const all = {
    authorization: to.authorization,
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
  };
  return fetch(`${to.url}/api/v1/write`, { method: 'POST', body, headers: { ...all, ...headers } });
}

/** Time in ms and value of the points of an input key. */
async function stored(input: string): Promise<[number, number][]> {
  const [{ number }] = await service.signals.numbers(integration, [input]);
  const window = { startUs: -(2 ** 53), endUs: 2 ** 53 };
  const [points] = await service.series.scan({
    sources: [{ signals: [number], window, before: false, after: false }],
  });
  return [...points.timesUs].map((us, i) => [us / 1000, points.values[i]]);
}

const up = (job: string, samples: SentSeries['samples']): SentSeries => {
  return { labels: { __name__: 'up', instance: 'host:9100', job, empty: '' }, samples };
};

test('I3, I3a samples of both versions become points of signals with labels; repeated requests change nothing', async () => {
  const samples = [
    [1_700_000_000_001, 1],
    [1_700_000_015_001, 0.25],
  ] as const;
  for (const [job, type, request] of [
    ['one', 'application/x-protobuf', requestV1],
    ['two', v2, requestV2],
  ] as const) {
    const body = request([up(job, samples), up(`${job} more`, samples.slice(0, 1))]);
    for (let i = 0; i < 2; i++) {
      const answer = await send(body, { 'content-type': type });
      assert.equal(answer.status, 204, await answer.text());
      assert.equal(answer.headers.get('x-prometheus-remote-write-samples-written'), '3');
    }
    assert.deepEqual(await stored(`up/instance:host+3A9100/job:${job}`), samples);
    assert.deepEqual(await stored(`up/instance:host+3A9100/job:${job}+20more`), samples.slice(0, 1));
  }
  const query = { filter: { 'labels.job': 'one' } };
  const { result } = await service.call('admin.selectSignals', { integration, query }, { version: '1.2' });
  const [{ attributes }] = result.data;
  assert.equal(attributes.name, 'up');
  assert.equal(attributes.gapDetection, 'PT5M');
  assert.deepEqual(attributes.labels, { _measurement: ['up'], instance: ['host:9100'], job: ['one'] });
});

test('I3b stale markers and other values that are not finite are no points; samples come in any order', async () => {
  const samples = [
    [3000, 3],
    [1000, 1],
    [4000, staleMarker],
    [5000, Number.NaN],
    [6000, Number.POSITIVE_INFINITY],
    [2000, -0],
  ] as const;
  assert.equal((await send(requestV1([up('stale', samples)]))).status, 204);
  assert.deepEqual(await stored('up/instance:host+3A9100/job:stale'), [
    [1000, 1],
    [2000, -0],
    [3000, 3],
  ]);
});

test('I3c what cannot be stored is 400 with the reason, and the rest is stored', async () => {
  const refused: [SentSeries, RegExp][] = [
    [{ labels: { job: 'a' }, samples: [[1, 1]] }, /no label __name__/],
    [{ labels: { __name__: 'm', a: 'x'.repeat(2000) }, samples: [[1, 1]] }, /label a has more than 1024/],
    [up('far', [[1e15, 1]]), /outside the range/],
    [{ ...up('histogram', []), histograms: 2 }, /2 native histograms.*send_native_histograms/],
  ];
  for (const [i, [series, reason]] of refused.entries()) {
    const answer = await send(requestV1([up(`ok${i}`, [[1, 1]]), series]));
    const body = await readJson(answer);
    assert.equal(answer.status, 400);
    assert.match(body.detail, reason);
    assert.equal(answer.headers.get('x-prometheus-remote-write-samples-written'), '1');
    assert.deepEqual(await stored(`up/instance:host+3A9100/job:ok${i}`), [[1, 1]]);
  }
});

test('I3c other bodies, types, codings and credentials are refused', async () => {
  const body = requestV1([up('x', [[1, 1]])]);
  assert.equal((await send(body, { 'content-type': 'application/json' })).status, 415);
  assert.equal((await send(body, { 'content-encoding': 'gzip' })).status, 415);
  assert.equal((await send(body, { authorization: 'Basic YTpi' })).status, 401);
  assert.equal(
    (await send(body, { 'content-type': v2 })).status,
    204,
    'its fields are unknown to the other version',
  );
  const bombs = [
    Uint8Array.of(255, 255, 255, 255, 7, 0),
    Uint8Array.of(1, 252, 0, 0, 0, 0),
    Uint8Array.of(4, 0, 65, 254, 1, 0),
  ];
  for (const bomb of bombs) assert.equal((await send(bomb)).status, 400);
  const large = await startService({ limits: { remoteWriteBytesMax: 65_536 } });
  try {
    const answer = await send(literalBlock(new Uint8Array(70_000)), {}, large);
    assert.deepEqual(
      [answer.status, /at most 65536 bytes/.test((await readJson(answer)).detail)],
      [400, true],
    );
  } finally {
    await large.close();
  }
});

test('I3d rates and quotas are 429, so that Prometheus waits', async (t) => {
  const other = await startService();
  t.after(() => other.close());
  await other.plans.set(testAct, 'default', (plan) => ({ ...plan, isHard: true, pointsPerDayMax: 1 }));
  assert.equal((await send(requestV1([up('a', [[1, 1]])]), {}, other)).status, 204);
  const full = await send(requestV1([up('a', [[2, 1]])]), {}, other);
  assert.deepEqual([full.status, full.headers.get('retry-after')], [429, '60']);
  const rates = new Map([['integration.insert', { perSecond: 0.001, burst: 1 }]]);
  await other.plans.set(testAct, 'default', (plan) => ({ ...plan, pointsPerDayMax: null, rates }));
  assert.equal((await send(requestV1([up('a', [[3, 1]])]), {}, other)).status, 204);
  assert.equal((await send(requestV1([up('a', [[4, 1]])]), {}, other)).status, 429);
});

test('I3 no body makes the service fail', async () => {
  const valid = requestV1([
    up('fuzz', [
      [1, 1],
      [2, 2],
    ]),
  ]);
  const bytes = fc.uint8Array({ maxLength: 60 });
  const changed = fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
    const copy = valid.slice();
    copy[at] = byte;
    return copy;
  });
  const bodies = fc.oneof(bytes, bytes.map(literalBlock), changed);
  await fc.assert(
    fc.asyncProperty(bodies, fc.boolean(), async (body, isSecond) => {
      const answer = await send(new Uint8Array(body), isSecond ? { 'content-type': v2 } : {});
      await answer.arrayBuffer();
      assert.ok(answer.status === 204 || answer.status === 400, String(answer.status));
    }),
    { numRuns: 200 },
  );
});
