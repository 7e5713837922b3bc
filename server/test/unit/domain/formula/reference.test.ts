/** spec/formula.md is what the tables say; UPDATE=1 writes it anew. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { printReference } from './reference.ts';

const path = new URL('../../../../../spec/formula.md', import.meta.url);

test('F3 F4 the reference in spec/formula.md is up to date', () => {
  const text = printReference();
  if (process.env.UPDATE === '1') writeFileSync(path, text);
  assert.equal(readFileSync(path, 'utf8'), text, 'run this test with UPDATE=1 and read what changed');
});

test('F the reference is a table that Markdown reads: no bare bar inside a cell', () => {
  for (const line of printReference().split('\n')) {
    if (!line.startsWith('| `')) continue;
    const bars = line.replaceAll('\\|', '').match(/\|/g)?.length ?? 0;
    assert.ok(bars === 3 || bars === 4, line);
  }
});
