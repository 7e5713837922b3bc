/**
 * A process that writes and deletes until it is killed: `node delete-child.ts DIRECTORY NEXT`. It stores batch after batch,
 * NEXT being the first, and deletes a window every few batches. It says `stored BATCH` when a batch was acknowledged, and
 * `deleting BATCH` before and `deleted BATCH` after the window that belongs to a batch was deleted.
 */
import { writeSync } from 'node:fs';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';
import { batchToDelete, deletedSignals, deletedWindow, hasWindow } from './deleted-windows.ts';

const [directory, next] = process.argv.slice(2);
const { series } = await openSqlite({ directory, clock, log, limits: limitDefaults, serving: true });
writeSync(1, 'open 0\n');

for (let batch = Number(next); ; batch++) {
  await series.append(batchToDelete(batch));
  writeSync(1, `stored ${batch}\n`);
  if (!hasWindow(batch)) continue;
  writeSync(1, `deleting ${batch}\n`);
  const counts = await series.deletePoints(deletedSignals, deletedWindow(batch));
  writeSync(1, `deleted ${batch} ${counts.join(' ')}\n`);
}
