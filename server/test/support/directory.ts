/** Directories of tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a service or a directory ends with: a test, or with `after` of node:test all tests of the file. */
export interface Ending {
  after(end: () => Promise<void>): void;
}

/** A directory that is removed at the end of the test. */
export async function temporaryDirectory(t: Ending): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tidemark-test-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}
