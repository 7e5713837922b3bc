/**
 * Prints the bill of materials of what is delivered, CycloneDX JSON: the packages that the service runs on, and those in
 * the console's bundle. `npm sbom --omit dev` alone would leave out each package that some developers' tool needs as well.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const top = new URL('../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', top), 'utf8'));
const workspaces = ['server', 'client', 'console'];

/** `name@version` of what is installed without developers' tools. */
const delivered = new Set(
  Object.entries(packages)
    .filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.devOptional && !entry.link,
    )
    .map(([path, entry]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${entry.version}`),
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
