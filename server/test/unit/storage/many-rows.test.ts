/** Many rows of a statement become objects and records in several iterations of the event loop, few at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsInTurns } from '#storage/meta/records-in-turns';
import type { SignalRow } from '#storage/meta/resource';
import { rowsInTurns } from '#storage/sqlite/sql-table';

/** How many were made in each iteration of the event loop until all were. */
async function inEach(make: (note: () => void) => Promise<unknown>): Promise<number[]> {
  const counts: number[] = [];
  let count = 0;
  let isOver = false;
  const look = () => {
    counts.push(count);
    count = 0;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await make(() => count++);
  isOver = true;
  return [...counts, count];
}

const row = { id: 'a', labels: '{}', annotations: '{}', enum_values: '{}' } as SignalRow;

test('rows become objects a few hundred at a time, in their order', async () => {
  const columns = ['id', 'number'];
  const rows = Array.from({ length: 2000 }, (_, i) => [`x${i}`, i]);
  let made: unknown;
  const counts = await inEach(async () => {
    made = await rowsInTurns({ columns, rows, changes: 0 });
  });
  assert.deepEqual(
    made,
    rows.map(([id, number]) => ({ id, number })),
  );
  assert.ok(counts.length >= 8, `${counts.length} iterations`);
  assert.ok(Array.isArray(rowsInTurns({ columns, rows: rows.slice(0, 200), changes: 0 })));
});

test('records are made a few hundred at a time, those of several requests together', async () => {
  const rows = Array.from({ length: 2000 }, (_, i) => ({ ...row, number: i }));
  const counts = await inEach(async (note) => {
    const recordOf = ({ number }: SignalRow) => {
      note();
      return number;
    };
    const [numbers] = await Promise.all([recordsInTurns(rows, recordOf), recordsInTurns(rows, recordOf)]);
    assert.deepEqual(
      numbers,
      rows.map(({ number }) => number),
    );
  });
  assert.ok(Math.max(...counts) < 500, `${Math.max(...counts)} in one iteration`);
});
