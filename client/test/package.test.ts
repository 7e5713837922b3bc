/** The package as it is published: JavaScript with types, that needs nothing but what every runtime has, but for Arrow. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const top = new URL('../', import.meta.url);
const dist = new URL('dist/', top);
before(() =>
  promisify(execFile)(process.execPath, ['build.mjs'], { cwd: fileURLToPath(top), timeout: 60_000 }),
);

test('every entry has its JavaScript and its types, and nothing is left of the sources', async () => {
  const manifest = JSON.parse(await readFile(new URL('package.json', dist), 'utf8'));
  assert.deepEqual(
    [manifest.name, manifest.private, manifest.dependencies],
    ['@tidemark/client', undefined, undefined],
  );
  assert.deepEqual(manifest.peerDependenciesMeta, { 'apache-arrow': { optional: true } });
  const files = await readdir(dist);
  for (const { types, default: code } of Object.values<{ types: string; default: string }>(manifest.exports))
    for (const path of [types, code]) assert.ok(files.includes(path.slice(2)), path);
  assert.deepEqual(
    files.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name)),
    [],
  );
  for (const name of ['README.md', 'LICENSE']) assert.ok(files.includes(name), name);
});

/** What a file may import. */
function allowed(name: string): RegExp {
  if (name === 'arrow.js') return /^(?:\.\/[\w-]+\.js|apache-arrow)$/;
  const isForNode = /^(file-queue|point-bytes|directory-lock|flush-on-exit)\.js$/.test(name);
  return isForNode ? /^(?:\.\/[\w-]+\.js|node:[\w/]+)$/ : /^\.\/[\w-]+\.js$/;
}

test('it imports nothing but its own files, Arrow where frames are Arrow, and Node where files are written', async () => {
  for (const name of (await readdir(dist)).filter((file) => file.endsWith('.js'))) {
    const text = await readFile(new URL(name, dist), 'utf8');
    for (const [, from] of text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g))
      assert.match(from, allowed(name), name);
  }
});

test('it runs as it is', async () => {
  const { Client, ServiceError } = await import(new URL('client.js', dist).href);
  const { parseTimeUs } = await import(new URL('frame.js', dist).href);
  const credentials = { type: 'basic-auth', clientId: 'a', clientSecret: 'b' };
  const client = new Client({ apiUrl: 'http://127.0.0.1:1/v1/', credentials, retry: { retries: 0 } });
  await assert.rejects(client.callAny('rpc.discover'), (error) => error instanceof ServiceError);
  assert.equal(parseTimeUs('1970-01-01T00:00:01Z'), 1e6);
});
