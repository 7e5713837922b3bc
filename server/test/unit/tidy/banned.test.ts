/** The tidy rules about calls and phrases: each against what it must catch and what only looks like it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bannedCalls, bannedPhrases } from '../../tidy/banned.ts';
import { parseSource } from '../../tidy/source.ts';

/** The lines on which a file of the product breaks a ban. */
function lines(text: string, path = 'server/src/domain/query/plan.ts'): number[] {
  return bannedCalls(parseSource(path, text)).map(({ line }) => line);
}

test('the present is taken from a Clock', () => {
  assert.deepEqual(lines('const a = 1;\nconst b = Date.now();'), [2]);
  assert.deepEqual(lines('new Date();'), [1]);
  assert.deepEqual(lines('new Date(ms); Date.parse(text); clock.now();'), []);
  assert.deepEqual(lines('// Date.now() is banned\nconst text = "Date.now()";'), []);
  assert.deepEqual(lines('Date.now();', 'server/src/system-environment.ts'), []);
});

test('durations are taken from a Stopwatch, except by loops that measure their own work', () => {
  assert.deepEqual(lines('const a = 1;\nconst b = performance.now();'), [2]);
  assert.deepEqual(lines('stopwatch.elapsedMs(); performance.mark("a");'), []);
  assert.deepEqual(lines('performance.now();', 'server/src/storage/sqlite/task-loop.ts'), []);
  assert.deepEqual(lines('performance.now();', 'server/src/storage/sqlite/writer.ts'), [1]);
});

test('chance is taken from a Random', () => {
  assert.deepEqual(lines('Math.random();'), [1]);
  assert.deepEqual(lines("import { randomBytes } from 'node:crypto';"), [1]);
  assert.deepEqual(lines('crypto.getRandomValues(bytes);'), [1]);
  assert.deepEqual(lines('random.bytes(5); Math.round(1);'), []);
});

test('only generators and benchmarks have a console: commands write to their terminal', () => {
  assert.deepEqual(lines('console.log(1);'), [1]);
  assert.deepEqual(lines('console.log(1);', 'server/src/cli/serve.ts'), [1]);
  assert.deepEqual(lines('console.log(1);', 'server/generate/main.ts'), []);
  assert.deepEqual(lines('log.info("console.log");'), []);
});

test('no type is waved through, no code is made of text', () => {
  assert.deepEqual(lines('const a = b as any;'), [1]);
  assert.deepEqual(lines('const a = b as unknown; // as any'), []);
  assert.deepEqual(lines('new Function("return 1"); eval("1");'), [1, 1]);
  assert.deepEqual(lines("import { runInNewContext } from 'node:vm';"), [1]);
  assert.deepEqual(lines('type F = Function; evaluate("1"); import "./vm.ts"; const a = "vm";'), []);
});

test('every test runs', () => {
  assert.deepEqual(lines('test.skip("a", () => {});', 'server/test/a.test.ts'), [1]);
  assert.deepEqual(lines('page.skip(1); test("skip", () => {});', 'server/test/a.test.ts'), []);
});

test('unfinished work and paths of one machine are phrases, comments included', () => {
  const found = (text: string, path = 'server/src/a.ts') => bannedPhrases(path, text).map(({ line }) => line);
  assert.deepEqual(found(`ok\n// ${'TO'}${'DO'} later`), [2]);
  assert.deepEqual(found('the word todo in small letters'), []);
  assert.deepEqual(found(`see /${'work'}/main`), [1]);
  assert.deepEqual(found('a network/work balance'), []);
  assert.deepEqual(found(`../${'shared'}/data`), [1]);
  assert.deepEqual(found(`../${'shared'}/data`, 'server/test/a.test.ts'), []);
});

test('words that are not terms of the field are phrases too', () => {
  const found = (text: string, path = 'server/src/a.ts') => bannedPhrases(path, text).length;
  assert.equal(found(`// told to ${'some'}${'body'}`), 1);
  assert.equal(found(`const ${'who'}${'ever'} = 1`), 1);
  assert.equal(found('furniture, anyone, recently'), 0);
  assert.equal(found(`${'some'}${'body'}`, 'docs/decisions/0001-a.md'), 0);
});
