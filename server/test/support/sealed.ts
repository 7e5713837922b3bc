/** Waiting for a store that has nothing else to do to put its log into blocks. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { SeriesStore } from '#storage/store';

/** Resolves when the log is in blocks. It must have 512 batches or 100,000 values: less is not worth it. */
export async function sealed(series: SeriesStore): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  while (performance.now() < deadlineMs) {
    if ((await series.stats(0)).logRows === 0) return;
    await wait(50);
  }
  assert.fail('the log was not sealed in time');
}
