/** Each page for operators, carried out from its first command to its last against a service of its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bin } from '../cli/process.ts';
import { Console, readSteps } from '../support/console-blocks.ts';
import { endSupervised, putSupervisor } from './supervisor.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));

const pages = [
  'mcp.md',
  'tutorial.md',
  'install.md',
  'import.md',
  'import-export.md',
  'arrow.md',
  'connect/grafana.md',
  'connect/node-red.md',
  'upgrade.md',
  'limits.md',
  'backup.md',
  'operate/data.md',
  'tls.md',
  'plans-and-usage.md',
  'publishing-rules.md',
  'audit.md',
  'troubleshooting.md',
];

/** The service has to come back at the same port when a page starts it again. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address!.port : 0);
}

for (const page of pages) {
  test(`the commands of docs/${page} do what it says`, async (t) => {
    const cwd = await mkdtemp(join(tmpdir(), 'tidemark-docs-'));
    t.after(async () => {
      await endSupervised(cwd);
      await rm(cwd, { recursive: true, force: true });
    });
    await symlink(docs, join(cwd, 'docs'));
    await putSupervisor(cwd);
    const env = { TIDEMARK_DATA: join(cwd, 'data'), TIDEMARK_PORT: await freePort() };
    const here = new Map([['http://127.0.0.1:8080', `http://127.0.0.1:${env.TIDEMARK_PORT}`]]);
    const terminal = await Console.open({ cwd, bin, env, here });
    await terminal.run({ command: 'systemctl start tidemark', output: '', fails: false });
    const steps = readSteps(await readFile(join(docs, page), 'utf8'));
    assert.ok(steps.length > 0);
    for (const step of steps) await terminal.run(step);
  });
}
