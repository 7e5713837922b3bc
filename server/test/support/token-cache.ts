/** Where the commands that tests start keep tokens: not among those of the person who runs the tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = mkdtempSync(join(tmpdir(), 'tidemark-cache-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

/** Goes into the environment of a process. */
export const tokenCache = { XDG_CACHE_HOME: directory };
