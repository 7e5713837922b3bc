/**
 * A file that reserves disk space. SQLite cannot open a store on a full disk, not even for reading, since it has to create the
 * index of its write-ahead log. A service that cannot start for this reason deletes the file and tries again.
 */
import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Enough for SQLite's index of the write-ahead log (32 KiB), the log's first pages, and the service's own small files. */
const reserveBytes = 256 * 1024;

/** The reserve is only created when the disk has at least this many free bytes. */
const freeBytesMin = 64 * reserveBytes;

function reservePath(directory: string): string {
  return join(directory, 'tidemark.reserve');
}

/** Opens a store; if that fails and there is a reserve, deletes the reserve and tries again. */
export function openWithReserve<T>(directory: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!existsSync(reservePath(directory))) throw error;
    rmSync(reservePath(directory));
    return open();
  }
}

/** Creates the reserve if it is missing and the disk has enough free space. */
export function keepReserve(directory: string): void {
  const path = reservePath(directory);
  const { bavail, bsize } = statfsSync(directory);
  if (existsSync(path) || bavail * bsize < freeBytesMin) return;
  // Random bytes, since a compressing file system would store zeros in almost no space.
  writeFileSync(path, randomFillSync(new Uint8Array(reserveBytes)), { mode: 0o600, flush: true });
}
