/** The files of embedded stores, for the commands that look at them and copy them. */
import type { StoreFiles } from '../store.ts';
import { backUp, rename, requireRestorable, restore } from './backup.ts';
import { FileCheck } from './check.ts';
import { databasePath } from './paths.ts';

/** {@link StoreFiles} of `tidemark.db`. */
export const sqliteFiles: StoreFiles = {
  fileIn: databasePath,
  inspect: (file) => new FileCheck(file),
  backUp,
  rename,
  requireRestorable,
  restore,
};
