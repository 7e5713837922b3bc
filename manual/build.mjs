/**
 * Builds the manual: `npm run docs`. Gathers docs/, spec/ and the pages that are generated from what the program says of itself
 * in .pages/, and has VitePress make dist/ of them. A link to a page or a heading that does not exist ends the build.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAnchors } from './anchors.mjs';
import { gatherPages } from './gather.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const package_ = createRequire(import.meta.url).resolve('vitepress/package.json');

rmSync(join(here, 'dist'), { recursive: true, force: true });
await gatherPages(join(here, '.pages'));
execFileSync(process.execPath, [join(dirname(package_), 'bin/vitepress.js'), 'build', here], {
  stdio: 'inherit',
});
checkAnchors(join(here, 'dist'));
