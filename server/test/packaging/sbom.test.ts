/** The bill of materials: what is delivered is in it, developers' tools are not. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const top = new URL('../../../', import.meta.url);

interface Entry {
  version: string;
  dependencies?: Record<string, string>;
  hasInstallScript?: boolean;
}

interface Bom {
  bomFormat: string;
  metadata: { component: { name: string; version: string } };
  components: { 'bom-ref': string; name: string; hashes?: unknown[]; licenses?: unknown[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** Everything that the server's dependencies lead to, by Node's own rule: the nearest node_modules folder wins. */
function reachable(packages: Record<string, Entry>): Set<string> {
  const found = new Set<string>();
  const visit = (folder: string) => {
    for (const name of Object.keys(packages[folder].dependencies ?? {})) {
      const path = nearest(packages, folder, name);
      if (path === null || found.has(path)) continue;
      found.add(path);
      visit(path);
    }
  };
  visit('server');
  return found;
}

function nearest(packages: Record<string, Entry>, folder: string, name: string): string | null {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in packages) return path;
    if (at === '') return null;
  }
}

test('the bill of materials has each package that the service runs on, with licence and hash, and no tool', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['server/sbom.mjs'], {
    cwd: fileURLToPath(top),
    maxBuffer: 1 << 26,
  });
  const bom: Bom = JSON.parse(stdout);
  const { version } = JSON.parse(await readFile(new URL('server/package.json', top), 'utf8'));
  assert.deepEqual([bom.bomFormat, bom.metadata.component.name], ['CycloneDX', 'tidemark']);
  assert.equal(bom.metadata.component.version, version);

  const { packages } = JSON.parse(await readFile(new URL('package-lock.json', top), 'utf8'));
  const parts = new Map(bom.components.map((part) => [part['bom-ref'], part]));
  const needed = [...reachable(packages)];
  assert.ok(needed.length > 15);
  for (const path of needed) {
    const ref = `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${packages[path].version}`;
    const part = parts.get(ref);
    assert.ok(part, `${ref} is missing`);
    assert.ok(part.licenses?.length, `${ref} has no licence`);
    assert.ok(part.hashes?.length, `${ref} has no hash`);
    assert.ok(!packages[path].hasInstallScript, `${ref} runs code when it is installed`);
  }
  const names = new Set(bom.components.map(({ name }) => name));
  for (const tool of ['typescript', '@biomejs/biome', 'fast-check', 'node', 'vite'])
    assert.ok(!names.has(tool), tool);
  for (const { ref, dependsOn } of bom.dependencies)
    for (const on of dependsOn) assert.ok(parts.has(on), `${ref} depends on ${on}, which is not listed`);
});
