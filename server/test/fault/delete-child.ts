/**
 * A process that writes and deletes until it is killed: `node delete-child.ts DIRECTORY NEXT`. It stores batch after batch,
 * NEXT being the first, and deletes a window every few batches. It says `stored BATCH` when a batch was acknowledged, and
 * `deleting BATCH` before and `deleted BATCH` after the window that belongs to a batch was deleted.
 */
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { say } from '../support/say.ts';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';
import { batchToDelete, deletedSignals, deletedWindow, hasWindow } from './deleted-windows.ts';

const [directory, next] = process.argv.slice(2);
const { series } = await openSqlite({ directory, clock, log, limits: limitDefaults, serving: true });
say('open 0');

for (let batch = Number(next); ; batch++) {
  await series.append(batchToDelete(batch));
  say(`stored ${batch}`);
  if (!hasWindow(batch)) continue;
  say(`deleting ${batch}`);
  const counts = await series.deletePoints(deletedSignals, deletedWindow(batch));
  say(`deleted ${batch} ${counts.join(' ')}`);
}
