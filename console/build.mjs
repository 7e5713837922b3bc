/** Builds console/dist when a source is newer than it, or it is missing: `npm start` and the tests run this first. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const built = join(root, 'dist/index.html');
const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json', '../client/src', '../spec/rpc'];

if (!existsSync(built) || newest(sources) > statSync(built).mtimeMs) {
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
}

/** The latest change below some paths, ms. */
function newest(paths) {
  return Math.max(
    ...paths
      .map((path) => join(root, path))
      .filter((path) => existsSync(path))
      .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
      .map((path) => statSync(path).mtimeMs),
  );
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
}
