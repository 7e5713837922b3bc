/** The tidy rules about imports, names and lengths. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misplacedImports } from '../../tidy/imports.ts';
import {
  fileLinesMax,
  functionLengths,
  grownFunctions,
  ninetieth,
  redZone,
  unexplainedLength,
} from '../../tidy/lengths.ts';
import { badNames } from '../../tidy/names.ts';
import { parseSource } from '../../tidy/source.ts';

/** What the rule says about one import. */
function finding(path: string, specifier: string): string | undefined {
  return misplacedImports(parseSource(path, `import { a } from '${specifier}';`))[0]?.message;
}

test('an import that leaves its top folder is written with #', () => {
  assert.match(
    finding('server/src/domain/query/plan.ts', '../../model/window.ts') ?? '',
    /write #model\/window$/,
  );
  assert.match(finding('server/src/main.ts', './model/window.ts') ?? '', /write #model\/window$/);
  assert.match(finding('server/src/cli/serve.ts', '../config.ts') ?? '', /write #config$/);
  assert.match(
    finding('server/test/unit/a.test.ts', '../../src/model/window.ts') ?? '',
    /write #model\/window$/,
  );
});

test('an import inside its top folder, of a package, or of an interface is allowed', () => {
  assert.equal(finding('server/src/domain/query/plan.ts', '../formula/parse.ts'), undefined);
  assert.equal(finding('server/src/domain/query/plan.ts', '#model/window'), undefined);
  assert.equal(finding('server/src/storage/sqlite/a.ts', '#storage/store'), undefined);
  assert.equal(finding('server/src/main.ts', './config.ts'), undefined);
  assert.equal(finding('server/src/a.ts', 'node:fs'), undefined);
  assert.equal(finding('server/test/unit/a.test.ts', '../support/clock.ts'), undefined);
});

test('an import of a neighbour is not written with #', () => {
  assert.match(finding('server/src/model/a.ts', '#model/b') ?? '', /same folder/);
});

test('names are kebab-case and hold no empty word', () => {
  const found = (path: string) => badNames(path).map(({ message }) => message);
  assert.deepEqual(found('server/src/model/bucket.ts'), []);
  assert.deepEqual(found('server/test/contract/meta-store.contract.ts'), []);
  assert.deepEqual(found('server/src/model/typesetting.ts'), []);
  assert.deepEqual(found('server/src/saveSignals.ts'), ['"saveSignals" is not kebab-case']);
  assert.match(found('server/src/model/types.ts')[0] ?? '', /^"types" says nothing/);
  assert.match(found('server/src/date-utils.ts')[0] ?? '', /^"utils" says nothing/);
  assert.match(found('server/src/core/a.ts')[0] ?? '', /^"core" says nothing/);
});

/** A function that is `lines` long. */
function long(lines: number): string {
  return `function f() {${'\n'.repeat(lines - 1)}}`;
}

test('a function just above a screen is found, one that is long by nature is not', () => {
  const found = (lines: number) => grownFunctions(parseSource('a.ts', long(lines))).length;
  assert.deepEqual(
    [redZone.above, redZone.above + 1, redZone.below - 1, redZone.below].map(found),
    [0, 1, 1, 0],
  );
});

test('the lines of markup do not count, what is around it does', () => {
  const markup = 'function F() {\n  return (\n    <p>\n      a\n    </p>\n  );\n}';
  assert.deepEqual(functionLengths(parseSource('a.tsx', markup)), [5]);
  assert.deepEqual(functionLengths(parseSource('a.tsx', markup.replace('return', 'g();\nreturn'))), [6]);
});

test('lengths are those of functions and methods; a describe block is a list', () => {
  const text =
    'class C {\n  m() {\n  }\n}\nconst f = () => 1;\ndescribe("d", () => {\n});\ntype F = () => 1;';
  assert.deepEqual(functionLengths(parseSource('a.ts', text)), [2, 1]);
});

test('the ninetieth of a hundred', () => {
  assert.equal(ninetieth(Array.from({ length: 100 }, (_, index) => 100 - index)), 90);
  assert.equal(ninetieth([7]), 7);
  assert.equal(ninetieth([]), 0);
});

test('a long file gives its reason in the header', () => {
  const found = (header: string, lines: number) =>
    unexplainedLength(parseSource('a.ts', `/** ${header} */${'\n'.repeat(lines)}`)).length;
  assert.equal(found('A table.', fileLinesMax), 0);
  assert.equal(found('A table.', fileLinesMax + 1), 1);
  assert.equal(found('A table. Long because it lists every case.', fileLinesMax + 1), 0);
});
