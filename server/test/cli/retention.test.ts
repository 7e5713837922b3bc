/** Retention from the command line, alongside a running service (L5). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readCredentials, serve, temporaryDirectory, tidemark } from './process.ts';

const dayMs = 86_400_000;

/** A served data directory with points of two signals, a day apart, back to 99 days ago. */
async function served(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const path = join(directory, 'c.json');
  const command = async (...args: string[]) => {
    const outcome = await tidemark([...args, '--data', data]);
    assert.equal(outcome.code, 0, outcome.stderr);
    return outcome.stdout;
  };
  const create = ['integration', 'create', 'plant', '--type', 'basic-auth', '--credentials', path];
  await command(...create, '--grant', 'admin');
  const service = await serve(t, data);
  const { integration, credentials } = await readCredentials(path);
  const authorization = `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`;
  const call = async (method: string, params: object) => {
    const response = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Version': '1.2', Authorization: authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { integration, ...params } }),
    });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    assert.equal(error, undefined);
    return result;
  };
  await call('integration.saveSignals', { inputs: { a: {}, b: { labels: { site: ['x'] } } } });
  const nowMs = Math.floor(Date.now() / dayMs) * dayMs;
  const times = Array.from({ length: 100 }, (_, i) => new Date(nowMs - i * dayMs).toISOString());
  const values = times.map((_, i) => i);
  await call('integration.insert', { data: { times, series: { a: values, b: values } } });
  return { command, call, data, integration };
}

test('L5 rules are set, listed, previewed, applied and removed while the service runs', async (t) => {
  const { command, call, data, integration } = await served(t);
  const json = async (...args: string[]) => JSON.parse(await command('retention', ...args, '--json'));
  await command('retention', 'set', '--keep', 'P30D');
  await command('retention', 'set', '--keep', 'P60D', '--label', 'site=x');
  await command('retention', 'set', '--keep', 'forever', '--integration', integration);
  assert.deepEqual(await json('list'), [
    { scope: 'all', keep: 'P30D' },
    { scope: `integration:${integration}`, keep: 'forever' },
    { scope: 'label:site=x', keep: 'P60D' },
  ]);
  assert.match(await command('retention', 'remove', '--integration', integration), /^removed the rule/);
  const counts = async (...args: string[]) => {
    const { rules, orphans } = await json('run', ...args);
    const points = rules.map(({ scope, points }: { scope: string; points: number }) => [scope, points]);
    return [...points, orphans];
  };
  const expected = [['all', 69], ['label:site=x', 39], 0];
  assert.deepEqual(await counts('--dry-run'), expected);
  assert.match(
    await command('retention', 'run', '--dry-run'),
    /^SCOPE +KEEP .*WOULD BE DELETED\nall +P30D +1 .* 69\n/,
  );
  assert.deepEqual(await counts(), expected);
  assert.deepEqual(await counts(), [['all', 0], ['label:site=x', 0], 0]);
  const left = await call('admin.deleteData', {
    data: { filter: { times: { $gte: 0 } } },
    dryRun: true,
  });
  const points = Object.values((left as { pointsBySignal: Record<string, number> }).pointsBySignal);
  assert.deepEqual(points, [31, 61]);
  const audit = await command('audit', 'list', '--action', 'retention.run');
  assert.equal(audit.trim().split('\n').length, 3);
  for (const [args, message] of [
    [['set', '--keep', 'P1X'], /--keep must be/],
    [['set', '--keep', 'PT1M'], /must be at least PT1H/],
    [['set', '--keep', 'P1D', '--label', 'site'], /--label must be KEY=VALUE/],
    [['remove', '--label', 'no=rule'], /no rule for label:no=rule/],
  ] as const) {
    const { code, stderr } = await tidemark(['retention', ...args, '--data', data]);
    assert.ok(code !== 0);
    assert.match(stderr, message);
  }
});
