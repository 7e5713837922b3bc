/** Publishing rules from the command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsIn, readCredentials, serve } from './process.ts';

test('P1, P5, P8 rules are saved, listed, shown, run and deleted while the service runs', async (t) => {
  const { directory, data, credentials, command, succeed } = await commandsIn(t);
  const create = ['integration', 'create', 'plant', '--type', 'basic-auth', '--credentials', credentials];
  await succeed(...create);
  const service = await serve(t, data);
  const { integration, credentials: secret } = await readCredentials(credentials);
  const authorization = `Basic ${Buffer.from(`${secret.clientId}:${secret.clientSecret}`).toString('base64')}`;
  const saveSignals = async (signalsByInput: object) => {
    const params = { integration, signalsByInput };
    const response = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Version': '1.2', Authorization: authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.saveSignals', params }),
    });
    const { error } = (await response.json()) as { error?: object };
    assert.equal(error, undefined);
  };
  const file = join(directory, 'rule.json');
  const write = (rule: object) => writeFile(file, JSON.stringify(rule));
  await saveSignals({ old: { name: 'Old' } });
  await write({ name: 'all', item: { name: '{name|lower}' } });
  assert.match(await succeed('rule', 'save', file), /^saved the rule all\n/);
  assert.match(await succeed('rule', 'list'), /^POSITION +NAME.*\n100 +all +yes +\{\} +\{name\|lower\}\n/);
  await saveSignals({ young: { name: 'Young' } });
  const preview = await succeed('rule', 'run', '--dry-run');
  assert.match(preview, /^SIGNAL +RULE +WOULD +ITEM\nold +all +create +old\nyoung +all +keep +young\n/);
  assert.match(
    await succeed('rule', 'run'),
    /\n1 create, 0 update, 0 connect, 1 keep, 0 conflict; 0 signals/,
  );
  const shown = await succeed('rule', 'show', 'all');
  await write({ ...JSON.parse(shown), filter: { input: 'young' }, item: { name: '{labels.no}' } });
  await succeed('rule', 'save', file);
  const run = await command('rule', 'run', '--json');
  assert.equal(run.code, 1);
  const { counts, unmatched, outcomes } = JSON.parse(run.stdout);
  assert.deepEqual([counts.conflict, unmatched, outcomes[0].conflict.kind], [1, 1, 'invalid']);
  for (const [rule, message] of [
    [{ name: 'x', item: { name: '{nane}' } }, /item\.name: unknown value "nane"/],
    [{ name: 'x', filter: { nane: 1 } }, /filter\.nane: unknown field/],
    [{ name: 'x', itme: {} }, /itme: unknown/],
  ] as const) {
    await write(rule);
    const { code, stderr } = await command('rule', 'save', file);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
  assert.match(await succeed('rule', 'delete', 'all', '--yes'), /^deleted the rule all\n/);
  assert.match((await command('rule', 'show', 'all')).stderr, /no publishing rule has the name "all"/);
});
