/** Finding the separator of a CSV file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSeparator, parseSeparator } from '#cli/csv/separator';

const cases: [string, string, string][] = [
  ['commas', 'time,a,b\n1,2,3\n', ','],
  ['semicolons', 'time;a;b\n1;2;3\n', ';'],
  ['semicolons with decimal commas', 'time;a;b\n1;2,5;3,5\n2;4,5;5,5\n', ';'],
  ['semicolons with commas in every cell, the titles too', 'time;a,x;b\n1;2,5;3,5\n2;4,5;5\n', ';'],
  ['tabs', 'time\ta\n1\t2\n', '\t'],
  ['bars', 'time|a\r\n1|2\r\n', '|'],
  ['separators inside quotes', '"a;b;c",x\n"d;e;f",y\n', ','],
  ['one column', 'time\n1\n2\n', ','],
  ['nothing', '', ','],
];

for (const [name, sample, separator] of cases) {
  test(`R9 import finds the separator: ${name}`, () => assert.equal(findSeparator(sample), separator));
}

test('R9 import takes a separator of one character, or the word tab', () => {
  assert.deepEqual([';', 'tab', '\\t', '', ';;', '"', '\n'].map(parseSeparator), [
    ';',
    '\t',
    '\t',
    null,
    null,
    null,
    null,
  ]);
});
