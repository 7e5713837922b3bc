/** The package as it is published: JavaScript that works without the sources. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { callBasic, readCredentials, serve, temporaryDirectory, tidemark } from './process.ts';

const run = promisify(execFile);
const server = fileURLToPath(new URL('../../', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

test('W1 the packed package serves a request', async (t) => {
  const directory = await temporaryDirectory(t);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: server });
  const [{ filename, files }] = readReport(stdout);
  const names = files.map(({ path }) => path);
  for (const name of ['bin/tidemark.js', 'dist/package.json', 'dist/cli/main.js', 'README.md', 'LICENSE']) {
    assert.ok(names.includes(name), name);
  }
  assert.deepEqual(
    names.filter((name) => /\.ts$|^(src|test|bench)\//.test(name)),
    [],
  );
  await run('tar', ['-xzf', join(directory, filename), '-C', directory]);
  const root = join(directory, 'package');
  assert.ok(!existsSync(join(root, 'src')));
  await symlink(modules, join(root, 'node_modules'));

  const bin = join(root, 'bin', 'tidemark.js');
  const { version } = JSON.parse(await readFile(join(server, 'package.json'), 'utf8'));
  assert.deepEqual(await tidemark(['--version'], { bin }), { code: 0, stdout: `${version}\n`, stderr: '' });
  const data = join(directory, 'data');
  const { stop } = await serve(t, data, ['--demo'], { bin });
  const path = join(data, 'demo-credentials.json');
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 50));
  const file = await readCredentials(path);
  const answer = await callBasic<{ data: object }>(file, 'service.selectItems', { query: {} });
  assert.equal(Object.keys(answer.body.result!.data).length, 7);
  assert.equal(await stop(), 0);
});

/** npm writes what its scripts say before the report. */
function readReport(stdout: string): { filename: string; files: { path: string }[] }[] {
  const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  return Array.isArray(report) ? report : Object.values(report);
}
