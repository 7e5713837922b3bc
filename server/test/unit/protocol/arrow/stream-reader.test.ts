/** Arrow streams as columns: streams of `apache-arrow`, in every type that is read, and those that are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Bool,
  type DataType,
  Dictionary,
  Float16,
  Float32,
  Int8,
  Int16,
  Int32,
  Int64,
  RecordBatchStreamWriter,
  Table,
  type Timestamp,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { AppError } from '#model/error';
import type { Columns } from '#model/frame';
import type { Steps } from '#model/steps';
import { readColumns, StreamReader } from '#protocol/arrow/stream-reader';
import { doubles, streamOf, timeVector } from '../../../support/arrow.ts';

const reader = new StreamReader();

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function read(bytes: Uint8Array, seriesMax = 100): Columns {
  return finish(readColumns(bytes, finish(reader.outline(bytes, seriesMax))));
}

/** The problems for which a stream is refused. */
function problemsOf(bytes: Uint8Array, seriesMax?: number): Record<string, string[]> {
  try {
    read(bytes, seriesMax);
  } catch (error) {
    assert.ok(error instanceof AppError && error.kind === 'invalid-params', String(error));
    return { ...error.params };
  }
  assert.fail('the stream was read');
}

const times = timeVector([1000, 2000, 3000]);

test('W5c times of every unit, with and without the zone UTC', () => {
  for (const [type, given] of [
    [new TimestampSecond('UTC'), [-1, 0, 1772323200]],
    [new TimestampMillisecond(), [-1000, 0, 1772323200000]],
    [new TimestampMicrosecond('Etc/UTC'), [-1e6, 0, 1772323200e6]],
    [new TimestampNanosecond('+00:00'), [-1_000_000_000n, 0n, 1_772_323_200_000_000_000n]],
  ] as [Timestamp, (number | bigint)[]][]) {
    const { timesUs } = read(streamOf({ time: timeVector(given, type), a: doubles([1, 2, 3]) }));
    assert.deepEqual([...timesUs], [-1e6, 0, 1772323200e6], String(type));
  }
});

test('W5c the first and the last time of R3, in µs and ns', () => {
  const ends = [-(2n ** 53n), 2n ** 53n];
  assert.deepEqual([...read(streamOf({ time: timeVector(ends) })).timesUs], ends.map(Number));
  const ns = timeVector(
    ends.map((us) => 1000n * us),
    new TimestampNanosecond(),
  );
  assert.deepEqual([...read(streamOf({ time: ns })).timesUs], ends.map(Number));
});

test('W5d times outside of the range, and fractions of a microsecond', () => {
  const rule = 'must be a whole number of microseconds between 1684-07-28 and 2255-06-05';
  const outside = [-(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
  assert.deepEqual(problemsOf(streamOf({ time: timeVector(outside) })), {
    'data.times.0': [`${rule}, got -9007199254740993`],
    'data.times.2': [`${rule}, got 9007199254740993`],
    'data.times.3': [`${rule}, got 9223372036854775807`],
  });
  const ns = timeVector([1000n, 1_772_323_200_000_000_001n, -1n], new TimestampNanosecond());
  assert.deepEqual(Object.keys(problemsOf(streamOf({ time: ns }))), ['data.times.1', 'data.times.2']);
  const s = timeVector([9_007_199_255n], new TimestampSecond());
  assert.deepEqual(Object.keys(problemsOf(streamOf({ time: s }))), ['data.times.0']);
});

test('W5c integers and floats of every size', () => {
  const big = [2n ** 60n, null, 7n];
  for (const [type, given, wanted] of [
    [new Int8(), [-128, null, 127]],
    [new Int16(), [-32768, null, 32767]],
    [new Int32(), [-(2 ** 31), null, 2 ** 31 - 1]],
    [new Int64(), [-(2n ** 53n), null, 9007199254740991n], [-(2 ** 53), null, 2 ** 53 - 1]],
    [new Int64(), big, [2 ** 60, null, 7]],
    [new Uint8(), [0, null, 255]],
    [new Uint16(), [0, null, 65535]],
    [new Uint32(), [0, null, 2 ** 32 - 1]],
    [new Uint64(), [0n, null, 2n ** 63n], [0, null, 2 ** 63]],
    [new Float32(), [0.5, null, Math.fround(0.1)]],
  ] as [DataType, unknown[], unknown[]?][]) {
    const stream = streamOf({ time: times, a: vectorFromArray(given, type) });
    const { values, pointCount } = read(stream);
    assert.deepEqual(
      [...values],
      (wanted ?? given).map((value) => value ?? Number.NaN),
      String(type),
    );
    assert.equal(pointCount, 2);
  }
  const half = streamOf({ time: times, a: vectorFromArray([0.5, -2, 65504], new Float16()) });
  assert.deepEqual([...read(half).values], [0.5, -2, 65504]);
});

test('W5d numbers that are no doubles, with their rows', () => {
  const stream = streamOf({
    time: times,
    a: doubles([1, Number.NaN, Number.POSITIVE_INFINITY]),
    b: vectorFromArray([2n ** 53n + 1n, null, 3n], new Int64()),
    c: vectorFromArray([1n, 2n ** 64n - 1n, 3n], new Uint64()),
    d: vectorFromArray([Number.NaN, 1, null], new Float32()),
  });
  assert.deepEqual(problemsOf(stream), {
    'data.series.a.1': ['must be a finite number or null, got NaN'],
    'data.series.a.2': ['must be a finite number or null, got Infinity'],
    'data.series.b.0': ['must be an integer that a double holds exactly, or null, got 9007199254740993'],
    'data.series.c.1': ['must be an integer that a double holds exactly, or null, got 18446744073709551615'],
    'data.series.d.0': ['must be a finite number or null, got NaN'],
  });
});

/** A stream of several batches of different lengths. */
function batches(...parts: { times: number[]; a: (number | null)[]; b: (number | null)[] }[]): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  for (const part of parts) {
    const table = new Table({ time: timeVector(part.times), a: doubles(part.a), b: doubles(part.b) });
    writer.write(table.batches[0]);
  }
  return writer.finish().toUint8Array(true);
}

test('W5c several batches are one frame, with rows in their order', () => {
  const stream = batches(
    { times: [1, 2], a: [10, null], b: [1, 2] },
    { times: [3], a: [30], b: [3] },
    { times: [5, 4, 6], a: [null, 40, null], b: [5, 4, 6] },
  );
  const { timesUs, keys, values, pointCount } = read(stream);
  assert.deepEqual([...timesUs], [1, 2, 3, 5, 4, 6]);
  assert.deepEqual(keys, ['a', 'b']);
  assert.deepEqual([...values], [10, Number.NaN, 30, Number.NaN, 40, Number.NaN, 1, 2, 3, 5, 4, 6]);
  assert.equal(pointCount, 9);
});

test('W5d rows of problems are counted over all batches', () => {
  const stream = batches({ times: [1, 2], a: [1, 2], b: [1, 2] }, { times: [3], a: [Number.NaN], b: [3] });
  assert.deepEqual(Object.keys(problemsOf(stream)), ['data.series.a.2']);
});

test('W5c a stream without batches has no rows', () => {
  const { schema } = new Table({ time: times, a: doubles([1, 2, 3]) });
  const read0 = read(tableToIPC(new Table(schema, []), 'stream'));
  assert.deepEqual([read0.timesUs.length, read0.keys, read0.values.length], [0, ['a'], 0]);
});

test('W5c more rows than are converted in one step, with and without nulls', () => {
  const rows = 140_001;
  const given = Array.from({ length: rows }, (_, row) =>
    row % 65_536 < 3 || row % 1000 === 8 ? null : row / 8,
  );
  const stream = streamOf({
    time: timeVector(Array.from({ length: rows }, (_, row) => row)),
    a: doubles(given),
    b: vectorFromArray(
      given.map((_, row) => row % 100),
      new Int8(),
    ),
  });
  const { values, pointCount } = read(stream);
  assert.deepEqual(
    values.subarray(0, rows),
    Float64Array.from(given, (value) => value ?? Number.NaN),
  );
  assert.deepEqual(
    values.subarray(rows),
    Float64Array.from(given, (_, row) => row % 100),
  );
  assert.equal(pointCount, rows + given.filter((value) => value !== null).length);
});

test('W5c the keys of the same schema are the same array, of another schema others', () => {
  const stream = (key: string) => streamOf({ time: times, [key]: doubles([1, 2, 3]) });
  assert.equal(read(stream('same')).keys, read(stream('same')).keys);
  assert.deepEqual(read(stream('other')).keys, ['other']);
  for (let at = 0; at < 8; at++) {
    const shifted = new Uint8Array([...new Uint8Array(at), ...stream('same')]).subarray(at);
    assert.deepEqual([...read(shifted).values], [1, 2, 3], `at byte ${at} of its memory`);
  }
});

const strings = vectorFromArray(['x', 'y', 'z'], new Dictionary(new Utf8(), new Int32()));

const refusedColumns: [string, Record<string, Vector>, Record<string, string>][] = [
  [
    'no column',
    {},
    { 'data.times': 'the first column must be "time", of type timestamp[us, UTC]: there is no column' },
  ],
  [
    'times at another place',
    { a: doubles([1, 2, 3]), time: times },
    {
      'data.times': 'the first column must be "time", of type timestamp[us, UTC]: its name is "a"',
      'data.series.time': 'must be a column of integers or floats, is of type timestamp; cast it to float64',
    },
  ],
  [
    'times as numbers',
    { time: doubles([1, 2, 3]) },
    {
      'data.times':
        'the first column must be "time", of type timestamp[us, UTC]: its type is float64; cast it',
    },
  ],
  [
    'times of a zone',
    { time: timeVector([1, 2, 3], new TimestampMicrosecond('Europe/Berlin')) },
    {
      'data.times':
        'the first column must be "time", of type timestamp[us, UTC]: its zone is "Europe/Berlin"; convert it to UTC',
    },
  ],
  [
    'a dictionary',
    { time: times, a: strings },
    { 'data.series.a': 'must be a column of integers or floats, is dictionary-encoded; cast it to float64' },
  ],
  [
    'texts and booleans',
    {
      time: times,
      a: vectorFromArray(['x', 'y', 'z'], new Utf8()),
      b: vectorFromArray([true, null, false], new Bool()),
    },
    {
      'data.series.a': 'must be a column of integers or floats, is of type utf8; cast it to float64',
      'data.series.b': 'must be a column of integers or floats, is of type bool; cast it to float64',
    },
  ],
];

for (const [what, columns, problems] of refusedColumns) {
  test(`W5d ${what}`, () => {
    const wanted = Object.fromEntries(Object.entries(problems).map(([path, words]) => [path, [words]]));
    assert.deepEqual(problemsOf(streamOf(columns)), wanted);
  });
}

test('W5d too many series, L1b', () => {
  const stream = streamOf({ time: times, a: doubles([1, 2, 3]), b: doubles([1, 2, 3]) });
  assert.deepEqual(problemsOf(stream, 1), { 'data.series': ['must have at most 1 members, got 2'] });
  assert.equal(read(stream, 2).keys.length, 2);
});

test('W5b a stream of thousands of columns is read a few at a time, its schema too', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `c${i}`);
  const columns = Object.fromEntries(names.map((name, i) => [name, doubles([i])]));
  const bytes = streamOf({ time: timeVector([1000]), ...columns });
  const [outline, schemaPauses] = counted(new StreamReader().outline(bytes, 10_000));
  const [read, columnPauses] = counted(readColumns(bytes, outline));
  assert.deepEqual(read.keys, names);
  assert.ok(schemaPauses >= 3000, `${schemaPauses} pauses`);
  assert.ok(columnPauses >= 5, `${columnPauses} pauses`);
});

/** The result of steps, and how many pauses they made. */
function counted<T>(steps: Steps<T>): [T, pauses: number] {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return [value, pauses];
  }
}

const whole = streamOf({ time: times, a: doubles([1, null, 3]) });

function withBytes(at: number, ...bytes: number[]): Uint8Array {
  const changed = new Uint8Array(whole);
  changed.set(bytes, at < 0 ? whole.length + at : at);
  return changed;
}

for (const [what, stream, words] of [
  ['no bytes', new Uint8Array(0), 'it ends before its end marker; close its writer'],
  ['JSON', Buffer.from('{"jsonrpc":"2.0"}'), 'no message of Arrow 0.15 or later begins at byte 0'],
  [
    'an Arrow file',
    Buffer.from(tableToIPC(new Table({ time: times }), 'file')),
    'it is an Arrow file; write the streaming format',
  ],
  ['no end marker', whole.subarray(0, -8), 'it ends before its end marker; close its writer'],
  [
    'a second stream',
    Buffer.concat([whole, whole]),
    `${whole.length} bytes follow its end marker; send one stream`,
  ],
  ['no schema', whole.subarray(-8), 'it must begin with its schema'],
  ['a length beyond the end', withBytes(4, 0xff, 0xff, 0xff, 0x7f), 'the message at byte 0 is cut off'],
  [
    'an offset beyond the end',
    withBytes(8, 0xff, 0xff, 0xff, 0x7f),
    'an offset in its metadata points outside',
  ],
] as const) {
  test(`W5d ${what} is refused at the path data`, () => {
    assert.deepEqual(problemsOf(stream), { data: [`is not an Arrow stream that can be read: ${words}`] });
  });
}

test('W5d a stream that is cut off anywhere is refused', () => {
  for (let end = 0; end < whole.length; end++)
    assert.deepEqual(Object.keys(problemsOf(whole.subarray(0, end))), ['data']);
});
