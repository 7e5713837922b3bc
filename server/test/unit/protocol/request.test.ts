/** Reading requests: ids as they were written, and what is refused before it is parsed (W2, W3, L1b). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { FrameScanner } from '#protocol/frame-literal';
import { JsonSteps } from '#protocol/json-steps';
import {
  checkMembers,
  idTextOf,
  type Request,
  RequestParser,
  readEnvelope,
  wholeBytesMax,
} from '#protocol/request';
import { newTicket } from '../../support/load.ts';

function parse(text: string, limits = limitDefaults) {
  return new RequestParser({ takesColumns: () => true, limits }).parse(Buffer.from(text));
}

function idsOf(request: Request): (string | null)[] {
  const calls = Array.isArray(request.value) ? request.value : [request.value];
  return calls.map((call) => readEnvelope(call, request).idText);
}

function call(id: string, params = '{}'): string {
  return `{"jsonrpc":"2.0","method":"a.b","id":${id},"params":${params}}`;
}

test('W2a ids that no double holds come back digit for digit, each with its own call', () => {
  const ids = ['9007199254740993', '-12345678901234567890', '1e400', '0.10000000000000000001', '7', '"7"'];
  assert.deepEqual(idsOf(parse(`[${ids.map((id) => call(id)).join()}]`)), ids);
  assert.deepEqual(idsOf(parse(call('9007199254740993'))), ['9007199254740993']);
});

test('W2a so do those of a large request, which is parsed in steps', async () => {
  const parser = new RequestParser({ takesColumns: () => true, limits: limitDefaults });
  const long = JSON.stringify('id ",'.repeat(wholeBytesMax / 4));
  const params = `{"a":${long},"id":9007199254740995,"more":[{"id":9007199254740997}]}`;
  const large = (id: string) => `{"method":"a.b","params":${params},"\\u0069d" : ${id} ,"jsonrpc":"2.0"}`;
  const ids = ['9007199254740993', '"9007199254740993"', '-12345678901234567890', '1.50', '1e400'];
  for (const [text, expected] of [
    [large(ids[0]), [ids[0]]],
    [large(`5,"id":"id","id":${ids[2]}`), [ids[2]]],
    [`[17, ${call('7')} ,${ids.map(large).join(' , ')}]`, ['7', ...ids]],
  ] as const) {
    const request = await parser.parseInSteps(Buffer.from(text), newTicket());
    const calls = [request.value].flat().filter((value) => value !== 17);
    assert.deepEqual(
      calls.map((value) => readEnvelope(value, request).idText),
      expected,
    );
  }
});

test('W2a an id within the parameters is not taken for the id of the call', () => {
  const params = '{"id":9007199254740995,"more":[{"id":9007199254740997}]}';
  assert.deepEqual(idsOf(parse(call('9007199254740993', params))), ['9007199254740993']);
  const reversed = `{"params":${params},"id":9007199254740993,"method":"a.b","jsonrpc":"2.0"}`;
  assert.deepEqual(idsOf(parse(reversed)), ['9007199254740993']);
});

test('W2a an exact id is also that of the answer to something that is no valid call', () => {
  const request = parse('{"id":9007199254740993}');
  assert.equal(idTextOf(request.value, request), '9007199254740993');
});

const membersMax = (requestMembersMax: number) => ({ ...limitDefaults, requestMembersMax });

test('L1b members, objects and arrays are counted, but not within texts', () => {
  const text = '{"a":[{"b":"{[:\\":"},{}],"c":1,"\\\\":2}';
  assert.doesNotThrow(() => [...checkMembers(Buffer.from(text), membersMax(8))]);
  assert.throws(() => [...checkMembers(Buffer.from(text), membersMax(7))], /at most 7 members/);
  assert.doesNotThrow(() => [...checkMembers(Buffer.from('{"open'), membersMax(1))]);
});

test('L1b members are counted in steps, and no more of them than may be', () => {
  const long = Buffer.from(`[${'{},'.repeat(200_000)}{}]`);
  assert.equal([...checkMembers(long, membersMax(1_000_000))].length, 9);
  const steps = checkMembers(long, membersMax(10));
  assert.throws(() => steps.next(), /at most 10 members/);
});

test('W2 escapes are found while members are counted, but not an escaped backslash before a u', () => {
  const escapesOf = (text: string) => checkMembers(Buffer.from(text), membersMax(100)).next().value;
  assert.equal(escapesOf('{"a":"\\u0041"}'), true);
  assert.equal(escapesOf('{"a":"\\\\u0041"}'), false);
  assert.equal(escapesOf('{"a":"u"}'), false);
});

test('L1b a frame of more series than one call may have is left to the method, which says so', () => {
  const limits = { ...limitDefaults, signalsPerCallMax: 2 };
  const frame = (keys: string[]) =>
    call('1', `{"data":{"times":[1],"series":{${keys.map((key) => `"${key}":[1]`).join()}}}}`);
  assert.notEqual(parse(frame(['a', 'b']), limits).columns, null);
  assert.equal(parse(frame(['a', 'b', 'c']), limits).columns, null);
});

test('L1b two frames are not read with one scanner at the same time', () => {
  const scanner = new FrameScanner();
  const limits = { seriesMax: 1, rowsMax: 1_000_000 };
  const frame = (rowCount: number) =>
    Buffer.from(call('1', `{"data":{"times":[${'1,'.repeat(rowCount)}1],"series":{"a":[]}}}`));
  const first = scanner.steps(frame(300_000), limits);
  assert.equal(first.next().done, false);
  scanner.steps(frame(1), limits).next();
  assert.throws(() => first.next(), /another frame was read with the same scanner/);
});

test('E3b a frame with very much white space is read in another way, in steps', () => {
  const space = ' '.repeat(100_000);
  for (const place of ['"data"@:', '{@"times"', '[@"2024', ']@,', '1@,', '2]@}']) {
    const text = '{"data":{"times":["2024-01-01T00:00:00Z",1],"series":{"a":[1,2]}}}';
    const at = text.lastIndexOf(place.replace('@', ''));
    assert.ok(at >= 0, place);
    const spaced = text.slice(0, at) + place.replace('@', space) + text.slice(at + place.length - 1);
    const request = parse(call('1', spaced));
    assert.equal(request.columns, null, place);
    assert.deepEqual(readEnvelope(request.value, request).params, JSON.parse(text), place);
  }
});

test('L1b very much white space around a colon is skipped in steps', () => {
  const space = ' '.repeat(10_000_000);
  for (const text of [`{"a"${space}:1}`, `{"a":${space}1}`]) {
    const steps = new JsonSteps(Buffer.from(text), Number.POSITIVE_INFINITY);
    const parsing = steps.parse();
    let [count, step] = [0, parsing.next()];
    for (; step.done !== true; count++) step = parsing.next();
    assert.deepEqual(step.value, { a: 1 });
    assert.ok(count > 100);
  }
});

test('W3 the place of a fault in a large body is counted in characters, as strings have them', async () => {
  const parser = new RequestParser({ takesColumns: () => true, limits: limitDefaults });
  const texts = Array.from({ length: 2000 }, () => '"aä€😀 aä€😀 aä€😀 aä€😀 aä€😀 aä€😀"');
  const text = `{"a":[${texts}],`;
  for (const [more, character] of [
    ['!}', text.length],
    ['"b":"😀",!}', text.length + 9],
  ] as const)
    await assert.rejects(parser.parseInSteps(Buffer.from(text + more), newTicket()), {
      message: `Parse error: the body is not JSON at character ${character}`,
    });
});

test('L1c a text, number or array that takes long to parse is refused, wherever it is', async () => {
  const limits = { ...limitDefaults, requestTextBytesMax: 200_000, requestEntriesMax: 100_000 };
  const parser = new RequestParser({ takesColumns: () => true, limits });
  const long = 'x'.repeat(200_001);
  const entries = `[${'1,'.repeat(100_000)}1]`;
  const texts = [
    `"${long}"`,
    `{"${long}":1}`,
    call(`"${long}"`),
    call('1', `{"a":["\\"",{"b":"${long}"}]}`),
    `"${long}`,
  ];
  for (const [text, message] of [
    ...texts.map((text) => [text, 'a text in a request may have at most 200000 bytes'] as const),
    [call('1'.repeat(200_000)), 'a number may have at most 32768 digits'],
    ['1'.repeat(200_000), 'a number may have at most 32768 digits'],
    [entries, 'an array may have at most 100000 entries'],
    [call('1', `{"a":{"b":${entries}}}`), 'an array may have at most 100000 entries'],
  ])
    await assert.rejects(parser.parseInSteps(Buffer.from(text), newTicket()), {
      kind: 'invalid-request',
      message: `Invalid request: ${message}`,
    });
  const frame = (rows: number) => {
    const column = '1,'.repeat(rows - 1);
    return call('1', `{"data":{"times":[${column}1],"series":{"a":[${column}1],"b":[${column}1]}}}`);
  };
  const { columns } = await parser.parseInSteps(Buffer.from(frame(100_000)), newTicket());
  assert.equal(columns?.pointCount, 200_000);
  await assert.rejects(parser.parseInSteps(Buffer.from(frame(100_001)), newTicket()), {
    message: 'Invalid request: an array may have at most 100000 entries',
  });
  const most = `{"a":"${'\\"'.repeat(100_000)}","b":[${'1,'.repeat(99_999)}1]}`;
  const { value } = await parser.parseInSteps(Buffer.from(most), newTicket());
  assert.deepEqual(value, JSON.parse(most));
});

test('R9 a column of many rows is read in pieces, with every value and null in its place', async () => {
  const parser = new RequestParser({ takesColumns: () => true, limits: limitDefaults });
  const values = Array.from({ length: 20_000 }, (_, i) => (i % 4096 === 4095 || i % 7 === 0 ? null : i / 8));
  const frame = (column: string) =>
    Buffer.from(
      call('1', `{"data":{"times":[${values.map((_, i) => i)}],"series":{"a":${column},"b":${column}}}}`),
    );
  const { columns } = await parser.parseInSteps(frame(JSON.stringify(values)), newTicket());
  const twice = [...values, ...values];
  assert.deepEqual(
    columns?.values.map((value) => (Number.isNaN(value) ? -1 : value)),
    Float64Array.from(twice, (value) => value ?? -1),
  );
  assert.equal(columns?.pointCount, twice.filter((value) => value !== null).length);
  for (const wrong of [values.slice(0, 4096), values.slice(0, -1), [...values, 1]]) {
    const request = await parser.parseInSteps(frame(JSON.stringify(wrong)), newTicket());
    assert.equal(request.columns, null, 'left to the method, which says what is wrong');
  }
});
