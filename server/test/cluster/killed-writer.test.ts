/** Live values on a node go on soon after another one was killed while it wrote. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { serve, until } from '../cli/process.ts';
import { eventsSince } from '../contract/series-changes.ts';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';

const missing = missingForNodes();

/** How long it may take: followers give a write up that is silent for 15 s. */
const goesOnMsMax = 30_000;

it('N2 live values go on after a node was killed in the middle of a write', {
  skip: missing ?? false,
}, async (t) => {
  const cluster = await ClusterNodes.start(1);
  t.after(() => cluster.close());
  const client = await cluster.newClient();
  const killed = await serve(t, '/nowhere', [], { env: { ...cluster.environment, TIDEMARK_THREADS: '1' } });
  const insert = (url: string, value: number) =>
    fetch(`${url}/v1/rpc`, {
      method: 'POST',
      headers: {
        authorization: client.authorization,
        'content-type': 'application/json',
        'x-api-version': '1.2',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'integration.insert' },
        params: {
          integration: client.integration,
          data: { times: ['2026-03-01T00:00:00Z'], series: { level: [value] } },
        },
      }),
    });
  const own = cluster.nodes[0];
  assert.equal((await insert(killed.url, 1)).status, 200);
  const [{ number }] = await own.domain.meta.signals.byInput(client.integration, ['level']);
  const { changes } = own.domain.series;
  assert.ok(changes !== undefined);
  const start = await changes.now();

  const underWay = async () => {
    const rows = await cluster.postgres.run(['select 1 from tidemark.open_write where number is not null']);
    return rows.length === 1;
  };
  const shards = cluster.clickhouse.servers;
  for (const server of shards) server.signal('SIGSTOP');
  try {
    const lost = insert(killed.url, 2).catch(() => 'the connection has ended');
    assert.ok(await until(underWay, goesOnMsMax));
    await killed.stop('SIGKILL');
    assert.equal(await lost, 'the connection has ended');
  } finally {
    for (const server of shards) server.signal('SIGCONT');
  }
  assert.ok(await underWay());
  assert.equal((await insert(own.url, 3)).status, 200);
  const isThere = async () => {
    const found = await eventsSince(changes, start, number);
    return found?.events.at(-1)?.[number][0][1] === 3;
  };
  assert.equal(await isThere(), false, 'the write of the killed node did not hold it up');
  assert.ok(await until(isThere, goesOnMsMax), 'live values do not go on');
});
