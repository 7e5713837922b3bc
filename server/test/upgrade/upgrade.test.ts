/** Data directories that earlier releases wrote are opened by this one: everything is there, and everything can go on. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { limitDefaults } from '#model/limits';
import { openDirectory } from '#open-directory';
import { temporaryDirectory } from '../support/directory.ts';
import { checkFile } from '../support/file-check.ts';
import { statsOf } from '../support/sealed.ts';
import { FixedClock, KeptLog, SeededRandom } from '../support/world.ts';
import { contentsOf } from './contents.ts';

const here = import.meta.dirname;
const entries = await readdir(here, { withFileTypes: true });
const releases = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

for (const release of releases) {
  test(`a data directory of ${release} is read, goes on, and is sound`, async (t) => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, 'tidemark.db');
    await writeFile(path, gunzipSync(await readFile(join(here, release, 'tidemark.db.gz'))));
    const expected = JSON.parse(await readFile(join(here, release, 'expected.json'), 'utf8'));
    const { baseUrl, secrets } = expected;
    const before = await checkFile(path);
    assert.deepEqual(before.problems, []);
    assert.ok(before.blocks > 2 && before.logRows > 0, 'it has blocks and a log');
    const clock = new FixedClock();
    const open = () =>
      openDirectory(
        { directory, limits: limitDefaults, baseUrl },
        { clock, stopwatch: clock, random: new SeededRandom(2), log: new KeptLog() },
      );

    const domain = await open();
    const { identity, series, signIns } = domain;
    try {
      assert.deepEqual(JSON.parse(JSON.stringify(await contentsOf(domain))), expected.contents);
      const { basic, client, person } = secrets;
      assert.equal((await identity.authenticateBasic(basic.user, basic.password))?.integration, basic.user);
      assert.equal(await identity.authenticateBasic(basic.user, `${basic.password}x`), null);
      const request = {
        clientId: client.id,
        clientSecret: client.secret,
        audiences: [`${baseUrl}/v1/`],
        scopes: [],
      };
      const answer = await identity.issueToken(request);
      assert.ok(answer.ok);
      const caller = await identity.authenticateBearer(answer.accessToken);
      assert.deepEqual([caller?.integration, caller?.credential], [basic.user, client.id]);
      const entry = await signIns.signIn(person.name, person.password, { address: '::1', userAgent: '' });
      assert.ok(entry.ok);
      await series.append({
        timesUs: Float64Array.of(0, 1),
        signals: [1, 2],
        values: Float64Array.of(1, 2, 3, 4),
      });
      assert.deepEqual(await series.deletePoints([1, 2], { startUs: 0, endUs: 1 }), [1, 1]);
    } finally {
      await domain.close();
    }

    const again = await open();
    assert.deepEqual(await again.series.countPoints([1, 2], { startUs: 0, endUs: 2 }), [1, 1]);
    await again.close();
    assert.deepEqual((await checkFile(path)).problems, []);
  });
}

test('R9 a service rewrites blocks of format 2 so that signals share their times', async (t) => {
  const directory = await temporaryDirectory(t);
  const release = join(here, '0.1.0-format-2');
  const path = join(directory, 'tidemark.db');
  await writeFile(path, gunzipSync(await readFile(join(release, 'tidemark.db.gz'))));
  const { baseUrl, contents } = JSON.parse(await readFile(join(release, 'expected.json'), 'utf8'));
  const clock = new FixedClock();
  const domain = await openDirectory(
    { directory, limits: limitDefaults, baseUrl, serving: true },
    { clock, stopwatch: clock, random: new SeededRandom(2), log: new KeptLog() },
  );
  try {
    for (let i = 0; i < 200 && statsOf(directory).timeColumns === 0; i++) await wait(100);
    assert.ok(statsOf(directory).timeColumns > 0, 'times are shared');
    assert.deepEqual(JSON.parse(JSON.stringify(await contentsOf(domain))), contents);
  } finally {
    await domain.close();
  }
  assert.deepEqual((await checkFile(path)).problems, []);
});

test('there is a data directory to open', () => {
  assert.ok(releases.length > 0);
});
