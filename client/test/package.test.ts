/** The package as it is published: JavaScript with types, that needs nothing but what every runtime has, but for Arrow. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBrowser } from '../../console/test/support/chromium.ts';
import { temporaryDirectory } from '../../server/test/support/directory.ts';
import { serveDist } from './dist-site.ts';
import { open, type Rig } from './rig.ts';

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

const written = { count: 1000, sum: 499_500 };

/** Writes the points 0 to 999 of the signal `number`; runs in every runtime. */
const writeAll = async (writer: {
  write(input: string, value: number, time: number): void;
  close(): Promise<void>;
}) => {
  for (let number = 0; number < 1000; number++) writer.write('number', number, number);
  await writer.close();
};

/** The Node of the machine, which is older than the one of the project, or the latter where there is no other. */
async function systemNode(): Promise<{ path: string; version: string }> {
  const places = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'));
  const paths = [...places.map((place) => join(place, 'node')), process.execPath];
  for (const path of paths) {
    const found = await promisify(execFile)(path, ['--version']).catch(() => null);
    const version = found?.stdout.trim() ?? '';
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20) return { path, version };
  }
  throw new Error('no Node was found');
}

async function startRig(t: TestContext): Promise<Rig> {
  const rig = await open(t);
  await rig.start();
  return rig;
}

test('the writer with its queue in files runs on the Node of the machine', async (t) => {
  const rig = await startRig(t);
  const { path, version } = await systemNode();
  t.diagnostic(`Node ${version}`);
  const program = `import { Client } from '${new URL('client.js', dist)}';
    import { FileQueue } from '${new URL('file-queue.js', dist)}';
    import { Writer } from '${new URL('writer.js', dist)}';
    const file = ${JSON.stringify(rig.credentials)};
    const queue = new FileQueue({ directory: ${JSON.stringify(join(rig.directory, 'queue'))} });
    const client = Client.fromFile(file);
    await (${writeAll})(await Writer.open(client, { integration: file.integration, queue }));`;
  await promisify(execFile)(path, ['--input-type=module', '--eval', program], { timeout: 60_000 });
  assert.deepEqual(await rig.numbers(), written);
});

test('the writer runs in a browser', async (t) => {
  const rig = await startRig(t);
  const site = await serveDist(t, dist, rig.credentials.apiUrl);
  const browser = await startBrowser(site);
  t.after(() => browser.stop());
  const page = await browser.newPage();
  await page.goto(site);
  const file = { ...rig.credentials, apiUrl: `${site}/v1/` };
  await page.evaluate(`(async () => {
    const [{ Client }, { Writer }] = await Promise.all([import('/client.js'), import('/writer.js')]);
    const file = ${JSON.stringify(file)};
    const { integration } = file;
    await (${writeAll})(await Writer.open(Client.fromFile(file), { integration }));
  })()`);
  assert.deepEqual(await rig.numbers(), written);
  assert.deepEqual(browser.complaints, []);
});
