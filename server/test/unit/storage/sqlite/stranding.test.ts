/** Points that fall into a damaged block stay in the log, and the newest of them wins. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import type { BlockEntry } from '#storage/sqlite/directory';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { prepareScan } from '#storage/sqlite/series-reader';
import { SharedIndex, SnapshotReader } from '#storage/sqlite/snapshot';
import { splitAround } from '#storage/sqlite/stranding';

function entry(firstUs: number, lastUs: number): BlockEntry {
  const values = { sum: 0, sumLow: 0, min: 0, max: 0, first: 0, last: 0, m2: 0 };
  return { ...values, firstUs, lastUs, count: 2, crc: null, bytes: 50, block: firstUs };
}

/** A group of these blocks and times, divided: groups as `[blocks], [times]`, and the times that are stranded. */
function split(entries: BlockEntry[], damaged: readonly number[], ...times: number[]) {
  const timesUs = Float64Array.from(times);
  const group = { entries, from: 0, to: times.length };
  const { groups, stranded } = splitAround(group, { timesUs, values: timesUs }, (block) =>
    damaged.includes(block),
  );
  return {
    groups: groups.map(({ entries: joined, from, to }) => [
      joined.map(({ firstUs }) => firstUs),
      times.slice(from, to),
    ]),
    stranded: stranded.map((points) => [...points.timesUs]),
  };
}

test('a group is divided around its damaged blocks', () => {
  const three = [entry(0, 9), entry(10, 19), entry(20, 29)];
  assert.deepEqual(split(three, [10], 5, 9, 10, 15, 19, 20, 35), {
    groups: [
      [[0], [5, 9]],
      [[20], [20, 35]],
    ],
    stranded: [[10, 15, 19]],
  });
  assert.deepEqual(split(three, [0, 20], 5, 25), { groups: [], stranded: [[5], [25]] });
  assert.deepEqual(split(three, [20], 35), { groups: [[[], [35]]], stranded: [] });
  assert.deepEqual(split(three, [0], 35), { groups: [[[10, 20], [35]]], stranded: [] });
  assert.deepEqual(split([entry(0, 9)], [0], -5, 15), {
    groups: [
      [[], [-5]],
      [[], [15]],
    ],
    stranded: [],
  });
});

/** A file without threads. */
class Rig {
  readonly db: DatabaseSync;
  readonly seal: SealWriter;
  readonly sealer: Sealer;
  readonly #log: LogWriter;
  readonly #readDb: DatabaseSync;

  constructor(directory: string) {
    this.db = openForWriting(directory);
    this.#readDb = openForReading(directory);
    this.#log = new LogWriter(this.db);
    this.seal = new SealWriter(this.db);
    this.sealer = new Sealer(this.#readDb, { ...sealLimits, idleRows: 1 });
  }

  static async make(t: TestContext): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-stranding-'));
    const rig = new Rig(directory);
    t.after(async () => {
      rig.close();
      await rm(directory, { recursive: true });
    });
    return rig;
  }

  append(signals: number[], times: number[], value: number): void {
    const values = new Float64Array(times.length * signals.length).fill(value);
    const { buffer, headBytes } = encodeRow({ timesUs: Float64Array.from(times), signals, values })!;
    this.#log.append([buffer], [headBytes]);
  }

  sealAll(): void {
    assert.ok(this.sealer.look(true).isDue);
    for (let step = this.sealer.step(); step !== null; step = this.sealer.step()) {
      assert.ok(this.seal.apply(step));
    }
    while (this.seal.trim());
  }

  /** Flips a bit of the first block of a signal, or of what was flipped before. */
  flip(signal: number): void {
    const { id, data } = this.db
      .prepare(
        'select id, data from series_block where id = (select block from series_directory where signal = ?)',
      )
      .get(signal) as { id: number; data: Uint8Array };
    data[data.length - 1] ^= 1;
    this.db.prepare('update series_block set data = ? where id = ?').run(data, id);
  }

  /** Points as time → value. */
  read(signal: number, startUs = 0, endUs = 1e9): Map<number, number> {
    const db = openForReading(join(this.db.location()!, '..'));
    const shared = new SharedIndex(0, 0);
    const snapshot = new SnapshotReader(db, shared);
    snapshot.begin();
    try {
      const source = { signals: [signal], window: { startUs, endUs }, before: false, after: false };
      const work = prepareScan(snapshot, shared.head, { sources: [source] })(Number.POSITIVE_INFINITY);
      for (;;) {
        const { done, value } = work.next();
        if (done !== true) continue;
        const [{ timesUs, values }] = value;
        return new Map(Array.from(timesUs, (timeUs, i) => [timeUs, values[i]]));
      }
    } finally {
      snapshot.end();
      db.close();
    }
  }

  logRowCount(): number {
    const rows = 'select count(*) as count from series_log where seq > (select sealed_seq from series_state)';
    return Number(this.db.prepare(rows).get()?.count);
  }

  close(): void {
    this.db.close();
    this.#readDb.close();
  }
}

test('R9 stranded points have the value that was stored last, whenever it came', async (t) => {
  const rig = await Rig.make(t);
  rig.append([1, 2], [10, 20, 30, 40], 1);
  rig.sealAll();
  rig.flip(1);
  rig.append([1, 2], [15, 20, 25, 50], 2);
  assert.ok(rig.sealer.look(true).isDue);
  // Known to the sealer when it makes the step, and after that.
  rig.append([1, 2], [20], 3);
  const step = rig.sealer.step()!;
  rig.append([1, 2], [25], 4);
  assert.match(step.damage.join(), /^block 1 of signal 1 in tidemark.db is damaged: its checksum differs/);
  assert.ok(rig.seal.apply(step));
  assert.equal(rig.sealer.step(), null);
  while (rig.seal.trim());
  // The two rows that came since, and the one that was stranded.
  assert.equal(rig.logRowCount(), 3);
  assert.throws(() => rig.read(1), /block 1 of signal 1 in tidemark.db is damaged/);
  assert.deepEqual([...rig.read(1, 41)], [[50, 2]]);

  rig.sealAll();
  assert.equal(rig.logRowCount(), 1);
  rig.flip(1);
  const expected = [
    [10, 1],
    [15, 2],
    [20, 3],
    [25, 4],
    [30, 1],
    [40, 1],
    [50, 2],
  ];
  assert.deepEqual([...rig.read(1)], expected);
  assert.deepEqual([...rig.read(2)], expected);
  rig.sealAll();
  assert.equal(rig.logRowCount(), 0);
  assert.deepEqual([...rig.read(1)], expected);
});

test('R9 signals whose entries of the directory are damaged keep points of their own in the log', async (t) => {
  const rig = await Rig.make(t);
  rig.append([1, 2], [10, 20], 1);
  rig.sealAll();
  rig.db.exec('update series_directory set sum = sum + 1');
  rig.append([1], [15], 5);
  rig.append([2], [15], 6);
  assert.ok(rig.sealer.look(true).isDue);
  const { stranded } = rig.sealer.step()!;
  const points = stranded.map(({ signal, points: { timesUs, values } }) => [signal, ...timesUs, ...values]);
  assert.deepEqual(points, [
    [1, 15, 5],
    [2, 15, 6],
  ]);
});
