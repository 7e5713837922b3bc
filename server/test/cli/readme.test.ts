/** The README's five minutes, carried out as they stand, against a service of their own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { bin, serve, temporaryDirectory } from './process.ts';

const root = join(import.meta.dirname, '../../..');
const idPattern = /\b[a-v0-9]{20}\b/g;

interface Step {
  command: string;
  output: string;
}

/** The commands of the ```console blocks and what the document says they print. */
function readSteps(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/```console\n(.*?)```/gs)].map(([, block]) => block);
  return blocks.map((block) => {
    assert.ok(block.startsWith('$ '), block);
    const lines = block.slice(2).split('\n');
    // A command goes on while a quote is open.
    const length = lines.findIndex((_, i) => lines.slice(0, i + 1).join('').split("'").length % 2 === 1) + 1;
    return { command: lines.slice(0, length).join('\n'), output: lines.slice(length).join('\n') };
  });
}

test('the README says what its commands print', async (t) => {
  const directory = await temporaryDirectory(t);
  await symlink(join(root, 'docs'), join(directory, 'docs'));
  await serve(t, join(directory, 'tidemark-data'));
  const steps = readSteps(await readFile(join(root, 'README.md'), 'utf8'));
  assert.equal(steps.length, 4);
  /** An ID of the document → the one that was made here in its place. */
  const ids = new Map<string, string>();
  for (const { command, output } of steps) {
    const here = command.replace(idPattern, (id) => ids.get(id) ?? id);
    const script = here.replace('npx tidemark', `'${process.execPath}' '${bin}'`);
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: directory });
    const made = stdout.match(idPattern) ?? [];
    for (const [i, id] of (output.match(idPattern) ?? []).entries()) ids.set(id, made[i]);
    const expected = output.replace(idPattern, (id) => ids.get(id) ?? id);
    assert.equal(withoutDurations(stdout), withoutDurations(expected), command);
    await new Promise((resolve) => setTimeout(resolve, 300)); // A new credential is known within a second (A1).
  }
  assert.ok(dirname(bin).startsWith(join(root, 'server')));
});

function withoutDurations(text: string): string {
  return text.replace(/in [0-9.]+ s\b/g, 'in … s').trimEnd();
}
