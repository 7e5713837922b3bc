/**
 * Prints the bill of materials of what is delivered, CycloneDX JSON: the packages that the service runs on, and those in
 * the console's bundle. `npm sbom --omit dev` alone would leave out each package that some developers' tool needs as well.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const top = new URL('../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', top), 'utf8'));
// The MCP server is installed by those who want it, from a clone.
const workspaces = ['server', 'client', 'console'];

/** Everything that the workspaces' dependencies lead to, by Node's own rule: the nearest node_modules folder wins. */
function reach(folder, found) {
  const { dependencies, optionalDependencies } = packages[folder];
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const path = nearest(folder, name);
    if (path === null || found.has(path)) continue;
    found.add(path);
    reach(path, found);
  }
  return found;
}

function nearest(folder, name) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in packages) return packages[path].link ? null : path;
    if (at === '') return null;
  }
}

/** `name@version` of what the workspaces that are delivered run on. */
const delivered = new Set(
  workspaces
    .flatMap((workspace) => [...reach(workspace, new Set())])
    .map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${packages[path].version}`),
);

const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const text = execFileSync('npm', args, { cwd: fileURLToPath(top), encoding: 'utf8', maxBuffer: 1 << 26 });
const bom = JSON.parse(text);
const isDelivered = (ref) => delivered.has(ref);
const isOurs = (ref) => workspaces.some((name) => ref.startsWith(`${packages[name].name}@`));
const root = bom.metadata.component['bom-ref'];
bom.metadata.component = { ...bom.metadata.component, name: 'tidemark', type: 'application' };
bom.components = bom.components.filter((part) => isDelivered(part['bom-ref']) || isOurs(part['bom-ref']));
const kept = new Set([root, ...bom.components.map((part) => part['bom-ref'])]);
bom.dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => kept.has(on)) }));
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
