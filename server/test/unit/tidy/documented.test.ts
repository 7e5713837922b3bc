/** The tidy rules about doc comments: what counts as one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barrels, missingHeader, undocumentedExports } from '../../tidy/documented.ts';
import { parseSource } from '../../tidy/source.ts';

/** What the rule says about a text. */
function messages(text: string): string[] {
  return undocumentedExports(parseSource('a.ts', text)).map(({ message }) => message);
}

test('an exported name without a doc comment is found, whatever it is', () => {
  assert.deepEqual(messages('export const a = 1;'), ['export a has no doc comment']);
  assert.deepEqual(messages('export function f() {}'), ['export f has no doc comment']);
  assert.deepEqual(messages('export interface I {}\n/** T. */\nexport type T = 1;'), [
    'export I has no doc comment',
  ]);
  assert.deepEqual(messages('// a\nexport class C {}'), ['export C has no doc comment']);
});

test('a name with a doc comment, and one that is not exported, is in order', () => {
  assert.deepEqual(messages('/** A. */\nexport const a = 1;\nconst b = 2;\nfunction c() {}'), []);
  assert.deepEqual(messages('/** A. */\n// biome-ignore lint: because\nexport const a = 1;'), []);
});

test('the header of a file is not the doc comment of its first name', () => {
  assert.equal(messages('/** The header. */\n\nexport const a = 1;').length, 1);
  assert.equal(messages('/** The header. */\n\n/** A. */\nexport const a = 1;').length, 0);
});

test('overloads share the comment of the first', () => {
  const text =
    '/** F. */\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;\nexport function f(a: 0) {}';
  assert.deepEqual(messages(text), []);
});

test('a file that only re-exports is a barrel, an interface that re-exports a name is not', () => {
  const found = (text: string) => barrels(parseSource('a.ts', text)).length;
  assert.equal(found("export * from './b.ts';\nexport const a = 1;"), 1);
  assert.equal(found("import './c.ts';\nexport { b } from './b.ts';"), 1);
  assert.equal(found("export type { B } from './b.ts';\nexport const a = 1;"), 0);
  assert.equal(found('const a = 1;\nexport { a };'), 0);
  assert.equal(found(''), 0);
});

test('a file begins with its header, after the shebang if it has one', () => {
  const found = (text: string) => missingHeader(parseSource('a.ts', text)).length;
  assert.equal(found('/** A file. */\n'), 0);
  assert.equal(found('#!/usr/bin/env node\n/** A file. */\n'), 0);
  assert.equal(found('// A file.\n'), 1);
  assert.equal(found("import a from 'a';\n/** Late. */\n"), 1);
});
