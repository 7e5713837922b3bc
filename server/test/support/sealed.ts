/** What a store holds, and waiting until its log is in blocks. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { sqliteFiles } from '#storage/sqlite/files';
import type { StoreStats } from '#storage/store';

/** What the store in a data directory holds. */
export function statsOf(directory: string, largestMax = 0): StoreStats {
  const inspection = sqliteFiles.inspect(sqliteFiles.fileIn(directory));
  try {
    return inspection.stats(largestMax);
  } finally {
    inspection.close();
  }
}

/** Resolves when the log is in blocks. It must have 512 batches or 100,000 values: fewer stay in the log. */
export async function sealed(directory: string): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while (performance.now() < deadlineMs) {
    if (statsOf(directory).logRows === 0) return;
    await wait(50);
  }
  assert.fail('the log was not sealed in time');
}
