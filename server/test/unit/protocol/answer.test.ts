/** Answers as pieces: what is sent together, and what for itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerPieces, pieceCharacters, successAnswer } from '#protocol/answer';
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
