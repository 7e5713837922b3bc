/** The check of the Node that installs: what package.json asks of npm, and what an npm that does not know that runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../..');
const path = join(root, 'check-node.cjs');
const script = await readFile(path, 'utf8');

/** What the script does under an npm that runs on this version of Node. */
function check(version: string): { code: number | null; text: string } {
  const env = {
    ...process.env,
    npm_config_user_agent: `npm/9.9.4 node/v${version} linux x64 workspaces/false`,
  };
  const { status, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8', env });
  return { code: status, text: stderr };
}

for (const version of ['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.0.0', '26.10.0'])
  test(`Node ${version} may install`, () => assert.deepEqual(check(version), { code: 0, text: '' }));

for (const version of ['8.17.0', '18.20.8', '20.18.3', '21.7.0', '22.11.0'])
  test(`Node ${version} may not install, and one line says so`, () => {
    const { code, text } = check(version);
    assert.equal(code, 1);
    assert.match(
      text,
      /^tidemark: installing needs Node\.js 20\.19, 22\.12 or newer, and this is [\d.]+: .*npx -p node@26.*\n$/,
    );
  });

test('the script has no syntax that an old Node does not know', () => {
  assert.doesNotMatch(script, /=>|`|\b(const|let|class|import)\b|\?\./);
});

test('npm is asked for the same', async () => {
  const { engines, devEngines, scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  assert.equal(engines.node, '^20.19.0 || >=22.12.0');
  assert.deepEqual([devEngines.runtime.version, devEngines.runtime.onFail], [engines.node, 'error']);
  assert.equal(scripts.preinstall, 'node check-node.cjs');
});
