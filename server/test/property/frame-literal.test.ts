/** Reading a frame straight from the text against JSON.parse and a walk over its arrays: the same columns, or not at all. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { readFrame } from '#domain/ingest/columns';
import { Columns } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { RequestParser } from '#protocol/request';

interface Call {
  method: string;
  params: { data: { times: unknown; series: unknown } };
}

const [shortParser, longParser] = [true, false].map(
  (takes) => new RequestParser({ takesColumns: () => takes, limits: limitDefaults }),
);

/** The columns of a request read the short way where that is possible, and whether it was. */
function readBoth(text: string): { short: Columns | null; long: Columns | string } {
  const bytes = Buffer.from(text);
  let short: Columns | null = null;
  let long: Columns | string;
  try {
    const call = shortParser.parse(bytes).value as Call;
    if (call?.params?.data?.series instanceof Columns) short = call.params.data.series;
  } catch {
    short = null;
  }
  try {
    const call = longParser.parse(bytes).value as Call;
    long = readFrame(call.params.data as { times: unknown[]; series: Record<string, unknown> });
  } catch (error) {
    long = String(error);
  }
  return { short, long };
}

/** By key, since JSON.parse puts keys that are whole numbers first; -0 and NaN are distinguished from 0 and null. */
function contents(columns: Columns): unknown {
  const rowCount = columns.timesUs.length;
  const series = columns.keys.map((key, k) => [
    key,
    [...columns.values.subarray(k * rowCount, (k + 1) * rowCount)],
  ]);
  return {
    timesUs: [...columns.timesUs],
    series: series.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    count: columns.pointCount,
  };
}

const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t\r\n');
const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.integer({ min: -999_999, max: 999_999 }).map((n) => (n / 100).toFixed(2)),
  fc.constantFrom(
    '-0',
    '0',
    '-0.0',
    '1e5',
    '1E+2',
    '2e-7',
    '123456789012345678',
    '0.1234567890123456789',
    'null',
  ),
  fc.constantFrom('0.000001', '9007199254740993', '1.7976931348623157e308', '5e-324', '-1.5E-3'),
);
const timeText = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('1700-01-01'), max: new Date('2200-01-01') })
    .map((date) => `"${date.toISOString()}"`),
  fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }).map(String),
  fc.constantFrom(
    '"2024-03-31T02:30:00+02:00"',
    '"2024-01-01t00:00:00.123456789z"',
    '"2016-12-31T23:59:60Z"',
  ),
);
const keyText = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9\-_:.#+/]{1,12}$/),
  fc.constantFrom('__proto__', 'constructor'),
);

/** The text of an insert with white space where JSON allows it. */
const requestText = fc
  .tuple(
    fc.array(timeText, { minLength: 1, maxLength: 5 }),
    fc.uniqueArray(keyText, { maxLength: 5 }),
    fc.infiniteStream(numberText),
    fc.infiniteStream(space),
  )
  .map(([times, keys, numbers, spaces]) => {
    const next = <T>(stream: Iterator<T>) => stream.next().value as T;
    const s = () => next(spaces);
    const list = (items: string[]) => `[${items.map((item) => s() + item + s()).join(',')}]`;
    const series = keys.map(
      (key) => `${s()}"${key}"${s()}:${s()}${list(times.map(() => next(numbers)))}${s()}`,
    );
    const data = `{${s()}"times"${s()}:${s()}${list(times)}${s()},${s()}"series"${s()}:${s()}{${series.join(',')}}${s()}}`;
    return `{"jsonrpc":"2.0","method":"integration.insert","id":1,"params":{"integration":"x","data":${s()}${data}${s()}}}`;
  });

test('R9 a plain frame is read the short way, and as JSON.parse reads it', () => {
  fc.assert(
    fc.property(requestText, (text) => {
      const { short, long } = readBoth(text);
      assert.ok(short !== null, text);
      assert.notEqual(typeof long, 'string', String(long));
      assert.deepEqual(contents(short), contents(long as Columns));
    }),
    { numRuns: 1000 },
  );
});

const mutation = fc.tuple(
  fc.nat(),
  fc.nat(3),
  fc.constantFrom(
    '',
    '"',
    '\\',
    ',',
    '[',
    ']',
    '{',
    '}',
    ':',
    '0',
    '-',
    '.',
    'e',
    'n',
    ' ',
    '\u0000',
    '\u000b',
    'é',
    '"data"',
    '__proto__',
    'null',
    '1e999',
    '\\u0041',
  ),
);

test('R9 a frame that was changed anywhere is read as JSON.parse reads it, or left to it', () => {
  fc.assert(
    fc.property(requestText, fc.array(mutation, { minLength: 1, maxLength: 3 }), (text, mutations) => {
      let changed = text;
      for (const [at, length, insert] of mutations) {
        const place = at % (changed.length + 1);
        changed = changed.slice(0, place) + insert + changed.slice(place + length);
      }
      const { short, long } = readBoth(changed);
      if (short === null) return;
      assert.notEqual(typeof long, 'string', `${changed}: ${long}`);
      assert.deepEqual(contents(short), contents(long as Columns), changed);
    }),
    { numRuns: 5000 },
  );
});

/** A request around the text of `data`. */
function request(data: string, more = ''): string {
  return `{"jsonrpc":"2.0","id":1,"method":"integration.insert","params":{"data":${data}${more}}}`;
}

for (const [what, text] of [
  ['a key that comes twice', request('{"times":[1],"series":{"a":[1],"a":[2]}}')],
  ['data that comes twice', request('{"times":[1],"series":{"a":[1]}}', ',"data":{"times":[2],"series":{}}')],
  ['data that comes again as text', request('{"times":[1],"series":{"a":[1]}}', ',"data":"<the frame>"')],
  ['the same escaped', request('{"times":[1],"series":{"a":[1]}}', ',"data":"\\u003cthe frame>"')],
  ['an escape in a key', request('{"times":[1],"series":{"\\u0061":[1]}}')],
  ['a number too large', request('{"times":[1],"series":{"a":[1e400]}}')],
  ['a shorter array', request('{"times":[1,2],"series":{"a":[1]}}')],
  ['a longer array', request('{"times":[1],"series":{"a":[1,2]}}')],
  ['a leading zero', request('{"times":[1],"series":{"a":[01]}}')],
  ['a further member', request('{"times":[1],"series":{"a":[1]},"x":1}')],
  ['a comma too many', request('{"times":[1],"series":{"a":[1],}}')],
  ['no rows', request('{"times":[],"series":{"a":[]}}')],
  ['text inside a string', '{"id":"\\"data\\":{\\"times\\":[1],\\"series\\":{}}"}'],
  ['a batch', `[${request('{"times":[1],"series":{"a":[1]}}')}]`],
] as const) {
  test(`R9 ${what} is left to the full reading`, () => {
    assert.equal(readBoth(text).short, null);
  });
}

test('R9 keys are remembered: the same frame again, with fewer keys, with more, with others', () => {
  const frame = (keys: string[]) =>
    request(`{"times":[1,2],"series":{${keys.map((key, k) => `"${key}":[${k},null]`).join(',')}}}`);
  for (const keys of [
    ['m1', 'm2', 'm3'],
    ['m1', 'm2', 'm3'],
    ['m1', 'm2'],
    ['m1', 'm2', 'm3', 'm4'],
    ['m1', 'm9', 'm3'],
  ]) {
    const { short } = readBoth(frame(keys));
    assert.deepEqual(short?.keys, keys);
    assert.deepEqual(
      [...short.values],
      keys.flatMap((_, k) => [k, Number.NaN]),
    );
  }
});

test('R9 a frame that is cut off anywhere is left to the full reading', () => {
  const whole = request(
    '{"times":["2024-01-01T00:00:00Z", 12],"series":{"a":[1.5, -2e3],"b":[null,1234567890123456789]}}',
  );
  assert.ok(readBoth(whole).short !== null);
  for (let end = 0; end < whole.length; end++) assert.equal(readBoth(whole.slice(0, end)).short, null);
});

test('R9 many remembered keys take no memory for a frame of many rows', () => {
  const rows = Array(200_000).fill(1);
  const keys = Array.from({ length: 9000 }, (_, k) => `wide${k}`);
  const wide = readBoth(request(`{"times":[1],"series":{${keys.map((key) => `"${key}":[1]`).join(',')}}}`));
  assert.equal(wide.short?.keys.length, 9000);
  const long = readBoth(request(JSON.stringify({ times: rows, series: { wide0: rows } })));
  assert.equal(long.short?.pointCount, rows.length);
  assert.ok(long.short.values.buffer.byteLength <= 4 * 8 * rows.length);
});
