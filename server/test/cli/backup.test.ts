/** Backup alongside a service under load, restore, check and stats, from the command line. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { silentLog as quiet } from '../support/world.ts';
import { callBasic, readCredentials, serve, temporaryDirectory, tidemark } from './process.ts';

/** Rows of each insert. */
const rowCount = 500;

/** A served data directory, and a writer of ever later points. */
async function served(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const path = join(directory, 'c.json');
  const create = ['integration', 'create', 'plant', '--type', 'basic-auth', '--credentials', path];
  assert.equal((await tidemark([...create, '--data', data])).code, 0);
  const service = await serve(t, data);
  const credentials = { ...(await readCredentials(path)), apiUrl: `${service.url}/v1/` };
  const { integration } = credentials;
  let next = 0;
  const insert = async () => {
    const first = next++ * rowCount;
    const times = Array.from({ length: rowCount }, (_, i) => first + i);
    const data = { times, series: { a: times, b: times.map((i) => i / 8) } };
    const answer = await callBasic(credentials, 'integration.insert', { integration, data });
    assert.equal(answer.body.error, undefined);
    acknowledged++;
  };
  let acknowledged = 0;
  return { directory, data, service, insert, acknowledged: () => acknowledged };
}

test('R9 a backup made while points are written has every point acknowledged before it began', async (t) => {
  const { directory, data, insert, acknowledged } = await served(t);
  const file = join(directory, 'backup.db');
  const restored = join(directory, 'restored');
  for (let i = 0; i < 20; i++) await insert();
  let isDone = false;
  const writing = (async () => {
    while (!isDone) await Promise.all([insert(), insert()]);
  })();
  const before = acknowledged();
  const backup = await tidemark(['backup', file, '--data', data, '--rate', '2']);
  const after = acknowledged();
  isDone = true;
  await writing;
  assert.equal(backup.code, 0, backup.stderr);
  assert.match(backup.stdout, /^backed up .* in [\d.]+ s; checked: /);
  assert.ok(after > before, 'nothing was written meanwhile');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(directory)).sort(), ['backup.db', 'c.json', 'data']);

  const restoring = await tidemark(['restore', file, '--data', restored]);
  assert.equal(restoring.code, 0, restoring.stderr);
  assert.equal((await stat(restored)).mode & 0o777, 0o700);
  const { series, close } = await openSqlite({
    ...{ directory: restored, clock: { nowUs: () => 0 }, log: quiet, limits: limitDefaults },
  });
  const window = { startUs: 0, endUs: 2 ** 53 };
  const source = { window, before: false, after: false };
  const [a, b] = await series.scan({
    sources: [
      { ...source, signals: [1] },
      { ...source, signals: [2] },
    ],
  });
  await close();
  const count = a.timesUs.length;
  assert.ok(count >= before * rowCount, `${count} points, ${before * rowCount} were acknowledged`);
  for (let i = 0; i < before * rowCount; i++) {
    if (a.timesUs[i] !== i * 1e6 || a.values[i] !== i || b.values[i] !== i / 8) assert.fail(`point ${i}`);
  }
  const check = await tidemark(['check', '--data', restored]);
  assert.deepEqual([check.code, check.stderr], [0, '']);
  assert.match(check.stdout, /is sound: /);
});

test('L4a a restored store says in its audit who made it, of which file, and its chain is whole', async (t) => {
  const { directory, data, insert } = await served(t);
  await insert();
  const file = join(directory, 'nightly.db');
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await tidemark(args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await ok('backup', file, '--data', data);
  const before = await ok('audit', 'verify', '--data', data);
  const bytes = await readFile(file);
  for (const [name, more, batchesInLog] of [
    ['a', [], 1],
    ['b', ['--no-verify'], null],
  ] as const) {
    const restored = join(directory, name);
    await ok('restore', file, '--data', restored, ...more);
    const files = await readdir(restored);
    assert.deepEqual(files, ['tidemark.db']);
    const [row] = JSON.parse(await ok('audit', 'list', '--limit', '1', '--json', '--data', restored));
    assert.deepEqual(
      [row.action, row.target, row.actor, row.origin],
      ['store.restore', 'store', `cli:${userInfo().username}`, 'cli'],
    );
    assert.deepEqual(row.change, {
      backup: 'nightly.db',
      bytes: bytes.length,
      sha256: hash('sha256', bytes, 'hex'),
      pointsInBlocks: batchesInLog === null ? null : 0,
      batchesInLog,
    });
    const head = /head (\d+:[0-9a-f]{64})/.exec(before)?.[1];
    assert.equal(row.seq, Number(head?.split(':')[0]) + 1);
    assert.match(await ok('audit', 'verify', '--head', String(head), '--data', restored), /^complete: /);
  }
  assert.match(
    await ok('check', '--data', join(directory, 'a')),
    /is sound: .*, 1,000 points of 2 signals \(0 in 0 blocks, 1,000 in 1 batch of the log\), /,
  );
});

test('refusals say what to do, and change nothing', async (t) => {
  const { directory, data, insert } = await served(t);
  await insert();
  const file = join(directory, 'b.db');
  const fails = async (message: RegExp, ...args: string[]) => {
    const { code, stderr } = await tidemark(args);
    assert.equal(code, 1);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1);
  };
  assert.equal((await tidemark(['backup', file, '--data', data])).code, 0);
  await fails(/exists; choose another name, or replace it with --force/, 'backup', file, '--data', data);
  assert.equal((await tidemark(['backup', file, '--force', '--data', data])).code, 0);
  await fails(/is already served by another process/, 'restore', file, '--data', data);
  await fails(/is not empty/, 'restore', file, '--data', directory);
  const bytes = await readFile(file);
  const cut = join(directory, 'cut.db');
  await writeFile(cut, bytes.subarray(0, bytes.length - 20_000));
  await fails(/is damaged/, 'restore', cut, '--data', join(directory, 'new'));
  await fails(/is damaged/, 'check', cut);
  await fails(/no data directory/, 'backup', file, '--data', join(directory, 'none'));
  await assert.rejects(stat(join(directory, 'new')), { code: 'ENOENT' });
  const { code, stdout } = await tidemark(['stats', '--json', '--data', data]);
  assert.equal(code, 0);
  const { signals, logRows, logPoints, blocks, largest } = JSON.parse(stdout);
  assert.deepEqual([signals, logRows, logPoints, blocks, largest], [2, 1, 2 * rowCount, 0, []]);
});

test('check names a byte of a backup that is not as it was written, and restore refuses it', async (t) => {
  const { directory, data, insert } = await served(t);
  await insert();
  const file = join(directory, 'b.db');
  assert.equal((await tidemark(['backup', file, '--data', data])).code, 0);
  const bytes = await readFile(file);
  // Values of three decimals are packed as thousandths.
  const at = bytes.indexOf(Buffer.from(Uint16Array.of(125, 250, 375).buffer));
  assert.notEqual(at, -1);
  bytes[at + 5] ^= 1;
  await writeFile(file, bytes);
  const check = await tidemark(['check', file]);
  assert.equal(check.code, 1);
  assert.match(check.stdout, /^damaged: .*row 1 of series_log .* its checksum differs/);
  const restore = await tidemark(['restore', file, '--data', join(directory, 'new')]);
  assert.equal(restore.code, 1);
  assert.match(restore.stderr, /is damaged: .*row 1 of series_log/);
  await assert.rejects(stat(join(directory, 'new')), { code: 'ENOENT' });
});
