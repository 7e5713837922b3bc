/** Two nodes on one PostgreSQL and one ClickHouse: what one has answered the other knows, and both survive an outage. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';
import { testAct } from '../support/world.ts';

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

  it('A1 a credential that is revoked on one node is refused on the other', async () => {
    const { authorization, integration, credential } = await cluster.newClient();
    await cluster.result(1, authorization, 'admin.selectSignals', { integration, query: {} });
    await cluster.nodes[0].domain.identity.revokeCredential(testAct, credential);
    await until(async () => {
      const { status } = await cluster.call(1, authorization, 'admin.selectSignals', {
        integration,
        query: {},
      });
      return status === 401;
    });
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
