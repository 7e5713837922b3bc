/** What the columns of a CSV file are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LayoutWishes, readLayout } from '#cli/csv/layout';
import { UsageError } from '#cli/usage';

const plain: LayoutWishes = { time: null, prefix: '', map: new Map() };

function refuses(titles: string[], rows: string[][], wishes: Partial<LayoutWishes>, message: RegExp) {
  assert.throws(
    () => readLayout(titles, rows, { ...plain, ...wishes }),
    (error) => error instanceof UsageError && message.test(error.message),
  );
}

test('R9 import finds the time column by its name, wherever it is', () => {
  const layout = readLayout(['a', 'Timestamp', 'b'], [['1', '1706704215', '2']], plain);
  assert.deepEqual(layout.time, { index: 1, title: 'Timestamp', form: 'unix-s' });
  assert.deepEqual(layout.series, [
    { index: 0, title: 'a', key: 'a' },
    { index: 2, title: 'b', key: 'b' },
  ]);
});

test('R9 import finds a time column of another name by its content', () => {
  const layout = readLayout(['a', 'measured'], [['1', '2024-01-31 12:00']], plain);
  assert.deepEqual(layout.time, { index: 1, title: 'measured', form: 'text' });
});

test('R9 import is not misled by one broken row at the top', () => {
  const rows = [
    ['?', '1'],
    ['2024-01-31', '1'],
    ['2024-02-01', '1'],
  ];
  assert.equal(readLayout(['date', 'a'], rows, plain).time.form, 'text');
});

test('R9 import makes input keys of titles, with a prefix', () => {
  const rows = [['2024-01-31', '1', '2']];
  const layout = readLayout(['t', 'Volume Flow RateRMS', 'µ-x'], rows, { ...plain, prefix: 'rig/' });
  assert.deepEqual(
    layout.series.map(({ key }) => key),
    ['rig/Volume_Flow_RateRMS', 'rig/_-x'],
  );
});

test('R9 import takes keys as mapped, without prefix, and leaves out what is mapped to nothing', () => {
  const rows = [['2024-01-31', '1', '2', '3']];
  const map = new Map([
    ['a', 'A.1'],
    ['b', ''],
  ]);
  const layout = readLayout(['t', 'a', 'b', 'c'], rows, { ...plain, prefix: 'p/', map });
  assert.deepEqual(
    layout.series.map(({ key }) => key),
    ['A.1', 'p/c'],
  );
});

test('R9 import says what is wrong with the columns', () => {
  const row = ['2024-01-31', '1', '2'];
  refuses(['a'], [['1']], {}, /one column only; is --separator right/);
  refuses(row, [row], {}, /first line must name the columns/);
  refuses(['1', '2'], [row], {}, /first line must name the columns/);
  refuses(['t', ''], [row], {}, /column 2 has no name/);
  refuses(['t', 'a', 'a'], [row], {}, /two columns "a"/);
  refuses(['t', 'a b', 'a_b'], [row], {}, /columns "a b" and "a_b" have the same input key a_b/);
  refuses(['a', 'b'], [['1', '2']], {}, /no column holds times/);
  refuses(['t', 'a'], [row], { time: 'x' }, /--time: the file has no column "x"; there are t, a/);
  refuses(['date', 'value'], [row], { time: 'dat' }, /did you mean "date"\?/);
  refuses(['t', 'a'], [['2024-01-31', 'x']], { time: 'a' }, /column "a" holds no times, the first is "x"/);
  refuses(['t', 'a'], [row], { map: new Map([['b', 'c']]) }, /--map: the file has no column "b"/);
  refuses(['t', 'a'], [row], { map: new Map([['a', 'b c']]) }, /input key must be .* got "b c"/);
  refuses(['t', 'a'], [row], { map: new Map([['a', '']]) }, /--map leaves out every column/);
  refuses(['t', 'a'], [row], { prefix: 'x'.repeat(128) }, /input key must be 1 to 128/);
});
