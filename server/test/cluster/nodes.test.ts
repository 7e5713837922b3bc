/** Two nodes on one PostgreSQL and one ClickHouse: what one has answered the other knows, and both survive an outage. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { unlimitedPlan } from '#model/plan';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';
import { openStream, type TestStream } from '../support/event-stream.ts';
import { basicAuthorization } from '../support/http.ts';
import { testAct } from '../support/world.ts';

type Published = { itemsBySignal: Record<string, { id: string }> };

const missing = missingForNodes();
const options = missing === null ? {} : { skip: missing };

/** Until a condition holds, up to a minute. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await condition()) return;
    await delay(100);
  }
  assert.fail('the condition did not come to hold');
}

describe('nodes of one service', options, () => {
  let cluster: ClusterNodes;
  before(async () => {
    cluster = await ClusterNodes.start(2, { threads: 2 });
  });
  after(() => cluster.close());

  const times = ['2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'];

  it('R9 what one node has acknowledged the other one reads, and the last write wins', async () => {
    const { authorization, integration } = await cluster.newClient();
    const window = { startUs: Date.parse(times[0]) * 1000, endUs: Date.parse('2026-03-02T00:00:00Z') * 1000 };
    for (let round = 0; round < 10; round++) {
      const [writer, reader] = [round % 2, (round + 1) % 2];
      const data = { times, series: { temperature: [round, round + 0.5] } };
      await cluster.result(writer, authorization, 'integration.insert', { integration, data });
      const { meta, series } = cluster.nodes[reader].domain;
      const signals = (await meta.signals.byInput(integration, ['temperature'])).map(({ number }) => number);
      const [points] = await series.scan({ sources: [{ signals, window, before: false, after: false }] });
      assert.deepEqual([...points.values], [round, round + 0.5]);
    }
  });

  it('A1 a credential that one node has just made is accepted by the other, and so is a token', async () => {
    for (let round = 0; round < 5; round++) {
      const { authorization, integration } = await cluster.newClient();
      await cluster.result(1, authorization, 'admin.selectSignals', { integration, query: {} });
      const { identity } = cluster.nodes[0].domain;
      const made = await identity.createCredential(testAct, integration, 'client-credentials', '');
      const [clientId, clientSecret] = [made.credential.id, made.secret];
      const request = { clientId, clientSecret, audiences: [], scopes: [] };
      assert.ok((await cluster.nodes[1].domain.identity.issueToken(request)).ok);
    }
  });

  it('A1 a credential that is revoked on one node is refused on the other within a second', async () => {
    const delaysMs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { authorization, integration, credential } = await cluster.newClient();
      const params = { integration, query: {} };
      await cluster.result(1, authorization, 'admin.selectSignals', params);
      await cluster.nodes[0].domain.identity.revokeCredential(testAct, credential);
      const startMs = performance.now();
      await until(
        async () => (await cluster.call(1, authorization, 'admin.selectSignals', params)).status === 401,
      );
      delaysMs.push(performance.now() - startMs);
    }
    const [, , medianMs] = delaysMs.sort((a, b) => a - b);
    assert.ok(medianMs < 1000, `${delaysMs.map(Math.round).join()} ms`);
  });

  it('L4b a hard quota of a day counts what all nodes have accepted', async () => {
    const { authorization, integration } = await cluster.newClient();
    const { plans } = cluster.nodes[0].domain;
    await plans.create(testAct, { ...unlimitedPlan('ten-points'), pointsPerDayMax: 10, isHard: true });
    await plans.assign(testAct, integration, 'ten-points');
    const insert = (node: number, from: number, count: number) =>
      cluster.call(node, authorization, 'integration.insert', {
        integration,
        data: {
          times: Array.from({ length: count }, (_, i) => new Date(1e12 + 1000 * (from + i)).toISOString()),
          series: { level: new Array(count).fill(1) },
        },
      });
    let accepted = 8;
    assert.equal((await insert(0, 0, accepted)).body.error, undefined);
    for (const node of [1, 0])
      await until(async () => {
        const { error } = (await insert(node, accepted, 3)).body;
        if (error === undefined) accepted += 3;
        else assert.match(error.message, /the plan "ten-points" allows 10 points/);
        return error !== undefined;
      });
  });

  it('L4e wrong secrets at one node slow the name down at the other', async () => {
    const { integration } = await cluster.newClient();
    const params = { integration, query: {} };
    const call = async (node: number, header: string) =>
      (await cluster.call(node, header, 'admin.selectSignals', params)).status;
    const wrong = basicAuthorization(integration, 'wrong');
    await until(async () => (await call(0, wrong)) === 429);
    // Fewer tries than the other node would allow by itself.
    const tries: number[] = [];
    for (; tries.length < 4 && !tries.includes(429); await delay(1000)) tries.push(await call(1, wrong));
    assert.ok(tries.includes(429), tries.join());
  });

  it('N2 N4 what one node has stored is live on the other, and goes on there without a gap after a reconnect', async () => {
    const { authorization, integration } = await cluster.newClient();
    const insert = async (node: number, value: number) => {
      const data = {
        times: [`2026-04-01T00:00:${String(value).padStart(2, '0')}Z`],
        series: { level: [value] },
      };
      return cluster.result(node, authorization, 'integration.insert', { integration, data });
    };
    const { signalsByInput } = (await insert(0, 0)) as unknown as {
      signalsByInput: { level: { id: string } };
    };
    const itemsBySignal = { [signalsByInput.level.id]: { name: 'level' } };
    const published = await cluster.result(0, authorization, 'admin.publishSignals', {
      integration,
      itemsBySignal,
    });
    const { id: item } = Object.values((published as unknown as Published).itemsBySignal)[0];
    const open = (node: number, lastId: string | null) =>
      openStream(`${cluster.nodes[node].url}/v1/live?items=${item}`, {
        ...{ authorization, connection: 'close' },
        ...(lastId === null ? {} : { 'last-event-id': lastId }),
      });
    const values = async (stream: TestStream, count: number) =>
      (await stream.take(count)).map(({ data }) => data[item].values[0]);
    await until(async () => (await cluster.nodes[1].domain.meta.items.byId([item])).length === 1);
    const stream = await open(1, null);
    await insert(0, 1);
    await insert(1, 2);
    assert.deepEqual(await values(stream, 2), [1, 2]);
    stream.leave();
    for (const value of [3, 4, 5, 6]) await insert(value % 2, value);
    const again = await open(0, stream.lastId);
    assert.deepEqual(await values(again, 4), [3, 4, 5, 6]);
    await insert(1, 7);
    assert.deepEqual(await values(again, 1), [7]);
    again.leave();
  });

  it('C5 C7 a formula that one node has changed is read on the other, and two nodes cannot make a cycle', async () => {
    const { authorization, integration } = await cluster.newClient();
    const data = { times, series: { power: [3, 5] } };
    const inserted = await cluster.result(0, authorization, 'integration.insert', { integration, data });
    const [{ id: signal }] = Object.values(
      (inserted as unknown as { signalsByInput: Record<string, { id: string }> }).signalsByInput,
    );
    const publish = { integration, itemsBySignal: { [signal]: { name: 'power', visible: true } } };
    const published = await cluster.result(0, authorization, 'admin.publishSignals', publish);
    const { id: power } = (published as unknown as Published).itemsBySignal[signal];
    const [first, second] = cluster.nodes.map(({ domain }) => domain.calculations);
    const over = (item: string, formula: string) => {
      const input = { item, alias: 'p', aggregation: 'avg', state: null, lead: 0, lag: 0 } as const;
      return { item: { name: 'c' }, calculation: { formula, inputs: [input], intervalUs: 60e6 } };
    };
    const one = await first.create(testAct, over(power, 'p'));
    const two = await second.create(testAct, over(one.id, '2 * p'));
    const read = async (node: number, id: string) => {
      const filter = { times: { $gte: times[0], $lt: '2026-03-01T00:02:00Z' } };
      const items = [{ id, alias: 'x' }];
      const asked = { items, data: { filter, rollup: 'PT1M' } };
      const { body } = await cluster.call(node, authorization, 'service.evaluate', asked);
      return JSON.stringify((body as { result?: { data: { series: object } } }).result?.data.series ?? body);
    };
    await until(async () => (await read(0, two.id)) === '{"x":[6,10]}');
    for (let round = 1; round <= 5; round++) {
      await first.change(testAct, one.id, over(power, `${round} + p`));
      const expected = `{"x":[${2 * (3 + round)},${2 * (5 + round)}]}`;
      assert.equal(await read(0, two.id), expected);
      await until(async () => (await read(1, two.id)) === expected);
    }
    for (let round = 0; round < 10; round++) {
      await first.change(testAct, one.id, over(power, 'p'));
      await second.change(testAct, two.id, over(power, 'p'));
      const both = [
        first.change(testAct, one.id, over(two.id, 'p')),
        second.change(testAct, two.id, over(one.id, 'p')),
      ];
      const outcomes = (await Promise.allSettled(both)).map(({ status }) => status).sort();
      assert.deepEqual(outcomes, ['fulfilled', 'rejected'], `round ${round}`);
      await first.change(testAct, one.id, over(power, 'p'));
    }
  });

  it('a node is ready while a shard answers, and says which does not; without any it is not', async () => {
    const ready = async () => {
      const response = await fetch(`${cluster.nodes[0].url}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    const isReady = async () => (await ready()) === '200 {"status":"ok"}';
    await until(isReady);
    const { servers, isReplicated } = cluster.clickhouse;
    for (const [i, server] of servers.entries()) {
      await server.kill();
      const reason = `"reason":"shards: Shard ${i + 1} of the store of points`;
      await until(
        isReplicated ? isReady : async () => (await ready()).startsWith(`200 {"status":"ok",${reason}`),
      );
      await server.start();
      await until(isReady);
    }
    for (const server of servers) await server.kill();
    await until(async () => (await ready()).startsWith('503 {"status":"unavailable","reason":"store: '));
    for (const server of servers) await server.start();
    await until(isReady);
  });

  it('E1 without PostgreSQL calls are answered with 503 and Retry-After; afterwards they work by themselves', async () => {
    const { authorization, integration } = await cluster.newClient();
    const data = { times, series: { pressure: [1, 2] } };
    await cluster.result(0, authorization, 'integration.insert', { integration, data });
    await cluster.postgres.kill();
    const fresh = { times, series: { unknown: [1, 2] } };
    const { status, headers, body } = await cluster.call(0, authorization, 'integration.insert', {
      integration,
      data: fresh,
    });
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.match(JSON.stringify(body), /PostgreSQL/);
    await cluster.postgres.resume();
    await until(async () => {
      const again = await cluster.call(1, authorization, 'integration.insert', { integration, data: fresh });
      return again.status === 200 && again.body.error === undefined;
    });
  });
});
