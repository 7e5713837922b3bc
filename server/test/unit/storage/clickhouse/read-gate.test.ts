/** Reads and writes of points take turns where a read would see a part of a write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ReadGate } from '#storage/clickhouse/read-gate';
import { NumberTables } from '#threads/number-table';

const tables = () => new NumberTables();

/** A read that counts its tries, and during which something happens. */
function counted(during: (tries: number) => Promise<unknown>) {
  const state = { tries: 0 };
  const read = async () => {
    await during(++state.tries);
    return state.tries;
  };
  return { state, read };
}

test('R9 a read during which its signals were written is repeated, one of other signals is not', async () => {
  const gate = new ReadGate(tables(), 1000);
  const other = counted((tries) => gate.write([tries], async () => {}));
  assert.equal(await gate.read(new Set([5]), other.read), 1);
  const own = counted(async (tries) => {
    if (tries === 1) await gate.write([4, 5], async () => {});
  });
  assert.equal(await gate.read(new Set([5]), own.read), 2);
});

test('R9 a read that begins while its signals are being written is repeated after it', async () => {
  const gate = new ReadGate(tables(), 1000);
  const { promise, resolve } = Promise.withResolvers<void>();
  const writing = gate.write([1], () => promise);
  const read = counted(async () => resolve());
  assert.equal(await gate.read(new Set([1]), read.read), 2);
  await writing;
});

test('R9 a write of very many signals, and more writes than are kept, count as writes of every signal', async () => {
  const gate = new ReadGate(tables(), 1000);
  const many = Array.from({ length: 20_000 }, () => 7);
  const once = (work: () => Promise<unknown>) => counted(async (tries) => tries === 1 && work());
  assert.equal(await gate.read(new Set([1]), once(() => gate.write(many, async () => {})).read), 2);
  const writes = async (count: number) => {
    for (let i = 0; i < count; i++) await gate.write([2], async () => {});
  };
  assert.equal(await gate.read(new Set([1]), once(() => writes(10)).read), 1);
  assert.equal(await gate.read(new Set([1]), once(() => writes(40)).read), 2);
});

test('R9 a read that was disturbed twice holds up writing, also that of another thread, and for a bounded time only', async () => {
  const shared = tables();
  const [reader, writer] = [new ReadGate(shared, 50), new ReadGate(shared, 50)];
  let writes = 0;
  const write = () => writer.write([1], async () => void writes++);
  let held: Promise<void> | null = null;
  const read = counted(async (tries) => {
    if (tries < 3) return write();
    held = write();
    await delay(10);
    assert.equal(writes, 2, 'the write waits for the read');
  });
  assert.equal(await reader.read(new Set([1]), read.read), 3);
  await held;
  assert.equal(writes, 3);
  const stuck = counted(async () => {
    await write();
  });
  assert.equal(await reader.read(new Set([1]), stuck.read), 3);
  assert.equal(writes, 6);
});
