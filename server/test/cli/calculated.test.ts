/** Calculated items from the command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callBearer, commandsIn, readCredentials, serve, tidemark, until } from './process.ts';

type Ids = Record<string, { id: string }>;

test('C1, C5, C7 calculated items are saved, listed, shown and deleted while the service runs', async (t) => {
  const { directory, data, credentials, command, succeed } = await commandsIn(t);
  const grants = ['--grant', 'admin', '--grant', 'service'];
  await serve(t, data);
  await succeed('integration', 'create', 'plant', ...grants, '--credentials', credentials);
  const client = await readCredentials(credentials);
  const { integration } = client;
  await until(async () => (await callBearer(client, 'rpc.discover', {})).status === 200, 60_000);
  const call = async <Result>(method: string, params: object) => {
    const { body } = await callBearer<Result>(client, method, params);
    return body.result ?? assert.fail(JSON.stringify(body.error));
  };
  const points = { times: [60, 120], series: { heat: [30, 44], power: [10, 11] } };
  const { signalsByInput } = await call<{ signalsByInput: Ids }>('integration.insert', {
    integration,
    data: points,
  });
  const itemOf = async (input: string) => {
    const { id } = signalsByInput[input];
    const itemsBySignal = { [id]: { name: input } };
    const published = await call<{ itemsBySignal: Ids }>('admin.publishSignals', {
      integration,
      itemsBySignal,
    });
    return published.itemsBySignal[id].id;
  };
  const [heat, power] = [await itemOf('heat'), await itemOf('power')];
  const file = join(directory, 'item.json');
  const write = (item: object) => writeFile(file, JSON.stringify(item));
  const cop = {
    item: { name: 'COP', visible: true, labels: { site: ['n'] } },
    formula: 'h / p',
    inputs: [
      { id: heat, alias: 'h' },
      { id: power, alias: 'p', aggregation: 'max' },
    ],
  };
  await write(cop);
  const saved = await succeed('calculated', 'save', file);
  const [, id] = /^saved COP \((.{20})\), version 1\n$/.exec(saved) ?? assert.fail(saved);
  const shown = JSON.parse(await succeed('calculated', 'show', 'COP'));
  assert.equal(shown.id, id);
  assert.deepEqual([shown.item.name, shown.item.labels, shown.interval], ['COP', { site: ['n'] }, 'PT1M']);
  await write(shown);
  assert.match(await succeed('calculated', 'save', file), /, version 1\n$/);
  await write({ ...cop, formula: '2 * h / p' });
  assert.match(await succeed('calculated', 'save', file), /, version 2\n$/);
  assert.match(
    await succeed('calculated', 'list'),
    /^NAME +ID +VERSION +INTERVAL +FORMULA\nCOP +.{20} +2 +PT1M +2 \* h \/ p\n/,
  );
  const listed = await succeed('calculated', 'versions', id);
  assert.match(listed, /^VERSION +SAVED +ACTOR +INTERVAL +FORMULA\n2 .*2 \* h \/ p\n1 .*PT1M +h \/ p\n/);
  const [backup, restored] = [join(directory, 'backup.db'), join(directory, 'restored')];
  await succeed('backup', backup);
  assert.equal((await tidemark(['restore', backup, '--data', restored])).code, 0);
  const there = await tidemark(['calculated', 'versions', 'COP', '--data', restored]);
  assert.equal(there.stdout, listed);
  for (const [item, message] of [
    [{ ...cop, formula: 'h / q' }, /formula: at 5: unknown name "q"; the formula of an item sees its inputs/],
    [
      { ...cop, inputs: [{ id: '0'.repeat(20), alias: 'h' }], formula: 'h' },
      /inputs\.0\.id: no item has the ID/,
    ],
    [{ ...cop, formulae: '' }, /formulae: unknown/],
  ] as const) {
    await write(item);
    const { code, stderr } = await command('calculated', 'save', file);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
  assert.match(
    (await command('calculated', 'show', 'CIP')).stderr,
    /no calculated item has the ID or name "CIP"/,
  );
  assert.match(await succeed('calculated', 'delete', id, '--yes'), /^deleted COP \(/);
  assert.equal(JSON.parse(await succeed('calculated', 'list', '--json')).length, 0);
});
