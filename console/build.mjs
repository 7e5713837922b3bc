/** Builds console/dist when a source is newer than it, or it is missing: `npm start` and the tests run this first. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { filesIn, newestChangeMs } from './newest.mjs';

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

const page = join(dist, 'index.html');

if (!existsSync(page) || newestChangeMs(root, sources) > statSync(page).mtimeMs) {
  const { build } = await import('vite');
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
