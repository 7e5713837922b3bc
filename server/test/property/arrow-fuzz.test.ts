/** Arrow streams that were changed anywhere: they are read, or refused as invalid parameters, within the memory that is announced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Float32, Int8, Int64, TimestampNanosecond, Uint16, vectorFromArray } from 'apache-arrow';
import { AppError } from '#model/error';
import { Frame } from '#model/frame';
import type { Steps } from '#model/steps';
import { readColumns, StreamReader } from '#protocol/arrow/stream-reader';
import { streamPieces } from '#protocol/arrow/stream-writer';
import { doubles, streamOf, timeVector } from '../support/arrow.ts';
import type { AnswerBody } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { SeededRandom } from '../support/world.ts';

/** The number of streams; 100,000 take about a minute. */
const rounds = Number(process.env.FUZZ_STREAMS ?? 5000);
const seed = Number(process.env.SEED ?? 1);

const seriesMax = 50;

/** Good streams of different shapes, by both writers. */
function goodStreams(): Buffer[] {
  const rows = (count: number) => Array.from({ length: count }, (_, row) => row);
  const table = streamOf({
    time: timeVector(
      rows(20).map((row) => 1000 * row),
      new TimestampNanosecond(),
    ),
    a: doubles(rows(20).map((row) => (row % 3 === 0 ? null : row))),
    b: vectorFromArray(rows(20).map(BigInt), new Int64()),
    c: vectorFromArray(rows(20), new Int8()),
    d: vectorFromArray(rows(20), new Uint16()),
    e: vectorFromArray(rows(20), new Float32()),
  });
  const wide = streamOf({
    time: timeVector([1]),
    ...Object.fromEntries(rows(30).map((k) => [`k${k}`, doubles([k])])),
  });
  const frame = new Frame(
    Float64Array.from(rows(70_000)),
    new Map([['a', Float64Array.from(rows(70_000), (row) => (row % 9 === 0 ? Number.NaN : row))]]),
  );
  const own = Buffer.concat([...streamPieces(frame, new Map([['meta', '{}']]))]);
  return [Buffer.from(table), Buffer.from(wide), own];
}

/** Numbers that are wrong in many places. */
const extremes = [0, 1, 4, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff];

class Mutator {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  below(count: number): number {
    return Buffer.from(this.#random.bytes(4)).readUInt32LE() % count;
  }

  /** A place, mostly in the metadata, where offsets and lengths are. */
  place(bytes: Buffer): number {
    return this.below(this.below(4) === 0 ? bytes.length : Math.min(bytes.length, 1500));
  }

  change(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const at = this.place(bytes);
    switch (this.below(6)) {
      case 0:
        return bytes.subarray(0, at);
      case 1:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + this.below(16))]);
      case 2:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(this.place(bytes))]);
      case 3:
        bytes[at] = this.below(256);
        return bytes;
      case 4:
        bytes[at] ^= 1 << this.below(8);
        return bytes;
      default:
        if (at + 4 <= bytes.length) bytes.writeUInt32LE(extremes[this.below(extremes.length)], at & ~3);
        return bytes;
    }
  }
}

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Reads a stream; returns whether it was good. */
function check(reader: StreamReader, bytes: Buffer): boolean {
  try {
    const outline = finish(reader.outline(bytes, seriesMax));
    assert.ok(outline.bytes <= 8 * bytes.length, `${outline.bytes} bytes for ${bytes.length}`);
    const columns = finish(readColumns(bytes, outline));
    assert.equal(columns.bytes, outline.bytes);
    assert.ok(columns.timesUs.every((us) => Number.isInteger(us) && Math.abs(us) <= 2 ** 53));
    assert.equal(columns.pointCount, columns.values.filter((value) => Number.isFinite(value)).length);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid-params') return false;
    throw error;
  }
}

test(`W5d ${rounds} changed streams, from seed ${seed}, are read or refused`, () => {
  const reader = new StreamReader();
  const mutator = new Mutator(seed);
  const good = goodStreams();
  for (const bytes of good) assert.ok(check(reader, bytes));
  const outcomes = { read: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    let bytes = Buffer.from(good[round % 50 === 0 ? 2 : round % 2]);
    for (let changes = 1 + mutator.below(4); changes > 0 && bytes.length > 0; changes--)
      bytes = mutator.change(bytes);
    outcomes[check(reader, bytes) ? 'read' : 'refused']++;
  }
  assert.ok(outcomes.read > 0.02 * rounds && outcomes.refused > 0.2 * rounds, JSON.stringify(outcomes));
});

test('W5d, W5 changed streams are answered by the service, without an internal error', async (t) => {
  const service = await startService();
  t.after(() => service.close());
  const url = `${service.url}/v1/rpc?method=integration.insert&integration=${service.integration}`;
  const headers = {
    authorization: service.authorization,
    'content-type': 'application/vnd.apache.arrow.stream',
  };
  const mutator = new Mutator(seed);
  const good = goodStreams();
  for (let round = 0; round < rounds / 20; round++) {
    const body = mutator.change(Buffer.from(good[round % 20 === 0 ? 2 : round % 2]));
    const response = await fetch(url, { method: 'POST', headers, body });
    const { result, error } = (await response.json()) as AnswerBody;
    assert.equal(response.status, 200);
    assert.ok(result !== undefined || error?.code === -32602, JSON.stringify(error));
  }
});
