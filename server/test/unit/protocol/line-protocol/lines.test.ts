/** Line protocol, rule by rule, and for random points. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { resultOf } from '#model/steps';
import { HeadMemory } from '#protocol/line-protocol/head-memory';
import { LineReader } from '#protocol/line-protocol/line-reader';
import { inputOf, type SeriesName } from '#protocol/series/series';
import { SeriesFrames } from '#protocol/series/series-frames';
import { type LinePoint, printLine, readLines } from '../../../support/lines.ts';

/** Points in short: input key, µs, value. */
async function short(text: string, options = {}): Promise<(readonly [string, number, number])[]> {
  const { points, problems } = await readLines(text, options);
  assert.deepEqual(problems, []);
  return points.map(({ input, timeUs, value }) => [input, timeUs, value] as const);
}

test('I1, I2 lines become points under keys that name their series', async () => {
  const cases: [string, [string, number, number][]][] = [
    ['cpu,host=a usage=1.5 1000000', [['cpu/host:a#usage', 1000, 1.5]]],
    ['cpu,b=2,a=1 v=1 1000', [['cpu/a:1/b:2#v', 1, 1]]],
    ['my\\ m\\,x,t\\ =a\\=b f\\,g=2 1000', [['my+20m+2Cx/t+20:a+3Db#f+2Cg', 1, 2]]],
    ['m=x v=1 0', [['m+3Dx#v', 0, 1]]],
    ['a\\b c=1 0', [['a+5Cb#c', 0, 1]]],
    ['wärme,ort=Büro t=1 0', [['w+C3+A4rme/ort:B+C3+BCro#t', 0, 1]]],
    [
      '# a comment\n\n  m v=1 0  \r\n\t\nm v=2 1000\r\n',
      [
        ['m#v', 0, 1],
        ['m#v', 1, 2],
      ],
    ],
    ['m v=1', [['m#v', 7e6, 1]]],
    [
      'm v=1,w=2,v=3 0',
      [
        ['m#v', 0, 3],
        ['m#w', 0, 2],
      ],
    ],
    ['m v=1 0\nm v=2 0', [['m#v', 0, 2]]],
    ['m v=1 -1', [['m#v', -1, 1]]],
    ['m v=1 -1000', [['m#v', -1, 1]]],
    ['m v=1 1700000000123456789', [['m#v', 1_700_000_000_123_456, 1]]],
    ['m,t="q" v=1 0', [['m/t:+22q+22#v', 0, 1]]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(await short(text), expected, text);
});

test('I2, I2a values of every type', async () => {
  const values: (readonly [string, number])[] = [
    ...([
      ['1', 1],
      ['-0', -0],
      ['1.5e3', 1500],
      ['-1.234456e+78', -1.234456e78],
      ['1.', 1],
      ['.5', 0.5],
    ] as const),
    ...([
      ['007', 7],
      ['+3', 3],
      ['5i', 5],
      ['-5i', -5],
      ['12u', 12],
      ['0.1', 0.1],
      ['5e-324', 5e-324],
    ] as const),
    ...([
      ['9007199254740992i', 2 ** 53],
      ['-9007199254740992i', -(2 ** 53)],
    ] as const),
    ...['t', 'T', 'true', 'True', 'TRUE'].map((word): [string, number] => [word, 1]),
    ...['f', 'F', 'false', 'False', 'FALSE'].map((word): [string, number] => [word, 0]),
  ];
  for (const [text, value] of values) {
    assert.deepEqual(await short(`m v=${text} 0`), [['m#v', 0, value]], text);
    assert.deepEqual(await short(`m a=1,v=${text},z=2`), [
      ['m#a', 7e6, 1],
      ['m#v', 7e6, value],
      ['m#z', 7e6, 2],
    ]);
  }
  const { texts, points } = await readLines('m s="a \\"b\\" , = \\\\\nc",v=1 0\nn s="" 0');
  assert.deepEqual(texts, ['a \\"b\\" , = \\\\\nc', '']);
  assert.equal(points.length, 1);
});

test('I2 times in every precision', async () => {
  const times = { ns: 1500, us: 1, ms: 2, s: 3, m: 4, h: 5 } as const;
  const expected = { ns: 1, us: 1, ms: 2000, s: 3e6, m: 24e7, h: 18e9 } as const;
  for (const precision of Object.keys(times) as (keyof typeof times)[]) {
    assert.deepEqual(await short(`m v=1 ${times[precision]}`, { precision }), [
      ['m#v', expected[precision], 1],
    ]);
  }
});

test('I2c lines that cannot be read are reported by their number, and the others are kept', async () => {
  const faults: [string, RegExp][] = [
    ['m', /missing fields/],
    ['m ', /missing fields/],
    [',t=1 v=1', /missing measurement/],
    ['m,t v=1', /missing tag value/],
    ['m,t= v=1', /missing tag value/],
    ['m,=1 v=1', /missing tag key/],
    ['m,a=1,a=2 v=1', /duplicate tags/],
    ['m,a=b=c v=1', /invalid tag format/],
    ['m v', /invalid field format/],
    ['m v=', /missing field value/],
    ['m =1', /missing field key/],
    ['m v=1,', /missing field|invalid field/],
    ['m v=abc', /invalid boolean/],
    ['m v=1x', /invalid number/],
    ['m v=1.5i', /invalid number/],
    ['m v=-1u', /invalid number/],
    ['m v=1e400', /number out of range/],
    ['m v=1 12x', /bad timestamp/],
    ['m v=1 1.5', /bad timestamp/],
    ['m v=1 1 2', /bad timestamp/],
    ['m v=1 99999999999999999999', /bad timestamp/],
    ['m v=1 9223372036854775807', /time outside range/],
    ['m v="a', /unbalanced quotes/],
    ['m v="a"b', /invalid field format/],
    ['m\0 v=1', /U\+0000/],
  ];
  for (const [text, reason] of faults) {
    const { points, problems } = await readLines(`ok a=1 0\n${text}\nok a=2 1000`);
    assert.match(problems[0]?.message ?? '', reason, text);
    assert.equal(problems[0].line, 2);
    assert.deepEqual(
      points.map(({ value }) => value),
      [1, 2],
      text,
    );
  }
  const latin = await readLines(Buffer.from('m,t=\xe9 v=1', 'latin1'));
  assert.match(latin.problems[0].message, /not valid UTF-8/);
});

test('I2c a faulty line ends where its strings do, and lines in strings are counted', async () => {
  const { points, problems } = await readLines(
    'm v=x,s="a\nfake v=1 0"\nm v=2 0\nm s="a\nb",v=3 1000\nm v=y',
  );
  assert.deepEqual(
    points.map(({ value }) => value),
    [2, 3],
  );
  assert.deepEqual(
    problems.map(({ line }) => line),
    [1, 6],
  );
});

test('I1b parts of a name have bounds', async () => {
  const tags = Array.from({ length: 256 }, (_, i) => `,t${i}=1`).join('');
  assert.equal((await short(`m${tags} v=1`)).length, 1);
  const long = 'x'.repeat(1024);
  assert.equal((await short(`${long},${long}=${long} ${long}=1`)).length, 1);
  for (const line of [
    `m${tags},a=1 v=1`,
    `${long}x v=1`,
    `m,${long}x=1 v=1`,
    `m,a=${long}x v=1`,
    `m ${long}x=1`,
    `m ${'x=1,'.repeat(1024)}x=1`,
    `m a="${'x'.repeat(65_536)}"`,
    `${'x'.repeat(2 ** 20)}${long} v=1`,
  ]) {
    const { points, problems } = await readLines(line);
    assert.deepEqual([points.length, problems.length], [0, 1]);
    assert.match(
      problems[0].message,
      /more than (256 tags|1024 characters|1024 fields|65536 bytes|1048576 bytes)/,
    );
  }
  const fields = Array.from({ length: 1024 }, (_, i) => `f${i}=1`).join();
  assert.equal((await short(`m ${fields}`)).length, 1024);
});

test('I2c behind a long line that cannot be read the next one is read', async () => {
  const tags = Array.from({ length: 300 }, (_, i) => `,tag${i}=1`).join('');
  for (const end of [' v=1', ' v="one\ntwo"', ' v="', ` v="${'x\n'.repeat(9)}"`]) {
    const { points, problems } = await readLines(`m${tags}${end}\nm v=2`);
    assert.deepEqual([points.length, problems.length], [1, 1], end);
  }
});

test('E3b lines that are new or wrong are read a few at a time', () => {
  for (const line of ['x\n', 'm,t=# v=1\n']) {
    const text = Array.from({ length: 1000 }, (_, i) => line.replace('#', String(i))).join('');
    const reader = new LineReader(Buffer.from(text), new HeadMemory(), { precision: 'ns', nowUs: 0 });
    const steps = reader.read();
    let count = 0;
    while (!steps.next().done) count++;
    assert.ok(count >= 7, `${count} steps`);
  }
});

test('E3b many lines are handed on in portions, each with its own', () => {
  const count = 300_000;
  const text = Array.from({ length: count }, (_, i) => `m v=${i} ${i}`).join('\n');
  const reader = new LineReader(Buffer.from(text), new HeadMemory(), { precision: 'us', nowUs: null });
  const values: number[] = [];
  let portions = 0;
  for (; !reader.isOver; portions++) {
    const { rows } = resultOf(reader.read());
    assert.ok(rows.rowCount < count / 2, `${rows.rowCount} rows`);
    assert.deepEqual(rows.timesUs.slice(0, rows.rowCount), rows.values.slice(0, rows.rowCount));
    for (let row = 0; row < rows.rowCount; row++) values.push(rows.values[row]);
  }
  assert.ok(portions > 2);
  assert.deepEqual(values, [...Array(count).keys()]);
});

test('I2c a value that is longer than any number is wrong, whatever its first digits are', async () => {
  const { points, problems } = await readLines(`m v=${'0'.repeat(2000)}1 1\nm v=2 2`);
  assert.equal(points.length, 1);
  assert.match(problems[0].message, /a value of more than 1024 bytes/);
});

test('I2a values that cannot be stored are refused alone', async () => {
  const { points, problems } = await readLines('m a=9007199254740993i,b=NaN,c=1 0');
  assert.deepEqual(
    points.map(({ input }) => input),
    ['m#c'],
  );
  assert.match(problems[0].message, /'a'.*2\^53, got 9007199254740993i/);
  assert.match(problems[1].message, /'b'.*finite/);
});

const text = (max: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: max })
    .filter((part) => !/[\0\n\r\t\\]|^[# ]/.test(part) && part.isWellFormed());

const seriesName: fc.Arbitrary<SeriesName> = fc.record({
  measurement: text(12),
  tags: fc.uniqueArray(fc.tuple(text(8), text(30)), { maxLength: 6, selector: ([key]) => key }),
  field: text(12),
});

const points = fc.array(
  fc.record({
    name: seriesName,
    rows: fc.array(
      fc.record({
        timeUs: fc.integer({ min: -1e9, max: 1e9 }).map((n) => n * 1000 + 7),
        value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
  { minLength: 1, maxLength: 30 },
);

test('I2 what is printed is read: names, times and values, whatever was read before', async () => {
  const memory = new HeadMemory(100);
  const frames = new SeriesFrames();
  await fc.assert(
    fc.asyncProperty(points, async (all) => {
      const sent = all.flatMap(({ name, rows }) => rows.map((row) => ({ name: inOrder(name), ...row })));
      const read = await readLines(sent.map(printLine).join('\n'), { memory, frames });
      assert.deepEqual(read.problems, []);
      const expected = new Map(sent.map((point) => [`${inputOf(point.name)} ${point.timeUs}`, point]));
      assert.equal(read.points.length, expected.size);
      for (const { input, timeUs, value, name } of read.points) {
        const point = expected.get(`${input} ${timeUs}`) as LinePoint;
        assert.deepEqual([name, value], [point.name, point.value]);
      }
    }),
  );
});

function inOrder(name: SeriesName): SeriesName {
  const tags = [...name.tags].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return { ...name, tags };
}

test('I1 different series have different keys of the form of input keys', () => {
  const parts = fc.tuple(seriesName.map(inOrder), seriesName.map(inOrder));
  fc.assert(
    fc.property(parts, ([a, b]) => {
      assert.match(inputOf(a), /^[a-zA-Z0-9\-_:.#+/]{1,128}$/);
      assert.equal(inputOf(a) === inputOf(b), JSON.stringify(a) === JSON.stringify(b));
    }),
  );
  const long = (end: string) => inputOf({ measurement: `m${'x'.repeat(200)}${end}`, tags: [], field: 'f' });
  assert.equal(long('a').length, 128);
  assert.notEqual(long('a'), long('b'));
  assert.match(long('a'), /^mx{82}\+-[A-Za-z0-9_-]{43}$/);
});
