/** Builds dist/: the package as JavaScript with the console and the manual, for `npm pack`. A clone needs no build. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const compiler = new URL('../node_modules/typescript-7/bin/tsc', here);

rmSync(new URL('dist', here), { recursive: true, force: true });
// The commands that call a service use the published client; the package carries it along.
execFileSync(process.execPath, [fileURLToPath(new URL('../client/build.mjs', here))], { stdio: 'inherit' });
execFileSync(process.execPath, [fileURLToPath(compiler), '-p', 'tsconfig.build.json'], {
  cwd: fileURLToPath(here),
  stdio: 'inherit',
});
// In a package `#folder/file` means the JavaScript beside it; package.json of a clone means the sources.
const manifest = { type: 'module', imports: { '#client': './client/client.js', '#*': './*.js' } };
writeFileSync(new URL('dist/package.json', here), `${JSON.stringify(manifest, null, 2)}\n`);

cpSync(new URL('../client/dist', here), new URL('dist/client', here), {
  recursive: true,
  filter: (path) => !/\.d\.ts$|\.md$|package\.json$|LICENSE$|arrow\.js$/.test(path),
});

execFileSync(process.execPath, [fileURLToPath(new URL('../console/build.mjs', here))], { stdio: 'inherit' });
cpSync(new URL('../console/dist', here), new URL('dist/console', here), { recursive: true });

execFileSync(process.execPath, [fileURLToPath(new URL('../manual/build.mjs', here))], { stdio: 'inherit' });
cpSync(new URL('../manual/dist', here), new URL('dist/manual', here), { recursive: true });
