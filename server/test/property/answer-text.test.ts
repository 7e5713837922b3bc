/** Answers as text: whatever a method answers, it is what `JSON.stringify` would make of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Frame } from '#model/frame';
import { printInstant } from '#model/instant-printer';
import { answerPieces, type CallAnswer, successAnswer } from '#protocol/answer';

/** A frame as plain values. */
function plainFrame(frame: Frame): object {
  const column = (values: Float64Array) =>
    Array.from(values, (value) => (Number.isFinite(value) ? value : null));
  return {
    times: Array.from(frame.timesUs, printInstant),
    series: Object.fromEntries(Array.from(frame.series, ([key, values]) => [key, column(values)])),
  };
}

const decimal = fc
  .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(9))
  .map(([digits, places]) => digits / 10 ** places);
const value = fc.oneof(
  fc.constant(Number.NaN),
  fc.integer(),
  decimal,
  fc.double(),
  fc.constantFrom(-0, 1e21, 1e-7, 5e-324, 2 ** 53),
);
const time = fc.oneof(
  fc.integer({ min: -(2 ** 53), max: 2 ** 53 }),
  fc.nat(1e6).map((second) => second * 1e6),
);

/** Frames of any size; some are longer than the pieces in which they are written. */
const frame = fc
  .tuple(
    fc.oneof(fc.nat(20), fc.integer({ min: 4090, max: 9000 })),
    fc.array(time, { minLength: 1, maxLength: 9 }),
    fc.array(value, { minLength: 1, maxLength: 9 }),
    fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
  )
  .map(([rows, times, values, keys]) => {
    const cycle = (of: number[]) => Float64Array.from({ length: rows }, (_, row) => of[row % of.length]);
    return new Frame(cycle(times), new Map(keys.map((key) => [`k${key}`, cycle(values)])));
  });

/** The whole text, from its pieces. */
function joined(answer: CallAnswer): string {
  return [...answerPieces(answer)].join('');
}

test('W5 a result without frames is written as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (result) => {
      const expected = JSON.stringify({ jsonrpc: '2.0', id: 'x', result });
      assert.equal(joined(successAnswer('"x"', result)), expected);
    }),
  );
});

test('W5 frames are written as their plain values are: alone, as a member, in an array', () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 3 }), fc.jsonValue(), (frames, meta) => {
      const plain = frames.map(plainFrame);
      const results: [unknown, unknown][] = [
        [frames[0], plain[0]],
        [
          { meta, data: frames[0], gone: undefined },
          { meta, data: plain[0] },
        ],
        [
          { data: frames, meta },
          { data: plain, meta },
        ],
      ];
      for (const [result, expected] of results) {
        const answer = successAnswer('1', result);
        assert.equal(joined(answer), JSON.stringify({ jsonrpc: '2.0', id: 1, result: expected }));
      }
    }),
    { numRuns: 60 },
  );
});
