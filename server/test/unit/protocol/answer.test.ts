/** Answers as pieces: what is sent together, and what for itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Frame } from '#model/frame';
import {
  answerPieces,
  FrameStream,
  faultAnswer,
  pieceCharacters,
  readyPieces,
  successAnswer,
} from '#protocol/answer';
import { isFresh } from '#protocol/fresh-bytes';
import { JsonText } from '#protocol/json-text';

function piecesOf(result: unknown) {
  return [...answerPieces(successAnswer('1', result))];
}

test('W1 short bytes are one piece with the text around them', () => {
  const pieces = piecesOf({ name: 'é', data: new JsonText(Buffer.from('["ü"]')), last: 1 });
  assert.equal(pieces.length, 1);
  const { result } = JSON.parse(String(pieces[0]));
  assert.deepEqual(result, { name: 'é', data: ['ü'], last: 1 });
});

test('W1 long bytes are a piece of their own, the same for every answer', () => {
  const bytes = Buffer.from(JSON.stringify('x'.repeat(pieceCharacters)));
  const pieces = piecesOf({ before: 1, data: new JsonText(bytes), after: 2 });
  assert.equal(pieces[1], bytes);
  assert.equal(JSON.parse(pieces.join('')).result.after, 2);
});

test('W1 short bytes and texts that are long together are several pieces', () => {
  const part = new JsonText(Buffer.from(JSON.stringify('x'.repeat(4096))));
  const count = Math.ceil((1.5 * pieceCharacters) / 4096);
  const pieces = piecesOf({ a: part, b: Array(count).fill(part), c: part });
  assert.equal(pieces.length, 2);
  assert.deepEqual(Object.keys(JSON.parse(pieces.join('')).result), ['a', 'b', 'c']);
});

test('W1 texts that were printed before are ready, and the same as when they are printed', () => {
  const text = new JsonText('{"total":-1}');
  const page = new JsonText(Buffer.from('["ü"]'));
  for (const result of [{ meta: text, data: page }, { 'a"b': page, c: page, d: text }, text, page]) {
    const answer = successAnswer('"x"', result);
    assert.equal(readyPieces(answer)?.join(''), [...answerPieces(answer)].join(''));
  }
  const fault = faultAnswer('1', { code: -32603, message: 'é', data: { trace: '', params: {} } });
  assert.deepEqual(readyPieces(fault), [...answerPieces(fault)]);
});

test('W1 nothing else uses the long pieces of a frame, and its arrays are freed when it has been printed, if they are its own', () => {
  const us = () => Float64Array.from({ length: 20_000 }, (_, row) => row);
  for (const isAlone of [true, false]) {
    for (const answerOf of [(frame: Frame) => successAnswer('1', { data: frame }), streamOf]) {
      const frame = new Frame(us(), new Map([['a', us()]]), isAlone);
      const bytes = [...answerPieces(answerOf(frame))].filter((piece) => typeof piece !== 'string');
      assert.ok(bytes.length > 1);
      for (const piece of bytes) assert.ok(isFresh(piece));
      const lengths = [frame.timesUs, ...frame.series.values()].map(({ length }) => length);
      assert.deepEqual(lengths, isAlone ? [0, 0] : [20_000, 20_000]);
    }
  }
  assert.ok(!isFresh(Buffer.from('printed before')));
});

function streamOf(frame: Frame): FrameStream {
  const stream = FrameStream.of({ data: frame });
  assert.ok(stream);
  return stream;
}

test('W1 what has to be printed, or is long, is not ready', () => {
  const text = new JsonText('1');
  const long = new JsonText(' '.repeat(pieceCharacters));
  const frame = new Frame(Float64Array.of(0), new Map());
  const others = [null, 1, 'x', {}, [], [text], frame, { data: frame }, { a: text, b: undefined }, { a: 1 }];
  for (const result of [...others, { a: long }]) assert.equal(readyPieces(successAnswer('1', result)), null);
});
