/** Plans, usage and audit from the command line, alongside a running service (L4-L4f). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { databasePath } from '#storage/sqlite/paths';
import { callBasic, readCredentials, serve, temporaryDirectory, tidemark, until } from './process.ts';

/** A data directory with one integration. */
async function prepared(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const command = async (...args: string[]) => {
    const outcome = await tidemark([...args, '--data', data]);
    assert.equal(outcome.code, 0, outcome.stderr);
    return outcome.stdout;
  };
  const path = join(directory, 'c.json');
  await command(
    'integration',
    'create',
    'plant',
    '--type',
    'basic-auth',
    '--grant',
    'admin',
    '--credentials',
    path,
  );
  const { integration } = await readCredentials(path);
  const json = async (...args: string[]) => JSON.parse(await command(...args, '--json'));
  return { data, path, integration, command, json };
}

/** The credentials as they would be, had the service been known when they were made. */
function at(url: string, file: CredentialsFile): CredentialsFile {
  return { ...file, apiUrl: `${url}/v1/` };
}

const failing = async (data: string, ...args: string[]) => {
  const { code, stderr } = await tidemark([...args, '--data', data]);
  return [code, stderr.trim()];
};

test('L4f plans that are made, assigned and changed hold in a running service within a second; usage survives its end', async (t) => {
  const { data, path, integration, command, json } = await prepared(t);
  const service = await serve(t, data);
  const credentials = at(service.url, await readCredentials(path));
  const insert = async (input: string, value: number) => {
    const params = { integration, data: { times: [1], series: { [input]: [value] } } };
    const { status, body } = await callBasic<object>(credentials, 'integration.insert', params);
    return body.error?.code ?? status;
  };
  assert.equal(await insert('a', 1), 200);
  await command('plan', 'create', 'small', '--signals', '1', '--points-per-day', '3');
  await command('plan', 'assign', integration, 'small');
  assert.ok(await until(async () => (await insert('b', 1)) === -32015, 1000), 'the plan holds');
  assert.equal(await insert('a', 2), 200);
  await command('plan', 'set', 'small', '--signals', 'unlimited', '--rate', 'clarify.evaluate=10/min');
  assert.ok(await until(async () => (await insert('b', 1)) === 200, 1000), 'the change holds');
  assert.equal(await insert('a', 3), -32015);
  assert.equal(await service.stop(), 0);
  const [today] = await json('usage', '--integration', integration);
  assert.deepEqual([today.points, today.signals, today.integration], [3, 2, integration]);
  assert.ok(today.requests >= 5 && today.rejected >= 2);
  assert.match(
    await command('usage'),
    /^DAY +INTEGRATION +POINTS +REQUESTS +BYTES IN +SIGNALS +ITEMS +REJECTED\n/,
  );
  const [, small] = await json('plan', 'list');
  assert.deepEqual(small, {
    name: 'small',
    mode: 'hard',
    signals: null,
    items: null,
    pointsPerDay: 3,
    rates: { 'service.evaluate': { perSecond: 10 / 60, burst: 10 } },
    integrations: 1,
  });
  assert.match(
    await command('plan', 'list'),
    /^small +hard +unlimited +unlimited +3 +service.evaluate=10\/min,burst=10 +1$/m,
  );
});

test('L4 errors in plans name what is allowed', async (t) => {
  const { data, integration, command } = await prepared(t);
  await command('plan', 'create', 'soft', '--soft', '--items', '7');
  const cases: [string[], number, RegExp][] = [
    [['plan', 'create', 'soft'], 1, /there is a plan "soft" already; change it with "plan set"$/],
    [['plan', 'create', 'No'], 2, /name: must be 1 to 64 lower-case letters.*got "No"$/],
    [
      ['plan', 'create', 'x', '--signals', '-1'],
      2,
      /--signals must be a whole number or "unlimited", got "-1"$/,
    ],
    [['plan', 'create', 'x', '--hard', '--soft'], 2, /--hard.*--soft/],
    [['plan', 'set', 'soft', '--rate', 'integration.insert=fast'], 2, /--rate must be METHOD=N\/s.*got/],
    [['plan', 'set', 'soft', '--rate', 'integration.inser=1/s'], 2, /did you mean "integration.insert"\?$/],
    [
      ['plan', 'set', 'soft', '--rate', 'integration.insert=0/s'],
      2,
      /rates.integration.insert: must be more than 0/,
    ],
    [['plan', 'set', 'absent'], 1, /there is no plan "absent"$/],
    [['plan', 'assign', integration, 'absent'], 1, /there is no plan "absent"$/],
    [['plan', 'delete', 'default', '--yes'], 1, /the default plan cannot be deleted$/],
    [['usage', '--days', '0'], 2, /--days must be a whole number from 1 to 36500, got "0"$/],
    [['audit', 'verify', '--head', 'x'], 2, /--head must be SEQ:HASH/],
    [['audit', 'prune'], 2, /--keep-days/],
    [['credential', 'rotate', 'x', '--overlap', 'P1M'], 2, /--overlap must be a duration/],
    [['credential', 'create', integration, '--expires-in', 'soon'], 2, /--expires-in: /],
  ];
  for (const [args, code, message] of cases) {
    const [got, stderr] = await failing(data, ...args);
    assert.equal(got, code, `${args.join(' ')}: ${stderr}`);
    assert.match(String(stderr), message);
  }
});

test('L4a the audit names the user who ran a command; a row that is changed in the file is found', async (t) => {
  const { data, integration, command, json } = await prepared(t);
  await command('integration', 'rename', integration, 'Plant 2');
  const [row] = await json('audit', 'list', '--limit', '1');
  assert.match(row.actor, /^cli:.+/);
  assert.deepEqual(
    [row.origin, row.action, row.target, row.change],
    ['cli', 'integration.rename', integration, { name: ['plant', 'Plant 2'] }],
  );
  const lines = (await command('audit', 'export')).trim().split('\n');
  assert.deepEqual(JSON.parse(lines[lines.length - 1]), row);
  const head = `${row.seq}:${row.hash}`;
  assert.equal(await command('audit', 'verify'), `complete: ${lines.length} acts; head ${head}\n`);
  assert.equal((await json('audit', 'verify', '--head', head)).ok, true);
  const file = new DatabaseSync(databasePath(data));
  file.exec(`update audit set change = '{"name":["plant","Plant 3"]}' where seq = ${row.seq}`);
  file.close();
  const broken = await tidemark(['audit', 'verify', '--data', data]);
  assert.deepEqual(
    [broken.code, broken.stdout],
    [1, `broken at seq ${row.seq}: its content does not match its hash\n`],
  );
});

test('A4 a credential is rotated while the service runs, expires, and shows when it was used', async (t) => {
  const { data, path, integration, json } = await prepared(t);
  const service = await serve(t, data);
  const old = at(service.url, await readCredentials(path));
  const status = async (file: CredentialsFile) => (await callBasic(file, 'rpc.discover', {})).status;
  assert.equal(await status(old), 200);
  const [{ id }] = await json('credential', 'list', integration);
  const fresh = at(
    service.url,
    await json('credential', 'rotate', id, '--overlap', 'PT1S').then(({ file }) => file),
  );
  assert.ok(await until(async () => (await status(fresh)) === 200, 1000), 'the new one is known');
  assert.ok(await until(async () => (await status(old)) === 401, 3000), 'the old one has ended');
  const short = at(
    service.url,
    await json('credential', 'create', integration, '--type', 'basic-auth', '--expires-in', 'PT1S').then(
      ({ file }) => file,
    ),
  );
  assert.ok(await until(async () => (await status(short)) === 401, 3000), 'the short one has ended');
  assert.equal(await service.stop(), 0);
  const used = new Map<string, string | null>();
  for (const view of await json('credential', 'list')) used.set(view.id, view.lastUsedAt);
  assert.ok(used.get(id) !== null, 'the first one was used');
});
