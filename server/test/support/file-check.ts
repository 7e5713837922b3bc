/** The check of a data directory, as `tidemark check` makes it. */
import { FileCheck } from '#storage/sqlite/check';

/** Everything that the check of a database file finds. */
export async function checkFile(path: string): Promise<Awaited<ReturnType<FileCheck['check']>>> {
  const check = new FileCheck(path);
  try {
    return await check.check();
  } finally {
    check.close();
  }
}
