/** The five minutes of the README, executed unchanged against a separate service. */
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
  const { url } = await serve(t, join(cwd, 'tidemark-data'));
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const steps = readSteps(text);
  assert.equal(steps.length, 5);
  const terminal = await Console.open({ cwd, bin, here: new Map([['http://127.0.0.1:8080', url]]) });
  for (const step of steps) await terminal.run(step);
  const [, program] = /^```sh\n(INTEGRATION=.*?)^```/ms.exec(text)!;
  const output = '{"jsonrpc":"2.0","id":1,"result":{"signalsByInput":{"pump/pressure":…,"created":true}…';
  await terminal.run({ command: program, output, fails: false });
});
