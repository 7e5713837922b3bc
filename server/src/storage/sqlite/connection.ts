/** Connections to the one file of a store: making it, recognising it, and the settings of each kind of connection. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError, conflict } from '#model/error';
import { bringForward } from './bring-forward.ts';
import { busyCode, isDamage, resultCode } from './errors.ts';
import { registerFunctions } from './functions.ts';
import { createMissing } from './missing-file.ts';
import { databasePath, stagingPath } from './paths.ts';
import { applicationId, formatVersion, pageBytes, seriesSchema } from './schema.ts';
import { takeServingLock } from './serving-lock.ts';
import { emptyState, StateTable } from './state.ts';

/** How long a statement waits for another process's transaction. */
export const busyTimeoutMs = 30_000;

/**
 * How long an attempt to begin a transaction waits. SQLite itself sleeps ever longer between its attempts, up to 100 ms: beside a
 * process that writes all the time it would rarely try between two transactions.
 */
const attemptMs = 1;

/** How often a new file is given its write-ahead log, while other processes do the same. */
const creationsMax = 100;

/** The write-ahead log is checkpointed when it reaches this size, and truncated to it. */
const checkpointBytes = 64 * 1024 * 1024;

/**
 * Opens the write connection; creates a missing directory and file, readable by their owner only. Throws an
 * AppError, and changes nothing, when the file is another program's, damaged, of a newer version, or cannot be written.
 * Beyond `fileBytesMax` writes fail as on a full disk. Transactions are begun with {@link beginTransaction}.
 */
export function openForWriting(directory: string, fileBytesMax = Number.POSITIVE_INFINITY): DatabaseSync {
  const path = databasePath(directory);
  return explained(path, () => {
    makeMissing(directory, path);
    const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      prepareFile(db, path, directory);
      restrictRights(directory, path);
      db.exec('pragma synchronous = full');
      const pageSize = pragma(db, 'page_size');
      db.exec(`pragma wal_autocheckpoint = ${checkpointBytes / pageSize}`);
      db.exec(`pragma journal_size_limit = ${checkpointBytes}`);
      db.exec('pragma cache_size = -16384');
      if (Number.isFinite(fileBytesMax))
        db.exec(`pragma max_page_count = ${Math.floor(fileBytesMax / pageSize)}`);
      registerFunctions(db);
      db.exec(`pragma busy_timeout = ${attemptMs}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Begins a transaction that may write, after those of other processes. `db` was opened by {@link openForWriting}. */
export function beginTransaction(db: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('begin immediate');
      return;
    } catch (error) {
      if (resultCode(error) !== busyCode || attempt * attemptMs >= busyTimeoutMs) throw error;
    }
  }
}

/** Opens a connection that can only read; the file must exist. */
export function openForReading(directory: string): DatabaseSync {
  const path = databasePath(directory);
  return explained(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    db.exec('pragma cache_size = -4096');
    registerFunctions(db);
    return db;
  });
}

/**
 * Opens any file of a store, also a backup, so that it can only be read. Throws an AppError when there is none, or it is
 * another program's, of a newer version, or damaged at its beginning.
 */
export function openFile(path: string): DatabaseSync {
  return explained(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    try {
      requireOurs(db, path);
      registerFunctions(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function requireOurs(db: DatabaseSync, path: string): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== applicationId) throw foreign(path);
  if (version > formatVersion) throw newer(path, version);
}

/** Restricts the rights of the file, and of the -wal and -shm files, which were created with the file's earlier rights. */
function restrictRights(directory: string, path: string): void {
  chmodSync(directory, 0o700);
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(`${path}${suffix}`)) chmodSync(`${path}${suffix}`, 0o600);
  }
}

/** Creates a missing file with restricted rights; SQLite gives the -wal and -shm files the same. */
function makeMissing(directory: string, path: string): void {
  if (!existsSync(path) && existsSync(stagingPath(directory))) throw halfRestored(directory);
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  createMissing(path);
}

function prepareFile(db: DatabaseSync, path: string, directory: string): void {
  const { found, version, isEmpty } = lookAt(db);
  if (found === applicationId && version > formatVersion) throw newer(path, version);
  if (found === applicationId && version === formatVersion) return;
  if (found === applicationId && version > 0) {
    // A service of an older release would go on writing in the older format.
    takeServingLock(directory)();
    bringForward(db);
    return;
  }
  if (found !== 0 || version !== 0 || !isEmpty) throw foreign(path);
  createStore(db);
}

/** What kind of file it is, in one transaction, since another process may be creating the store. */
function lookAt(db: DatabaseSync) {
  db.exec('begin');
  const found = pragma(db, 'application_id');
  const version = pragma(db, 'user_version');
  const isEmpty = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  db.exec('commit');
  return { found, version, isEmpty };
}

/** Creates the store in an empty file, unless another process has just done so. */
function createStore(db: DatabaseSync): void {
  db.exec(`pragma page_size = ${pageBytes}`);
  db.exec('pragma auto_vacuum = incremental');
  useWriteAheadLog(db);
  db.exec('begin immediate');
  if (pragma(db, 'application_id') === 0) {
    db.exec(seriesSchema);
    new StateTable(db).write(emptyState);
    db.exec(`pragma application_id = ${applicationId}`);
    db.exec(`pragma user_version = ${formatVersion}`);
  }
  db.exec('commit');
}

/** SQLite refuses this without waiting while another process does the same, so that one's transaction is waited for. */
function useWriteAheadLog(db: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (resultCode(error) !== busyCode || attempt === creationsMax) throw error;
    }
    db.exec('begin immediate');
    db.exec('commit');
  }
}

/** The value of a pragma that is a number. */
export function pragma(
  db: DatabaseSync,
  name: 'application_id' | 'freelist_count' | 'page_count' | 'page_size' | 'user_version',
): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}

function halfRestored(directory: string): AppError {
  return conflict(
    `${directory} has no store: a restore into it was interrupted, or is still running. Run "tidemark restore" again, or remove ${stagingPath(directory)} to begin with an empty store`,
  );
}

function newer(path: string, version: number): AppError {
  return conflict(
    `${path} has format ${version}, this program knows up to ${formatVersion}: use the program that wrote it, or a newer one`,
  );
}

function foreign(path: string): AppError {
  return conflict(`${path} is not a store of this program: choose another one`);
}

/** Runs `open`, and turns errors of SQLite and the system into an AppError that says what is wrong with the file. */
function explained(path: string, open: () => DatabaseSync): DatabaseSync {
  try {
    return open();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (isDamage(error)) {
      throw conflict(
        `${path} is damaged or not a store of this program: restore a backup, or choose another data directory`,
        { cause: error, detail: String(error) },
      );
    }
    if (resultCode(error) === null && !(error instanceof Error && 'syscall' in error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw conflict(`${path} cannot be opened: ${reason}; check the directory's rights and the disk`, {
      cause: error,
      detail: String(error),
    });
  }
}
