/** The Debian-style layout: installed by its script into a directory that represents /, and checked with systemd's own tools. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/directory.ts';
import { findTool } from '../support/machine-tools.ts';
import { ignoredBy } from './dockerfile.ts';

const run = promisify(execFile);
const top = fileURLToPath(new URL('../../../', import.meta.url));
const operate = join(top, 'docs/operate');
const unit = await readFile(join(operate, 'tidemark.service'), 'utf8');

async function temporaryRoot(t: TestContext): Promise<string> {
  const path = await temporaryDirectory(t);
  return path;
}

/** Writes a file, and the folders above it. */
async function place(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}

/** The parts of the repository that a build needs, and its packages: tests side by side do not build in one place. */
async function cloneRepository(t: TestContext): Promise<string> {
  const clone = await temporaryRoot(t);
  const isIgnored = ignoredBy(await readFile(join(top, '.dockerignore'), 'utf8'));
  const filter = (path: string) => !isIgnored(relative(top, path));
  // Files keep their times, by which a build sees that the console and the manual are built: the image's test builds them anew.
  const options = { recursive: true, preserveTimestamps: true };
  for (const name of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'LICENSE',
    'SECURITY.md',
    'CHANGELOG.md',
    'tsconfig.base.json',
  ])
    await cp(join(top, name), join(clone, name), options);
  for (const name of ['server', 'client', 'console', 'manual', 'mcp', 'docs', 'spec'])
    await cp(join(top, name), join(clone, name), { ...options, filter });
  for (const name of ['console/dist', 'manual/dist']) await cp(join(top, name), join(clone, name), options);
  await symlink(join(top, 'node_modules'), join(clone, 'node_modules'));
  return clone;
}

test('install.sh lays the program out, keeps the old one, and leaves settings alone', async (t) => {
  const root = await temporaryRoot(t);
  const settings = '{ "logLevel": "warn" }\n';
  await place(join(root, 'etc/tidemark/tidemark.json'), settings);
  await place(join(root, 'usr/lib/tidemark/of-the-last-version'), '');
  const env = { ...process.env, DESTDIR: root, npm_config_prefer_offline: 'true' };
  const clone = await cloneRepository(t);
  await run(join(clone, 'docs/operate/install.sh'), { env, maxBuffer: 1 << 26 });

  assert.equal(await readFile(join(root, 'etc/tidemark/tidemark.json'), 'utf8'), settings);
  assert.deepEqual(await readdir(join(root, 'usr/lib/tidemark.old')), ['of-the-last-version']);
  const program = join(root, 'usr/lib/tidemark');
  const version = await run(join(program, 'bin/node'), [
    join(program, 'server/bin/tidemark.js'),
    '--version',
  ]);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.deepEqual((await readdir(join(program, 'server'))).sort(), ['bin', 'dist', 'package.json']);
  // What the command goes by is what the unit goes by.
  const wrapper = await readFile(join(root, 'usr/bin/tidemark'), 'utf8');
  assert.ok(
    wrapper.includes('/etc/default/tidemark') && unit.includes('EnvironmentFile=-/etc/default/tidemark'),
  );
  for (const path of ['usr/bin/tidemark', 'usr/lib/tidemark/bin/node'])
    assert.equal((await stat(join(root, path))).mode & 0o777, 0o755, path);
});

test('the unit is right, and exposes little of the machine', async (t) => {
  const analyze = findTool(t, 'systemd-analyze');
  if (analyze === null) return;
  const root = await temporaryRoot(t);
  const command = join(root, 'tidemark');
  await place(command, '#!/bin/sh\n', 0o755);
  const path = join(root, 'tidemark.service');
  await writeFile(path, unit.replace('/usr/bin/tidemark', command));
  const { stdout, stderr } = await run(analyze, ['verify', path]);
  assert.equal(`${stdout}${stderr}`, '');
  // 0 is a service that can do nothing, 10 one that can do everything; the threshold is in tenths.
  const args = ['security', '--offline=true', '--threshold=15', '--no-pager', path];
  const security = await run(analyze, args);
  const verdict = /Overall exposure level.*: ([\d.]+)/.exec(security.stdout);
  t.diagnostic(`systemd-analyze security: ${verdict?.[1]} of 10`);
  assert.ok(Number(verdict?.[1]) <= 1.5);
});

test('a mistake in the unit would be found', async (t) => {
  const analyze = findTool(t, 'systemd-analyze');
  if (analyze === null) return;
  const path = join(await temporaryRoot(t), 'tidemark.service');
  await writeFile(path, unit.replace('ProtectSystem=strict', 'ProtectSystem=very'));
  const { stderr } = await run(analyze, ['verify', path]).catch((error) => error);
  assert.match(stderr, /Failed to parse protect system value/);
});

test('the user is made, and the unit can be enabled', async (t) => {
  const sysusers = findTool(t, 'systemd-sysusers');
  const systemctl = findTool(t, 'systemctl');
  if (sysusers === null || systemctl === null) return;
  const root = await temporaryRoot(t);
  await place(join(root, 'usr/lib/systemd/system/tidemark.service'), unit);
  const conf = await readFile(join(operate, 'tidemark.sysusers'), 'utf8');
  await place(join(root, 'usr/lib/sysusers.d/tidemark.conf'), conf);
  await mkdir(join(root, 'etc'));
  const made = await run(sysusers, [`--root=${root}`, '--dry-run']);
  assert.match(`${made.stdout}${made.stderr}`, /Creating user 'tidemark'/);
  await run(systemctl, [`--root=${root}`, 'enable', 'tidemark']);
  const link = join(root, 'etc/systemd/system/multi-user.target.wants/tidemark.service');
  assert.equal(await readlink(link), '/usr/lib/systemd/system/tidemark.service');
});
