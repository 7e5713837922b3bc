/** Locks of the operating system: one serving process for a data directory; command-line processes may run alongside. */
import { chmodSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { conflict } from '#model/error';
import { busyCode, resultCode } from './errors.ts';
import { createMissing } from './missing-file.ts';
import { databasePath } from './paths.ts';

/**
 * How long the lock of a service is waited for. Of two processes that try to take it at once SQLite may refuse both, and some hold it for a moment
 * only, to see whether there is a service.
 */
const lockWaitMs = 1000;

/**
 * Takes the lock of the store in a directory, and holds it until the returned function is called or the process ends. The
 * store's file must exist. The lock belongs to the file, not to the path, so symbolic links lead to the same lock. Fails with
 * `conflict` when another process holds it, or when the file has several names (hard links), since SQLite would use a separate
 * write-ahead log for each name.
 */
export function takeServingLock(directory: string): () => void {
  const path = databasePath(directory);
  const { nlink } = statSync(path);
  if (nlink > 1) {
    throw conflict(
      `${path} has ${nlink} names (hard links), and writing through one damages the others: serve a copy of the file`,
    );
  }
  return takeLock(
    dirname(realpathSync(path)),
    `${directory} is already served by another process: stop that one, or choose another data directory`,
    lockWaitMs,
  );
}

/**
 * Takes the lock `tidemark.lock` in a directory. It cannot become stale, since it ends with the process. Fails with `conflict`
 * and this message when another process holds it for longer than `waitMs`; the lock's file must not be removed in that time.
 */
export function takeLock(directory: string, message: string, waitMs = 0): () => void {
  const path = join(directory, 'tidemark.lock');
  createMissing(path);
  chmodSync(path, 0o600);
  const lock = new DatabaseSync(path, { timeout: waitMs });
  try {
    lock.exec('pragma journal_mode = off');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (resultCode(error) !== busyCode) throw error;
    throw conflict(message);
  }
  return () => lock.close();
}
