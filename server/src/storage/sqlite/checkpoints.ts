/** Copies the write-ahead log into the file on a thread that nobody waits for, so that commits seldom have to. */
import { DatabaseSync } from 'node:sqlite';
import { busyTimeoutMs, pragma } from './connection.ts';
import { databasePath } from './paths.ts';

/**
 * The log is copied when it has so many bytes, and so many of them are not in the file yet. Late, since pages that change again
 * are copied once; before commits do so, which is at 64 MiB.
 */
const due = { logBytes: 48 * 1024 * 1024, newBytes: 4 * 1024 * 1024 };

/**
 * Whether another connection than the one that commits may copy the log in this release of SQLite. Before 3.51.3 a commit that
 * begins the log anew at the same moment can make later checkpoints leave pages out (https://sqlite.org/wal.html#walresetbug); so
 * checkpoints are left to commits there.
 */
export function mayCheckpointBesideCommits(sqliteVersion: string): boolean {
  const [major, minor, patch] = sqliteVersion.split('.').map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 3_051_003;
}

/** A connection for checkpoints. It waits neither for readers nor for the writer, nor these for it. */
export class Checkpoints {
  readonly #isSafe = mayCheckpointBesideCommits(process.versions.sqlite!);
  readonly #db: DatabaseSync;
  readonly #pageBytes: number;

  constructor(directory: string) {
    this.#db = new DatabaseSync(databasePath(directory), { timeout: busyTimeoutMs });
    this.#db.exec('pragma synchronous = full');
    this.#pageBytes = pragma(this.#db, 'page_size');
  }

  /** Copies what is in the log now, if that is enough to be worth it. A failure, as on a full disk, is left to the writer. */
  runIfDue(): void {
    if (!this.#isSafe) return;
    try {
      const { log, checkpointed } = this.#db.prepare('pragma wal_checkpoint(noop)').get()!;
      const logBytes = Number(log) * this.#pageBytes;
      const newBytes = logBytes - Number(checkpointed) * this.#pageBytes;
      if (logBytes > due.logBytes && newBytes > due.newBytes) this.#db.exec('pragma wal_checkpoint(passive)');
    } catch {
      // Commits try it again, and fail by themselves where they cannot write.
    }
  }

  close(): void {
    this.#db.close();
  }
}
