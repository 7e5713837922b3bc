/** Files of Parquet take turns on threads that are used again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { Overload } from '#load/overload';
import { ParquetFormat } from '#protocol/export/parquet-format';

const column = { key: 'a', id: 'a', name: 'A', unit: '', statistic: null };

function newFile(): ParquetFormat {
  const shape = { subject: 'signals', columns: null, isRolledUp: false, hasMetadata: false } as const;
  return new ParquetFormat(shape, () => '');
}

/** Rows enough to be encoded at once. */
function rowsFrom(firstUs: number) {
  const timesUs = Float64Array.from({ length: 20_000 }, (_, i) => firstUs + i);
  const end = { id: 'a', us: timesUs[timesUs.length - 1] };
  return { columns: [column], timesUs, values: [timesUs.map((us) => us / 2)], end };
}

/** A file of the rows from this time, whole. */
async function read(file: ParquetFormat, firstUs: number) {
  const pieces = await Array.fromAsync(file.rows(rowsFrom(firstUs)));
  pieces.push(...(await Array.fromAsync(file.tail(null))));
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return await parquetReadObjects({ file: bytes.buffer, parsers: { timestampFromMicroseconds: Number } });
}

function assertRows(rows: readonly Record<string, unknown>[], firstUs: number): void {
  assert.equal(rows.length, 20_000);
  assert.deepEqual(rows[0], { time: firstUs, signal: 'a', value: firstUs / 2 });
}

test('X9 at most four files are written at one time, and another one as soon as one is closed', async () => {
  const files = Array.from({ length: 4 }, newFile);
  assert.throws(newFile, Overload);
  assertRows(await read(files[0], 1000), 1000);
  assert.throws(newFile, Overload);
  files[0].close();
  await new Promise(setImmediate);
  files[0] = newFile();
  const all = await Promise.all(files.map((file, i) => read(file, i)));
  for (const [i, rows] of all.entries()) assertRows(rows, i);
  for (const file of files) file.close();
});

test('X9 a file has nothing of one before that was given up while its rows were encoded', async () => {
  for (let round = 0; round < 6; round++) {
    const left = newFile();
    const encoding = Array.fromAsync(left.rows(rowsFrom(5)));
    if (round % 2 === 0) await new Promise(setImmediate);
    left.close();
    await encoding.catch(() => {});
    await new Promise(setImmediate);
    const file = newFile();
    assertRows(await read(file, 9 + round), 9 + round);
    file.close();
  }
});
