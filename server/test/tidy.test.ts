/** What neither the type checker nor the import graph can see: the project's conventions, read from its source. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bannedCalls, bannedPhrases, codeOfText } from './tidy/banned.ts';
import { barrels, missingHeader, undocumentedExports } from './tidy/documented.ts';
import { misplacedImports } from './tidy/imports.ts';
import { functionLengths, grownFunctions, ninetieth, unexplainedLength } from './tidy/lengths.ts';
import { deadLinks, wrongTitles } from './tidy/markdown.ts';
import { badNames } from './tidy/names.ts';
import {
  type Finding,
  filesIn,
  parseSource,
  printFinding,
  readText,
  type Source,
  top,
} from './tidy/source.ts';
import { citedIn, numbersIn, quotedIn, statementsIn } from './tidy/spec-numbers.ts';

/** Statements that no test can quote yet, each with the reason. */
const planned: Readonly<Record<string, string>> = {};

const product = ['server/src', 'server/generate', 'client/src', 'console/src', 'mcp/src'].flatMap(load);
const tests = ['server/test', 'client/test', 'mcp/test'].flatMap(load);
const bench = load('server/bench');
const all = [...product, ...tests, ...bench];
const documents = filesIn('.', '.md').map((path) => ({ path, text: readText(path) }));

test('no banned call: time, chance, output and types have their places', () => {
  tidy(all.flatMap(bannedCalls));
});

test('F7 no formula can reach an interpreter: nothing in the product makes code of text', () => {
  tidy(product.flatMap(bannedCalls).filter(({ message }) => message === codeOfText));
});

test('no unfinished work and no path of one machine', () => {
  const texts = [...product, ...documents, ...bench, ...tests.filter(({ path }) => !path.includes('tidy'))];
  tidy(texts.flatMap(({ path, text }) => bannedPhrases(path, text)));
});

test('every exported name of the product has a doc comment', () => {
  tidy(product.flatMap(undocumentedExports));
});

test('there are no barrels', () => {
  tidy(all.flatMap(barrels));
});

test('every file begins with a header comment', () => {
  tidy(all.flatMap(missingHeader));
});

test('imports into another folder are written #folder/file, inside a folder ./file.ts', () => {
  tidy(all.flatMap(misplacedImports));
});

test('names of files and folders are kebab-case and say something', () => {
  tidy(all.flatMap(({ path }) => badNames(path)));
});

test('no function has grown just above a screen', () => {
  tidy(product.flatMap(grownFunctions));
});

test('a long file says why', () => {
  tidy(product.flatMap(unexplainedLength));
});

test('nine in ten functions have at most 40 lines, nine in ten files at most 300', () => {
  assert.ok(ninetieth(product.flatMap(functionLengths)) <= 40);
  assert.ok(ninetieth(product.map(({ text }) => text.split('\n').length)) <= 300);
});

test('each numbered statement of the specification is quoted in a test title or a case', () => {
  const quoted = new Set([...tests.flatMap((source) => [...quotedIn(source).keys()]), ...quotedInCases()]);
  const unquoted = [...statements()].filter(([number]) => !quoted.has(number) && !(number in planned));
  tidy(unquoted.map(([, finding]) => finding));
});

test('each number that a test or a comment quotes is a statement of the specification', () => {
  const known = statements();
  const quoted = [...tests.map(quotedIn), ...[...product, ...bench].map(citedIn)];
  const unknown = quoted.flatMap((numbers) => [...numbers].filter(([number]) => !known.has(number)));
  tidy(unknown.map(([, finding]) => finding));
});

test('the list of planned statements has no number that is gone or quoted by now', () => {
  const quoted = new Set(tests.flatMap((source) => [...quotedIn(source).keys()]));
  const stale = Object.keys(planned).filter((number) => !statements().has(number) || quoted.has(number));
  assert.deepEqual(stale, []);
});

test('every document has exactly one title', () => {
  tidy(documents.flatMap(({ path, text }) => wrongTitles(path, text)));
});

test('every relative link in a document leads somewhere', () => {
  tidy(documents.flatMap(({ path, text }) => deadLinks(path, text, readTarget)));
});

/** Fails with one line for each finding. */
function tidy(findings: readonly Finding[]): void {
  if (findings.length > 0)
    assert.fail(`${findings.length} to tidy\n${findings.map(printFinding).join('\n')}`);
}

function load(folder: string): Source[] {
  if (!existsSync(join(top, folder))) return [];
  return [...filesIn(folder, '.ts'), ...filesIn(folder, '.tsx')].map((path) =>
    parseSource(path, readText(path)),
  );
}

function statements(): Map<string, Finding> {
  const pages = documents.filter(({ path }) => path.startsWith('spec/'));
  return new Map(pages.flatMap(({ path, text }) => [...statementsIn(path, text)]));
}

function quotedInCases(): string[] {
  if (!existsSync(join(top, 'spec/cases'))) return [];
  return filesIn('spec/cases', '.case').flatMap((path) => numbersIn(readText(path)));
}

/** What {@link deadLinks} asks for. */
function readTarget(path: string): string | null {
  if (!existsSync(join(top, path))) return null;
  return statSync(join(top, path)).isFile() && path.endsWith('.md') ? readText(path) : '';
}
