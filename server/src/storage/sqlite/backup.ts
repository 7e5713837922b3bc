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
import { AppError } from '#model/error';
import type { BackupOptions } from '../store.ts';
import { openFile } from './connection.ts';
import { databasePath, stagingName, stagingPath } from './paths.ts';
import { pageBytes } from './schema.ts';
import { takeLock, takeServingLock } from './serving-lock.ts';

/** Pages that are copied at a time: 1 MiB. */
const stepPages = 64;

/**
 * Writes the present state to `path`, replacing what is there, and resolves with the number of bytes when it is on disk. What
 * is written meanwhile is not in it. The store's own write-ahead log cannot be shortened until then. Blocks this thread.
 */
export async function backUp(directory: string, path: string, options: BackupOptions): Promise<number> {
  const source = openFile(databasePath(directory));
  try {
    // An open snapshot keeps the copy from beginning anew with every change.
    source.exec('begin');
    source.prepare('select step from series_state').get();
    closeSync(openSync(path, 'w', 0o600));
    chmodSync(path, 0o600);
    const pages = await backup(source, path, { rate: stepPages, progress: throttled(options) });
    settle(path, 'delete');
    return pages * pageBytes;
  } catch (error) {
    for (const suffix of ['', '-journal']) rmSync(`${path}${suffix}`, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** Waits after each step for as long as the rate asks. */
function throttled({ bytesPerSMax, onProgress }: BackupOptions) {
  const startMs = performance.now();
  const never = new Int32Array(new SharedArrayBuffer(4));
  return ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) => {
    const copiedBytes = (totalPages - remainingPages) * pageBytes;
    onProgress(copiedBytes, totalPages * pageBytes);
    const waitMs = (copiedBytes / bytesPerSMax) * 1000 - (performance.now() - startMs);
    if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs);
  };
}

/**
 * Makes a data directory out of a backup. `complete` gets a directory with the store in it, to finish it before it takes
 * its place; it must have closed it when it resolves. `conflict` when the directory is served, is not empty, is being restored
 * by another process, or the file is not a store of this program; then, and when `complete` fails, there is no store in the
 * directory. What an interrupted restore has left there is removed first.
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

/** Fails as {@link restore} does, before anything is done. */
export function requireRestorable(file: string, directory: string): void {
  openFile(file).close();
  requireEmpty(directory);
}

/** Removes a store's file and the files that SQLite keeps next to it. */
function removeStore(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

/** Gives a file that is on disk its name; what had the name is replaced. */
export function rename(from: string, to: string): void {
  renameSync(from, to);
  sync(dirname(to));
}

/** What an interrupted restore leaves behind does not count. */
function requireEmpty(directory: string): void {
  if (!existsSync(directory)) return;
  const others = readdirSync(directory).filter((name) => name !== stagingName);
  if (others.length === 0) return;
  // Reports that the directory is served, where it is.
  if (existsSync(databasePath(directory))) takeServingLock(directory)();
  throw new AppError(
    'conflict',
    `${directory} is not empty: choose a new directory, or remove what is in it`,
  );
}

/** A backup is one file, which can be read where nothing can be written; a store has a write-ahead log beside it. */
function settle(path: string, journal: 'delete' | 'wal'): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(`pragma journal_mode = ${journal}`);
  } finally {
    db.close();
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
