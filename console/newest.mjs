/** When the sources of something that is built were changed last: of the console, and of the manual. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The latest change of some files and below some folders, ms; what does not exist is left out. */
export function newestChangeMs(root, paths) {
  return Math.max(
    ...paths
      .map((path) => join(root, path))
      .filter((path) => existsSync(path))
      .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
      .map((path) => statSync(path).mtimeMs),
  );
}

/** Everything below a folder. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
}
