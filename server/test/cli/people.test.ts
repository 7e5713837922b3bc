/** People by command line and settings, and the console of a service as it is started. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Browser } from '../support/browser.ts';
import { serve, temporaryDirectory, tidemark, until } from './process.ts';

const password = 'correct horse battery';

test('people are created, listed, changed and removed by name; a running service notices', async (t) => {
  const data = await temporaryDirectory(t);
  const people = (args: string[], input = '') => tidemark(['people', ...args, '--data', data], { input });
  const created = await people(['create', 'Ada', '--role', 'admin', '--password-file', '-'], `${password}\n`);
  assert.deepEqual([created.code, created.stdout], [0, 'Ada may sign in as admin\n'], created.stderr);
  const { url } = await serve(t, data);
  const ada = new Browser(url);
  assert.equal((await ada.signIn('ada', password)).person?.role, 'admin');
  const file = join(data, 'password');
  await writeFile(file, 'a new password of hers\r\n');
  assert.equal(
    (await people(['password', 'ADA', '--password-file', file])).stdout,
    'Ada has another password\n',
  );
  assert.equal((await ada.session()).status, 'anonymous');
  await ada.signIn('Ada', 'a new password of hers');
  await people(['create', 'Vic', '--password-file', '-'], password);
  assert.equal((await people(['role', 'Vic', 'admin'])).stdout, 'Vic may sign in as admin\n');
  const listed = JSON.parse((await people(['list', '--json'])).stdout);
  assert.deepEqual(
    listed.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [
      ['Ada', 'admin'],
      ['Vic', 'admin'],
    ],
  );
  assert.equal((await people(['delete', 'Vic', '--yes'])).stdout, 'deleted Vic\n');
  const last = await people(['delete', 'Ada', '--yes']);
  assert.deepEqual([last.code, last.stderr], [1, 'tidemark: "Ada" is the only administrator left\n']);
  assert.equal((await ada.result('console.audit.list', { limit: 1 })).rows[0].actor.startsWith('cli:'), true);
});

test('a password that is missing, weak or in no file is wrong usage, or an error that names it', async (t) => {
  const data = await temporaryDirectory(t);
  const create = (args: string[], input = '') =>
    tidemark(['people', 'create', 'Ada', '--data', data, ...args], { input });
  assert.match((await create([])).stderr, /no terminal to ask for a password/);
  assert.equal((await create([])).code, 2);
  assert.equal((await create(['--password-file', join(data, 'none')])).code, 2);
  const weak = await create(['--password-file', '-'], 'short\n');
  assert.deepEqual(
    [weak.code, weak.stderr],
    [2, 'tidemark: Invalid params; password: must be 12 to 256 characters, got 5\n'],
  );
});

test('settings create the first administrator, and nothing later', async (t) => {
  const data = await temporaryDirectory(t);
  const file = join(data, 'secret');
  await writeFile(file, `${password}\n`);
  await chmod(file, 0o600);
  const args = ['--admin-name', 'Ada', '--admin-password-file', file];
  const first = await serve(t, data, args);
  await new Browser(first.url).signIn('Ada', password);
  assert.equal(/[a-z2-9]{4}(-[a-z2-9]{4}){3}/.test(first.output.stdout), false, 'no code is needed');
  await first.stop();
  await writeFile(file, 'another password of hers\n');
  const second = await serve(t, data, args);
  await new Browser(second.url).signIn('Ada', password);
  const half = await tidemark(['serve', '--data', data, '--admin-name', 'Ada']);
  assert.equal(half.code, 2);
});

test('a new service logs its set-up code; with it the demo plant is loaded, and the configuration shown', async (t) => {
  const data = await temporaryDirectory(t);
  const { url, output } = await serve(t, data);
  assert.ok(await until(() => output.stdout.includes('setupCode'), 5000));
  const { setupCode: code } = output.stdout
    .split('\n')
    .filter((line) => line.includes('setupCode'))
    .map((line) => JSON.parse(line))[0];
  const ada = new Browser(url);
  await ada.setUp({ code, name: 'Ada', password, demo: true });
  const { integrations } = await ada.result('console.integrations.list');
  assert.deepEqual(
    integrations.map(({ name }: { name: string }) => name),
    ['Demo plant'],
  );
  const { rows } = await ada.result('console.config');
  const byName = new Map(rows.map((row: { name: string }) => [row.name, row]));
  assert.deepEqual(byName.get('data'), {
    name: 'data',
    value: data,
    default: './tidemark-data',
    origin: 'flag',
    reason: 'directory that holds all data',
  });
  assert.ok(byName.has('limits.sessionIdleS'));
  const overview = await ada.result('console.overview');
  assert.ok(overview.store.bytes > 0 && overview.memoryBytes > 1e6 && overview.store.signals > 0);
  assert.deepEqual(await ada.result('console.health'), {
    checks: [
      { name: 'store', problem: null },
      { name: 'disk', problem: null },
    ],
  });
});
