/** Rows of the log give back the batches that went in, and notice damage. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeHead, decodeSignals, markOf, stampRow } from '#storage/sqlite/log-head';
import { allOf, decodeRow, encodeRow } from '#storage/sqlite/log-row';
import type { Batch } from '#storage/store';

function batch(timesUs: number[], signals: number[], values: number[]): Batch {
  return { timesUs: Float64Array.from(timesUs), signals, values: Float64Array.from(values) };
}

/** Head and data as the file would have them. */
function coded(made: Batch): { head: Uint8Array; data: Uint8Array } {
  const row = encodeRow(made)!;
  stampRow(row);
  const bytes = new Uint8Array(row.buffer);
  return { head: bytes.slice(0, row.headBytes), data: bytes.slice(row.headBytes) };
}

function roundTrip(made: Batch) {
  const { head, data } = coded(made);
  const signals = [...decodeSignals(decodeHead(head, 1).signalsKey)];
  const { timesUs, values } = decodeRow(head, data, 1);
  return { signals, timesUs, values: allOf(values) };
}

const shapes: [string, number[]][] = [
  ['one time', [5]],
  ['a constant step', [0, 1000, 2000, 3000]],
  ['small steps', [-5, 0, 7, 4_000_000_000]],
  ['wide steps', [-(2 ** 53) + 1, 0, 2 ** 53 - 1]],
  ['a constant step that is too wide to compute', [-(2 ** 53) + 2, 0, 2 ** 53 - 2]],
];

describe('log rows', () => {
  for (const [name, timesUs] of shapes) {
    it(`keep ${name}`, () => {
      const values = timesUs.map((_, i) => i / 3);
      const found = roundTrip(batch(timesUs, [7], values));
      assert.deepEqual([...found.timesUs], timesUs);
      assert.deepEqual([...found.values], values);
    });
  }

  it('keep signals in ascending order, with gaps and far apart', () => {
    const signals = [4_000_000_000, 1, 2, 3, 300, 301];
    const found = roundTrip(batch([1], signals, [6, 1, 2, 3, 4, 5]));
    assert.deepEqual(found.signals, [1, 2, 3, 300, 301, 4_000_000_000]);
    assert.deepEqual([...found.values], [1, 2, 3, 4, 5, 6]);
  });

  it('leave columns without a value out, and are none without any', () => {
    const found = roundTrip(batch([1, 2], [1, 2, 3], [NaN, NaN, 1, NaN, 2, 3]));
    assert.deepEqual(found.signals, [2, 3]);
    assert.deepEqual([...found.values], [1, NaN, 2, 3]);
    assert.equal(encodeRow(batch([1], [1], [NaN])), null);
    assert.equal(encodeRow(batch([], [1], [])), null);
  });

  it('a list of signals is used again, also after batches with empty columns', () => {
    const signals = [9, 2, 5];
    const each = [
      [1, 2, 3],
      [NaN, 2, 3],
      [4, 5, 6],
      [4, NaN, NaN],
      [7, 8, 9],
    ];
    const found = each.map((values) => roundTrip(batch([1], signals, values)));
    assert.deepEqual(
      found.map((row) => [row.signals, [...row.values]]),
      [
        [
          [2, 5, 9],
          [2, 3, 1],
        ],
        [
          [2, 5],
          [2, 3],
        ],
        [
          [2, 5, 9],
          [5, 6, 4],
        ],
        [[9], [4]],
        [
          [2, 5, 9],
          [8, 9, 7],
        ],
      ],
    );
    assert.deepEqual(signals, [9, 2, 5]);
  });

  it('a thousand signals in a row cost a few bytes', () => {
    const signals = Array.from({ length: 1000 }, (_, i) => i + 5000);
    const { head } = coded(
      batch(
        [1],
        signals,
        signals.map((signal) => signal / 2),
      ),
    );
    assert.ok(head.length <= 40, `${head.length}`);
  });

  it('refuse every flipped bit, and every cut', () => {
    const { head, data } = coded(batch([1, 2, 4], [1, 9], [1, 2, 3, 4, 5, 6]));
    const whole = Buffer.concat([head, data]);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = Uint8Array.from(whole);
      bytes[bit >> 3] ^= 1 << (bit & 7);
      const damaged = () => decodeRow(bytes.slice(0, head.length), bytes.slice(head.length), 42);
      assert.throws(damaged, /row 42 of series_log cannot be read/, `bit ${bit}`);
    }
    for (let length = 0; length < head.length; length++) {
      assert.throws(() => decodeRow(head.slice(0, length), data, 42), /row 42/);
    }
    for (let length = 0; length < data.length; length++) {
      assert.throws(() => decodeRow(head, data.slice(0, length), 42), /row 42/);
    }
  });

  it('refuse a head or data that damage has made NULL or a number', () => {
    const { head, data } = coded(batch([1, 2, 4], [1, 9], [1, 2, 3, 4, 5, 6]));
    for (const lost of [null, 7] as unknown as Uint8Array[]) {
      assert.throws(() => decodeRow(lost, data, 42), /row 42 of series_log cannot be read/);
      assert.throws(() => decodeRow(head, lost, 42), /row 42 of series_log cannot be read/);
      assert.throws(() => decodeHead(lost, 42), /row 42 of series_log cannot be read/);
      assert.equal(markOf(lost), 0);
    }
  });
});
