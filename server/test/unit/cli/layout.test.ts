/** What the columns of a CSV file are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Layout, type LayoutOptions, readLayout, timeText } from '#cli/csv/layout';
import { UsageError } from '#cli/usage';

const plain: LayoutOptions = { time: null, timeForm: null, prefix: '', map: new Map() };

function refuses(titles: string[], rows: string[][], options: Partial<LayoutOptions>, message: RegExp) {
  assert.throws(
    () => readLayout(titles, rows, { ...plain, ...options }),
    (error) => error instanceof UsageError && message.test(error.message),
  );
}

function shapeOf({ time }: Layout) {
  return { ...time, form: time.form.name };
}

test('R9 import finds the time column by its name, wherever it is', () => {
  const layout = readLayout(['a', 'Timestamp', 'b'], [['1', '1706704215', '2']], plain);
  assert.deepEqual(shapeOf(layout), { indexes: [1], title: 'Timestamp', form: 'unix-s' });
  assert.deepEqual(layout.series, [
    { index: 0, title: 'a', key: 'a', states: null },
    { index: 2, title: 'b', key: 'b', states: null },
  ]);
});

test('R9 import finds a time column of another name by its content', () => {
  const layout = readLayout(['a', 'measured'], [['1', '2024-01-31 12:00']], plain);
  assert.deepEqual(shapeOf(layout), { indexes: [1], title: 'measured', form: 'text' });
});

test('R9 import is not misled by one broken row at the top', () => {
  const rows = [
    ['?', '1'],
    ['2024-01-31', '1'],
    ['2024-02-01', '1'],
  ];
  assert.equal(readLayout(['date', 'a'], rows, plain).time.form.name, 'text');
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
  refuses(['a'], [['1']], {}, /one column only; name the character between columns with --separator/);
  refuses(row, [row], {}, /first line must name the columns/);
  refuses(['1', '2'], [row], {}, /first line must name the columns/);
  refuses(['t', ''], [row], {}, /column 2 has no name/);
  refuses(
    ['date', 'a'],
    [['01/02/2024', '1']],
    {},
    /column "date": "01\/02\/2024" may have the day first or the month first; .*--time-format, for example "%d\/%m\/%Y %H:%M" or/,
  );
  refuses(['time', 'a'], [['2024', '1']], {}, /"2024" may be a year or UNIX seconds/);
  refuses(['t', 'a', 'a'], [row], {}, /two columns "a"/);
  refuses(['t', 'a b', 'a_b'], [row], {}, /columns "a b" and "a_b" have the same input key a_b/);
  refuses(['a', 'b'], [['1', '2']], {}, /no column holds times/);
  refuses(['t', 'a'], [row], { time: 'x' }, /--time: the file has no column "x"; its columns are t, a/);
  refuses(['date', 'value'], [row], { time: 'dat' }, /did you mean "date"\?/);
  refuses(
    ['t', 'a'],
    [['2024-01-31', 'x']],
    { time: 'a' },
    /column "a" holds no times of a known form, the first is "x"/,
  );
  refuses(['t', 'a'], [row], { map: new Map([['b', 'c']]) }, /--map: the file has no column "b"/);
  refuses(['t', 'a'], [row], { map: new Map([['a', 'b c']]) }, /input key must be .* got "b c"/);
  refuses(['t', 'a'], [row], { map: new Map([['a', '']]) }, /no column is left to import/);
  refuses(['t', 'a'], [row], { prefix: 'x'.repeat(128) }, /input key must be 1 to 128/);
});

test('R9 import joins a column of dates and one of times of day, and takes them by name', () => {
  const rows = [['01.02.2024', '13:30', '1']];
  const layout = readLayout(['Date', 'Time', 'a'], rows, plain);
  assert.deepEqual(layout.time.indexes, [0, 1]);
  assert.deepEqual(layout.time.form.read(timeText(rows[0], layout.time)), {
    us: Date.UTC(2024, 1, 1, 13, 30) * 1000,
    isLocal: true,
  });
  assert.deepEqual(
    layout.series.map(({ key }) => key),
    ['a'],
  );
  assert.match(layout.notes.join(), /read from the columns Date\+Time/);
  assert.deepEqual(readLayout(['d', 't', 'a'], rows, { ...plain, time: 'd+t' }).time.indexes, [0, 1]);
});

test('R9 import leaves out a column without a name that counts the rows, and one that is empty', () => {
  const rows = [
    ['0', '2024-01-31', '7', ''],
    ['1', '2024-02-01', '8', ''],
  ];
  for (const title of ['', 'Unnamed: 0']) {
    const layout = readLayout([title, 'date', 'a', ''], rows, plain);
    assert.deepEqual(
      layout.series.map(({ key }) => key),
      ['a'],
    );
    assert.deepEqual(layout.notes, ['column 1 has no name and counts the rows: it is left out']);
  }
});

test('R9 import takes a column without a name that holds times as the time', () => {
  const layout = readLayout(['', 'a'], [['2024-01-31', '1']], plain);
  assert.deepEqual(shapeOf(layout), { indexes: [0], title: 'column 1', form: 'text' });
});
