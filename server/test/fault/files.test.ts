/** Files that cannot be used as they are: one clear error, and nothing changed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteOptions, type SqliteStore } from '#storage/sqlite/store';
import { silentLog as quiet } from '../support/world.ts';
import { batchNumbered, signalsOf } from './numbered-batch.ts';

function openIn(directory: string, more: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  return openSqlite({ directory, clock: { nowUs: () => 0 }, log: quiet, limits: limitDefaults, ...more });
}

/** Expects that the store refuses the directory with one line that matches. */
async function assertRefused(
  directory: string,
  message: RegExp,
  more: Partial<SqliteOptions> = {},
): Promise<void> {
  await assert.rejects(openIn(directory, more), (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.kind, 'conflict');
    assert.match(error.message, message);
    assert.equal(error.message.includes('\n'), false);
    return true;
  });
}

async function scanWriter(store: SqliteStore, writer: number): Promise<void> {
  const window = { startUs: 0, endUs: 2 ** 53 };
  const sources = signalsOf(writer).map((signal) => ({
    signals: [signal],
    window,
    before: false,
    after: false,
  }));
  await store.series.scan({ sources });
}

describe('the files of the store', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
  });
  after(() => rm(root, { recursive: true }));

  it('belong to their owner only, the directory too', async () => {
    const directory = join(root, 'rights', 'deep');
    const store = await openIn(directory, { serving: true });
    await store.series.append(batchNumbered(0, 0));
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    for (const file of await readdir(directory)) {
      assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file);
    }
    await store.close();
  });

  it('lose the rights of others when the store is opened, next to a database that others could write', async () => {
    const directory = join(root, 'open-to-all');
    await (await openIn(directory)).close();
    const path = join(directory, 'tidemark.db');
    await chmod(path, 0o666);
    const reader = new DatabaseSync(path);
    reader.prepare('select count(*) from series_log').get();
    assert.equal((await stat(`${path}-shm`)).mode & 0o777, 0o666);
    const store = await openIn(directory);
    await store.series.append(batchNumbered(0, 0));
    for (const file of await readdir(directory)) {
      assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file);
    }
    reader.close();
    await store.close();
  });

  it('are refused when a newer program wrote them, and stay as they are', async () => {
    const directory = join(root, 'newer');
    await (await openIn(directory)).close();
    const path = join(directory, 'tidemark.db');
    const db = new DatabaseSync(path);
    db.exec('pragma user_version = 99');
    db.close();
    const bytes = await readFile(path);
    await assertRefused(directory, /has format 99, this program knows up to 4/);
    assert.deepEqual(await readFile(path), bytes);
  });

  it('are refused when they are of another program', async () => {
    const directory = join(root, 'foreign');
    await mkdir(directory);
    const path = join(directory, 'tidemark.db');
    const db = new DatabaseSync(path);
    db.exec('create table theirs (a); pragma user_version = 7');
    db.close();
    const bytes = await readFile(path);
    await assertRefused(directory, /is not a store of this program/);
    await writeFile(path, 'a letter, not a database; '.repeat(100));
    await assertRefused(directory, /damaged or not a store/);
    await writeFile(path, bytes);
    await assertRefused(directory, /is not a store of this program/);
  });

  it('are refused when the directory is none, or may not be written', async () => {
    await writeFile(join(root, 'file'), '');
    await assertRefused(join(root, 'file'), /cannot be opened/);
    await assertRefused(join(root, 'file', 'below'), /cannot be opened/);
    const directory = join(root, 'read-only');
    await (await openIn(directory)).close();
    assert.match(await openAsNobody(directory), /conflict.*cannot be opened|conflict.*cannot be written/);
  });

  it('are refused to a second serving process, but not to the command line', async () => {
    const directory = join(root, 'served');
    const store = await openIn(directory, { serving: true });
    await assertRefused(directory, /is already served by another process/, { serving: true });
    const command = await openIn(directory);
    await command.series.append(batchNumbered(0, 0));
    await command.close();
    await scanWriter(store, 0);
    await store.close();
    await (await openIn(directory, { serving: true })).close();
  });

  it('are served once, whatever the path: through a link to the directory, to the file, and under a second name', async () => {
    const directory = join(root, 'real');
    const store = await openIn(directory, { serving: true });
    await store.series.append(batchNumbered(0, 0));
    await symlink(directory, join(root, 'linked-directory'));
    await assertRefused(join(root, 'linked-directory'), /is already served by another process/, {
      serving: true,
    });
    await mkdir(join(root, 'linked-file'));
    await symlink(join(directory, 'tidemark.db'), join(root, 'linked-file', 'tidemark.db'));
    await assertRefused(join(root, 'linked-file'), /is already served by another process/, { serving: true });
    await store.close();
    await (await openIn(join(root, 'linked-file'), { serving: true })).close();
    await mkdir(join(root, 'second-name'));
    await link(join(directory, 'tidemark.db'), join(root, 'second-name', 'tidemark.db'));
    await assertRefused(join(root, 'second-name'), /has 2 names \(hard links\)/, { serving: true });
  });

  it('that are cut give an error, and never a wrong number', async () => {
    const directory = join(root, 'cut');
    const store = await openIn(directory);
    for (let batch = 0; batch < 40; batch++) await store.series.append(batchNumbered(0, batch));
    await store.close();
    const path = join(directory, 'tidemark.db');
    await truncate(path, (await stat(path)).size - 20 * 16_384);
    await assert.rejects(async () => {
      const cut = await openIn(directory);
      await scanWriter(cut, 0).finally(() => cut.close());
    }, /damaged|malformed/);
  });

  it('with a flipped bit give an error that names the row, and never a wrong number', async () => {
    const directory = join(root, 'flipped');
    const store = await openIn(directory);
    const batch = batchNumbered(0, 1);
    await store.series.append(batch);
    await store.close();
    const ofThird = batch.timesUs.length * 2;
    const doubles = batch.values.slice(ofThird, ofThird + 4);
    await flipBit(join(directory, 'tidemark.db'), Buffer.from(doubles.buffer));
    const flipped = await openIn(directory);
    await assert.rejects(scanWriter(flipped, 0), /row 1 of series_log cannot be read, its checksum differs/);
    await flipped.close();
  });
});

/** Flips one bit behind the first place where these bytes are. */
async function flipBit(path: string, bytes: Buffer): Promise<void> {
  const at = (await readFile(path)).indexOf(bytes);
  assert.ok(at > 0, 'the bytes are not in the file');
  const file = await open(path, 'r+');
  await file.write(Uint8Array.of(bytes[0] ^ 1), 0, 1, at);
  await file.close();
}

/** Opens a store as a user who may only read it; what the process says. Root may write everything, so it steps down first. */
async function openAsNobody(directory: string): Promise<string> {
  const path = join(directory, 'tidemark.db');
  if (process.getuid?.() === 0) {
    const otherUser = 65_534;
    await chown(directory, otherUser, otherUser);
    await chown(path, otherUser, otherUser);
    await chmod(join(directory, '..'), 0o755);
  }
  await chmod(path, 0o400);
  await chmod(directory, 0o500);
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const program = join(import.meta.dirname, 'open-child.ts');
  const child = spawn(process.execPath, [program, directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  await once(child, 'close');
  return Buffer.concat(said).toString();
}
