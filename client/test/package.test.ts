/** The package as it is published: JavaScript with types, that needs nothing but what every runtime has, but for Arrow. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../server/test/support/directory.ts';

const top = new URL('../', import.meta.url);
const dist = new URL('dist/', top);
const compiler = new URL('../node_modules/typescript-7/bin/tsc', top);
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

test('npm packs it, and a program with the tarball alone has its entries and their types', {
  timeout: 120_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const run = promisify(execFile);
  const pack = ['pack', '--silent', '--pack-destination', directory, fileURLToPath(dist)];
  const { stdout: tarball } = await run('npm', pack, { cwd: directory });
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, join(directory, tarball.trim())], { cwd: directory });
  const program = `import { Client } from '@tidemark/client';
    import { FileQueue } from '@tidemark/client/file-queue';
    import { flushOnExit } from '@tidemark/client/flush-on-exit';
    import { toColumns } from '@tidemark/client/frame';
    import { Writer } from '@tidemark/client/writer';
    export const names: string[] = [Client, FileQueue, Writer, flushOnExit, toColumns].map(({ name }) => name);
    process.stdout.write(names.join(' '));`;
  await writeFile(join(directory, 'program.ts'), program);
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: directory });
  assert.equal(stdout, 'Client FileQueue Writer flushOnExit toColumns');
  const strict = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom',
  ];
  const typed = program.replace(/process.*/, '');
  await writeFile(join(directory, 'typed.ts'), typed);
  await run(process.execPath, [fileURLToPath(compiler), ...strict, 'typed.ts'], { cwd: directory });
});

test('it runs as it is', async () => {
  const { Client, ServiceError } = await import(new URL('client.js', dist).href);
  const { parseTimeUs } = await import(new URL('frame.js', dist).href);
  const credentials = { type: 'basic-auth', clientId: 'a', clientSecret: 'b' };
  const client = new Client({ apiUrl: 'http://127.0.0.1:1/v1/', credentials, retry: { retries: 0 } });
  await assert.rejects(client.callAny('rpc.discover'), (error) => error instanceof ServiceError);
  assert.equal(parseTimeUs('1970-01-01T00:00:01Z'), 1e6);
});
