/** The tidy rules about the specification's numbers and about documents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadLinks, wrongTitles } from '../../tidy/markdown.ts';
import { parseSource } from '../../tidy/source.ts';
import { citedIn, numbersIn, quotedIn, statementsIn } from '../../tidy/spec-numbers.ts';

test('a statement begins a list entry in bold', () => {
  const text = '# Page\n\n- **Q3** A rule, see Q4.\n- **Q3a** A decision.\n- **Note** none\n**Q5** none';
  assert.deepEqual([...statementsIn('spec/a.md', text).keys()], ['Q3', 'Q3a']);
  assert.equal(statementsIn('spec/a.md', text).get('Q3a')?.line, 4);
});

test('numbers are read from titles, tables of them included, and from nothing else', () => {
  const text = [
    "test('Q3 a day', () => { const other = 'Q4'; });",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the fixture is code
    'describe(`R5, R7 ${view}`, () => {});',
    "save('W1');",
    "await t.test('E2 a part', run);",
    "const cases = [{ title: 'L1, L2 a limit', id: 'F1x', note: 'as W1 says' }];",
  ].join('\n');
  assert.deepEqual(
    [...quotedIn(parseSource('a.test.ts', text)).keys()],
    ['Q3', 'R5', 'R7', 'E2', 'L1', 'L2'],
  );
});

test('a number is a letter and digits of its own; a range stands for its ends', () => {
  assert.deepEqual(numbersIn('Q10, Q3a and L2'), ['Q10', 'Q3a', 'L2']);
  assert.deepEqual(numbersIn('W3C, PT1M, Float64, U2 and F'), []);
  assert.deepEqual(numbersIn('Q2-Q5'), ['Q2', 'Q5']);
});

test('numbers are cited in comments, not in code', () => {
  const text = '/** Parses (R3). */\nconst M1 = 1; // as Q2 says\n';
  assert.deepEqual([...citedIn(parseSource('a.ts', text)).keys()], ['R3', 'Q2']);
});

test('a document has exactly one title; a comment in code is none', () => {
  const count = (text: string) => wrongTitles('a.md', text).length;
  assert.equal(count('# One\n\n## Part\n'), 0);
  assert.equal(count('# One\n\n```sh\n# a comment\n```\n'), 0);
  assert.equal(count('no title'), 1);
  assert.deepEqual(wrongTitles('a.md', '# One\n\n# Two\n')[0]?.line, 3);
});

test('a relative link leads to a file, and to a heading of it', () => {
  const pages: Record<string, string> = { 'docs/b.md': '# B\n\n## Two `words`, Here\n', 'docs/c.ts': '' };
  const dead = (link: string) =>
    deadLinks('docs/a.md', `# A\n\n[x](${link})`, (path) => pages[path] ?? null).length;
  for (const link of ['b.md', './b.md#two-words-here', '../docs/c.ts', '#a', 'https://example.com/x'])
    assert.equal(dead(link), 0, link);
  for (const link of ['d.md', 'b.md#three', '#b', '../b.md']) assert.equal(dead(link), 1, link);
});

test('links in code are no links', () => {
  assert.deepEqual(
    deadLinks('a.md', '`[x](nowhere)`\n```\n[x](nowhere)\n```\n', () => null),
    [],
  );
});
