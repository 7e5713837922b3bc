/** What a process of a test says while nobody reads it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

/** Says more at once than a pipe holds; its standard output is used by the runtime too, as in a process with threads. */
const program = `
  import { say } from '${new URL('../support/say.ts', import.meta.url)}';
  process.stdout;
  for (let line = 0; line < 20_000; line++) say(String(line));
`;

test('a line waits until there is space for it', { timeout: 30_000 }, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  assert.equal(code, 0, errors);
  assert.equal(said, Array.from({ length: 20_000 }, (_, line) => `${line}\n`).join(''));
});
