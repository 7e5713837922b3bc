/**
 * A file that only takes up room. SQLite cannot open a store on a disk that is full to the last byte, not even for reading,
 * since it needs an index of its write-ahead log next to it. A service that was stopped there gives this room up, and starts.
 */
import { randomFillSync } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Room for SQLite's index of the write-ahead log (32 KiB), the first pages of that log, and the service's own small files. */
const reserveBytes = 256 * 1024;

/** Nothing is set aside of what a nearly full disk has left. */
const freeBytesMin = 64 * reserveBytes;

function reservePath(directory: string): string {
  return join(directory, 'tidemark.reserve');
}

/** Opens a store; when that fails and there is a reserve, gives it up and tries once more. */
export function openWithReserve<T>(directory: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!existsSync(reservePath(directory))) throw error;
    rmSync(reservePath(directory));
    return open();
  }
}

/** Sets the room aside, where that is not done yet and the disk has plenty. */
export function keepReserve(directory: string): void {
  const path = reservePath(directory);
  const { bavail, bsize } = statfsSync(directory);
  if (existsSync(path) || bavail * bsize < freeBytesMin) return;
  // Random bytes, since a file system that compresses would keep no room for others.
  writeFileSync(path, randomFillSync(new Uint8Array(reserveBytes)), { mode: 0o600, flush: true });
}
