/** The README's five minutes, carried out as they stand, against a service of their own. */
import assert from 'node:assert/strict';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Console, readSteps } from '../support/console-blocks.ts';
import { bin, serve, temporaryDirectory } from './process.ts';

const root = join(import.meta.dirname, '../../..');

test('the README says what its commands print', async (t) => {
  const cwd = await temporaryDirectory(t);
  await symlink(join(root, 'docs'), join(cwd, 'docs'));
  await serve(t, join(cwd, 'tidemark-data'));
  const steps = readSteps(await readFile(join(root, 'README.md'), 'utf8'));
  assert.equal(steps.length, 4);
  const terminal = await Console.open({ cwd, bin });
  for (const step of steps) await terminal.run(step);
});
