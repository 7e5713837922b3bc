/** What commands write: tables, progress, the rejects of an import. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from '#cli/progress';
import { printJson, printTable } from '#cli/terminal';

function output(isTTY: boolean) {
  const texts: string[] = [];
  return { isTTY, texts, write: (text: string) => texts.push(text) };
}

/** What follows the order to clear the line. */
function afterClear(text: string): string {
  assert.ok(text.startsWith('\r\u001b[K'));
  return text.slice(4);
}

test('L1 a table has aligned columns and no blanks at the end of a line', () => {
  const table = printTable(
    ['id', 'name'],
    [
      ['a', 'long name'],
      ['bbbb', ''],
    ],
  );
  assert.equal(table, 'ID    NAME\na     long name\nbbbb\n');
  assert.equal(printTable(['id'], []), 'ID\n');
});

test('L1 JSON ends with a line feed', () => assert.equal(printJson({ a: 1 }), '{\n  "a": 1\n}\n'));

test('R9 progress is drawn on a terminal, and removed at the end', () => {
  const terminal = output(true);
  const progress = new Progress(terminal);
  progress.show(0.5, 100);
  progress.show(0.6, 120);
  assert.equal(terminal.texts.length, 1, 'not more than ten times a second');
  assert.match(afterClear(terminal.texts[0]), /^\[#{12}\.{12}\] {2}50 % 100 rows, \d+ rows\/s, \d+ s left$/);
  progress.say('wait');
  assert.equal(terminal.texts[1], '\r\u001b[Kwait\n');
  progress.show(null, 150);
  assert.match(afterClear(terminal.texts[2]), /^150 rows, \d+ rows\/s$/);
  progress.end();
  assert.equal(terminal.texts[3], '\r\u001b[K');
});

test('R9 without a terminal no progress is drawn, but messages are printed', () => {
  const pipe = output(false);
  const progress = new Progress(pipe);
  progress.show(0.5, 100);
  progress.say('wait');
  progress.end();
  assert.deepEqual(pipe.texts, ['wait\n']);
});
