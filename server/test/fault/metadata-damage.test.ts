/** Bytes of metadata are changed: a read of the row is refused, and a check names its table. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import type { MetaStore } from '#storage/meta-store';
import { FileCheck } from '#storage/sqlite/check';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite } from '#storage/sqlite/store';
import { integration, item, signal } from '../support/resources.ts';
import { FixedClock, KeptLog } from '../support/world.ts';

const owner = { ...integration(), name: 'Plant of Ahlen' };
const made = item();
const shown = { ...made, attributes: { ...made.attributes, name: 'Boiler of Ahlen' } };
const fed = signal(owner.id, 'boiler/pressure', { item: shown.id });

function openStore(directory: string) {
  return openSqlite({ directory, clock: new FixedClock(), log: new KeptLog(), limits: limitDefaults });
}

async function problemsOf(directory: string): Promise<string> {
  const inspection = new FileCheck(databasePath(directory));
  try {
    return (await inspection.check()).problems.join('\n');
  } finally {
    inspection.close();
  }
}

/** Changes one character wherever this text is. */
async function change(directory: string, text: string): Promise<void> {
  const path = databasePath(directory);
  const bytes = await readFile(path);
  const changed = Buffer.from(text);
  changed[changed.length - 1] ^= 1;
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1), count++)
    changed.copy(bytes, at);
  assert.ok(count > 0, `${text} is not in the file`);
  await writeFile(path, bytes);
}

describe('metadata that is not as it was written', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'tidemark-metadata-'));
    const { meta, close } = await openStore(join(root, 'sound'));
    await meta.write(async (tx) => {
      await tx.integrations.insert({ ...owner, name: 'before' });
      await tx.integrations.update(owner);
      await tx.items.insert([shown]);
      await tx.signals.insert([fed]);
      await tx.preferences.save('name', 'Instance of Ahlen');
      await tx.preferences.save('name', 'Instance of Beckum');
    });
    await close();
  });
  after(() => rm(root, { recursive: true }));

  it('is sound before', async () => {
    assert.equal(await problemsOf(join(root, 'sound')), '');
    const { meta, close } = await openStore(join(root, 'sound'));
    assert.deepEqual(await meta.integrations.all(), [owner]);
    assert.deepEqual([...(await meta.preferences.all()).values()], ['Instance of Beckum']);
    await close();
  });

  const cases: [string, string, (meta: MetaStore) => Promise<unknown>][] = [
    ['integration', 'Plant of Ahlen', (meta) => meta.integrations.all()],
    ['signal', 'boiler/pressure', (meta) => meta.signals.byId([fed.id])],
    ['item', shown.attributes.name, (meta) => meta.items.byId([shown.id])],
    ['preference', 'Instance of Beckum', (meta) => meta.preferences.all()],
  ];
  for (const [table, text, read] of cases) {
    it(`R9 is refused when it is read, and found by a check: ${table}`, async () => {
      const directory = join(root, table);
      await cp(join(root, 'sound'), directory, { recursive: true });
      await change(directory, text);
      assert.match(await problemsOf(directory), new RegExp(`a row of ${table} .* differs from its checksum`));
      const { meta, close } = await openStore(directory);
      await assert.rejects(read(meta), {
        kind: 'found-invalid-resource',
        message: /differs from its checksum/,
      });
      await close();
    });
  }
});
