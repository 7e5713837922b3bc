/**
 * Builds the manual when a source is newer than it, or it is missing: `npm run docs`. Gathers docs/, spec/ and the pages that are generated from what the program says of itself
 * in .pages/, and has VitePress make dist/ of them. A link to a page or a heading that does not exist ends the build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newestChangeMs } from '../console/newest.mjs';
import { checkAnchors } from './anchors.mjs';
import { gatherPages } from './gather.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const package_ = createRequire(import.meta.url).resolve('vitepress/package.json');

/** The program too, which says what its commands, settings and functions are. */
const sources = [
  ...['docs', 'spec', 'server/src', 'console/src/features/formula'],
  ...['client/README.md', 'clients/python/README.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...['.vitepress/config.mjs', '.vitepress/theme', 'public', 'package.json'].map((name) => `manual/${name}`),
  ...readdirSync(here)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `manual/${name}`),
];
const page = join(here, 'dist/index.html');

if (!existsSync(page) || newestChangeMs(join(here, '..'), sources) > statSync(page).mtimeMs) {
  rmSync(join(here, 'dist'), { recursive: true, force: true });
  await gatherPages(join(here, '.pages'));
  const vitepress = join(dirname(package_), 'bin/vitepress.js');
  execFileSync(process.execPath, [vitepress, 'build', here], { stdio: 'inherit' });
  checkAnchors(join(here, 'dist'));
}
