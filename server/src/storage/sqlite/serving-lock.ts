/** At most one serving process for a data directory; command-line processes may work beside it. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '#model/error';
import { resultCode } from './errors.ts';

const busy = 5;

/**
 * Takes the lock and keeps it until the function that it returns is called, or the process ends in any way: it is a lock
 * of the operating system on `tidemark.lock`, so that nothing stale can remain. `conflict` when another one has it.
 */
export function takeServingLock(directory: string): () => void {
  const path = join(directory, 'tidemark.lock');
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  chmodSync(path, 0o600);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = off');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (resultCode(error) !== busy) throw error;
    throw new AppError(
      'conflict',
      `${directory} is already served by another process: stop that one, or choose another data directory`,
    );
  }
  return () => lock.close();
}
