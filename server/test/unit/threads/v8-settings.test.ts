/** What the settings of V8 are for: whether they help, and whether they are needed. */
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

/** What a program prints after a setting. */
async function outputAfter(setting: string, program: string, args: readonly string[] = []): Promise<string> {
  const module = new URL('../../../src/threads/v8-settings.ts', import.meta.url);
  const statements = setting && `import { ${setting} } from ${JSON.stringify(module.href)}; ${setting}();`;
  const all = [...args, '--input-type=module', '-e', `${statements}${program}`];
  return (await run(process.execPath, all, { timeout: 60_000 })).stdout.trim();
}

/** Compiled code is waited for, so that each run is the same. */
async function numbersAfter(setting: string): Promise<number[]> {
  return (await outputAfter(setting, program, ['--no-concurrent-osr'])).split(' ').map(Number);
}

test('objects have numbers of their own where compiled code gives up within a literal', async () => {
  const expected = Array.from({ length: 12 }, (_, i) => i + 0.5);
  assert.deepEqual(await numbersAfter('keepNumbersApart'), expected);
  const without = await numbersAfter('');
  assert.notDeepEqual(without, expected, 'this V8 no longer has the fault: keepNumbersApart can go');
});

/** Prints how often the whole heap is collected while buffers of 40 MB are made and freed a hundred times, beside a few objects. */
const buffersProgram = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  let count = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count++;
  }).observe({ entryTypes: ['gc'] });
  const live = Array.from({ length: 100_000 }, (_, i) => ({ i, text: 'x' + i }));
  const iteration = () => new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 100; round++) {
    const held = Array.from({ length: 40 }, () => new ArrayBuffer(2 ** 20));
    for (let i = 0; i < 20; i++) {
      Array.from({ length: 1000 }, (_, k) => ({ k }));
      await iteration();
    }
    for (const buffer of held) buffer.transfer(0);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(count, live.length);
`;

test('buffers that come and go do not have the whole heap collected again and again', async () => {
  const countAfter = async (setting: string) =>
    Number.parseInt(await outputAfter(setting, buffersProgram), 10);
  const [withSetting, without] = [await countAfter('countBuffersWithHeap'), await countAfter('')];
  assert.ok(withSetting < without, `${withSetting} with the setting, ${without} without`);
});
