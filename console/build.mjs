/** Builds console/dist when a source is newer than it, or it is missing: `npm start` and the tests run this first. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const sources = [
  'src',
  'public',
  'index.html',
  'build.mjs',
  'vite.config.ts',
  'package.json',
  '../client/src',
];

if (!existsSync(join(dist, 'index.html')) || newest(sources) > statSync(join(dist, 'index.html')).mtimeMs) {
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  compress();
}

/** Leaves what compresses well compressed beside it, so that the service need not do it. */
function compress() {
  for (const path of filesIn(dist).filter((name) => /\.(js|css|svg)$/.test(name))) {
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  }
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
