/** Creates files that only their owner may use. */
import { closeSync, existsSync, openSync } from 'node:fs';

/**
 * Creates an empty file where there is none. Another process may do so at the same moment. A file that exists is not opened: to
 * close it again would end the locks that SQLite has on it in this process.
 */
export function createMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}
