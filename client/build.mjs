/** Builds dist/: the package as it is published, JavaScript with types. A clone, and the console, use the sources. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const compiler = new URL('../node_modules/typescript-7/bin/tsc', here);

rmSync(new URL('dist', here), { recursive: true, force: true });
// What browsers load is compiled without the types of Node, so that it cannot use them.
for (const project of ['tsconfig.build.json', 'tsconfig.build-node.json']) {
  execFileSync(process.execPath, [fileURLToPath(compiler), '-p', project], {
    cwd: fileURLToPath(here),
    stdio: 'inherit',
  });
}

// The sources are private: what is packed and published is dist/, which says where its JavaScript is.
const {
  private: _,
  scripts: __,
  exports: entries,
  ...manifest
} = JSON.parse(readFileSync(new URL('package.json', here), 'utf8'));
const built = Object.entries(entries).map(([name, path]) => {
  const stem = path.replace('./src/', './').replace(/\.ts$/, '');
  return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }];
});
// Not in the manifest of the sources: there it would be installed with the service, which does not use it.
const peers = {
  peerDependencies: { 'apache-arrow': '>=15' },
  peerDependenciesMeta: { 'apache-arrow': { optional: true } },
};
const published = { ...manifest, exports: Object.fromEntries(built), ...peers };
writeFileSync(new URL('dist/package.json', here), `${JSON.stringify(published, null, 2)}\n`);
copyFileSync(new URL('README.md', here), new URL('dist/README.md', here));
copyFileSync(new URL('../LICENSE', here), new URL('dist/LICENSE', here));
