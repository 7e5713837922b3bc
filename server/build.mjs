/** Builds dist/: the package as JavaScript with the console, for `npm pack`. A clone needs no build. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const compiler = new URL('../node_modules/typescript-7/bin/tsc', here);

rmSync(new URL('dist', here), { recursive: true, force: true });
execFileSync(process.execPath, [fileURLToPath(compiler), '-p', 'tsconfig.build.json'], {
  cwd: fileURLToPath(here),
  stdio: 'inherit',
});
// In a package `#folder/file` means the JavaScript beside it; package.json of a clone means the sources.
const manifest = { type: 'module', imports: { '#*': './*.js' } };
writeFileSync(new URL('dist/package.json', here), `${JSON.stringify(manifest, null, 2)}\n`);

execFileSync(process.execPath, [fileURLToPath(new URL('../console/build.mjs', here))], { stdio: 'inherit' });
cpSync(new URL('../console/dist', here), new URL('dist/console', here), { recursive: true });
