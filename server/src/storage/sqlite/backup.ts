/** Copies of a store's one file: backups, made while a service goes on writing, and restoring them into a new directory. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { conflict } from '#model/error';
import type { BackupOptions } from '../store.ts';
import { openFile, pragma } from './connection.ts';
import { databasePath, stagingName, stagingPath } from './paths.ts';
import { takeLock, takeServingLock } from './serving-lock.ts';

/** Bytes that are copied at a time. */
const stepBytes = 1024 * 1024;

/**
 * Writes the current state to `path`, replacing an existing file, and resolves with its size in bytes when it is on disk.
 * Later writes are not included. The store's write-ahead log cannot be shortened until then. Blocks this thread.
 */
export async function backUp(directory: string, path: string, options: BackupOptions): Promise<number> {
  using source = openFile(databasePath(directory));
  try {
    // An open snapshot keeps the copy from beginning anew with every change.
    source.exec('begin');
    source.prepare('select step from series_state').get();
    closeSync(openSync(path, 'w', 0o600));
    chmodSync(path, 0o600);
    const pageSize = pragma(source, 'page_size');
    const rate = stepBytes / pageSize;
    const pages = await backup(source, path, { rate, progress: throttled(pageSize, options) });
    settle(path, 'delete');
    return pages * pageSize;
  } catch (error) {
    for (const suffix of ['', '-journal']) rmSync(`${path}${suffix}`, { force: true });
    throw error;
  }
}

/** Waits after each step for as long as the rate asks. */
function throttled(pageSize: number, { bytesPerSMax, onProgress }: BackupOptions) {
  const startMs = performance.now();
  const never = new Int32Array(new SharedArrayBuffer(4));
  return ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) => {
    const copiedBytes = (totalPages - remainingPages) * pageSize;
    onProgress(copiedBytes, totalPages * pageSize);
    const waitMs = (copiedBytes / bytesPerSMax) * 1000 - (performance.now() - startMs);
    if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs);
  };
}

/**
 * Creates a data directory from a backup. `complete` gets a staging directory with the store, which it may change and must close
 * before it resolves; then the store is moved to its place. Fails with `conflict` when the directory is in use, is not empty or
 * is being restored by another process, or when the file is not a store of this program. After a failure there is no store in
 * the directory. Files left by an interrupted restore are removed first.
 */
export async function restore(
  file: string,
  directory: string,
  complete: (staging: string) => Promise<void>,
): Promise<void> {
  requireRestorable(file, directory);
  const staging = stagingPath(directory);
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const release = takeLock(
    staging,
    'another restore into this directory is running: wait until it has ended',
  );
  try {
    // Another restore may have ended between the first look and the lock.
    requireRestorable(file, directory);
    const path = databasePath(staging);
    removeStore(path);
    copyFileSync(file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(path, 0o600);
    settle(path, 'wal');
    await complete(staging);
    rename(path, databasePath(directory));
  } finally {
    rmSync(staging, { recursive: true, force: true });
    release();
  }
}

/** Makes the checks of {@link restore} without changing anything, and fails in the same way. */
export function requireRestorable(file: string, directory: string): void {
  openFile(file).close();
  requireEmpty(directory);
}

/** Removes a store's file and the files that SQLite keeps next to it. */
function removeStore(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

/** Renames a file that has been synced to disk, replacing an existing file of that name. */
export function rename(from: string, to: string): void {
  renameSync(from, to);
  sync(dirname(to));
}

/** Fails unless the directory is empty; files left by an interrupted restore do not count. */
function requireEmpty(directory: string): void {
  if (!existsSync(directory)) return;
  const others = readdirSync(directory).filter((name) => name !== stagingName);
  if (others.length === 0) return;
  // Fails if the directory is in use.
  if (existsSync(databasePath(directory))) takeServingLock(directory)();
  throw conflict(`${directory} is not empty: choose a new directory, or remove what is in it`);
}

/** Sets the journal mode: a backup is a single file that can be read from a read-only directory; a store has a write-ahead log. */
function settle(path: string, journal: 'delete' | 'wal'): void {
  {
    using db = new DatabaseSync(path);
    db.exec(`pragma journal_mode = ${journal}`);
  }
  sync(path);
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
