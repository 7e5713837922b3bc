/** A fault of V8 that `keepNumbersApart` avoids. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/**
 * Prints the numbers of twelve objects, each made by compiled code that gives up between the literal and its first member: the
 * loop is compiled while `count` has only failed, and has not been told since.
 */
const program = `
  let fails = true;
  const count = () => { if (fails) throw new Error('not yet'); return 1; };
  const summary = (length, value) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += i;
    return { count: count(), first: value, last: value };
  };
  const attempt = (length, value) => { try { return summary(length, value); } catch {} };
  const sameShape = (value) => ({ count: 1, first: value, last: value });
  for (let i = 0; i < 3; i++) sameShape(i + 0.5);
  for (let i = 0; i < 8; i++) attempt(3000, i + 0.25);
  attempt(200_000, 0.25);
  fails = false;
  const made = Array.from({ length: 12 }, (_, i) => attempt(60_000, i + 0.5));
  console.log(made.map(({ first }) => first).join(' '));
`;

const run = promisify(execFile);

/** What the program prints after other statements; compiled code is waited for, so that each run is the same. */
async function numbersAfter(statements: string): Promise<number[]> {
  const args = ['--no-concurrent-osr', '--input-type=module', '-e', `${statements};${program}`];
  const { stdout } = await run(process.execPath, args, { timeout: 30_000 });
  return stdout.trim().split(' ').map(Number);
}

test('objects have numbers of their own where compiled code gives up within a literal', async () => {
  const module = new URL('../../../src/threads/compiler.ts', import.meta.url);
  const setting = `import { keepNumbersApart } from ${JSON.stringify(module.href)}; keepNumbersApart()`;
  const expected = Array.from({ length: 12 }, (_, i) => i + 0.5);
  assert.deepEqual(await numbersAfter(setting), expected);
  const without = await numbersAfter('');
  assert.notDeepEqual(without, expected, 'this V8 no longer has the fault: keepNumbersApart can go');
});
