/** Where the parts of a store are in its data directory. */
import { join } from 'node:path';

/** The store's file. */
export function databasePath(directory: string): string {
  return join(directory, 'tidemark.db');
}

/** The name of the directory in which a restore keeps the store until it is complete. */
export const stagingName = 'restoring';

/** Where a restore keeps the store until it is complete. */
export function stagingPath(directory: string): string {
  return join(directory, stagingName);
}
