/** A process that opens a store and says how that went: `node open-child.ts DIRECTORY`. */
import { writeSync } from 'node:fs';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';

try {
  const store = await openSqlite({ directory: process.argv[2], clock, log, limits: limitDefaults });
  await store.close();
  writeSync(1, 'opened');
} catch (error) {
  writeSync(1, error instanceof AppError ? `${error.kind}: ${error.message}` : String(error));
}
