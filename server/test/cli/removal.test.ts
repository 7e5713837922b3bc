/** Removing integrations, credentials, people and plans: counts before, a question at a terminal, nothing without consent. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findTool } from '../support/machine-tools.ts';
import { bin, temporaryDirectory, tidemark } from './process.ts';

interface Rig {
  data: string;
  integration: string;
  credential: string;
}

/** A data directory with an integration that has two signals, a person and a plan. */
async function open(t: TestContext): Promise<Rig> {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const run = async (args: string[], input?: string) => {
    const { code, stdout, stderr } = await tidemark([...args, '--data', data], { input });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const path = join(directory, 'c.json');
  const { integration, credential } = JSON.parse(
    await run(['integration', 'create', 'press', '--credentials', path, '--json']),
  );
  await writeFile(join(directory, 'x.csv'), 'time,a,b\n2024-01-01,1,2\n');
  await run(['import', 'csv', join(directory, 'x.csv'), '--integration', integration]);
  await run(['people', 'create', 'Vic', '--password-file', '-'], 'a long enough password');
  await run(['plan', 'create', 'small']);
  await writeFile(join(directory, 'rule.json'), JSON.stringify({ name: 'all', item: {} }));
  await run(['rule', 'save', join(directory, 'rule.json')]);
  return { data, integration, credential };
}

const removals: [string, (rig: Rig) => string[], RegExp][] = [
  [
    'integration',
    ({ integration }) => ['integration', 'delete', integration],
    /integration "press" \([a-v0-9]{20}\) with 2 signals, their points, and [01] credentials?/,
  ],
  [
    'credential',
    ({ credential }) => ['credential', 'revoke', credential],
    /the credential [a-v0-9]{20} of integration [a-v0-9]{20}, never used/,
  ],
  ['person', () => ['people', 'delete', 'Vic'], /the person Vic \(viewer\) and their sessions/],
  ['rule', () => ['rule', 'delete', 'all'], /the publishing rule all; the items that it made stay/],
  ['plan', () => ['plan', 'delete', 'small'], /the plan small, to which 0 integrations are assigned/],
];

test('--dry-run prints what would be removed and changes nothing', async (t) => {
  const rig = await open(t);
  for (const [name, args, text] of removals) {
    for (let i = 0; i < 2; i++) {
      const { code, stdout, stderr } = await tidemark([...args(rig), '--data', rig.data, '--dry-run']);
      assert.equal(code, 0, `${name}: ${stderr}`);
      assert.match(stdout, new RegExp(`^would remove ${text.source}\n$`));
    }
  }
  const { stdout } = await tidemark([
    'integration',
    'delete',
    rig.integration,
    '--data',
    rig.data,
    '--dry-run',
    '--json',
  ]);
  assert.deepEqual(JSON.parse(stdout), {
    dryRun: true,
    integration: rig.integration,
    name: 'press',
    signals: 2,
    credentials: 1,
  });
  const unknown = await tidemark(['plan', 'delete', 'smal', '--data', rig.data, '--dry-run']);
  assert.deepEqual([unknown.code, unknown.stderr], [2, 'tidemark: unknown plan "smal"\n']);
});

/** Runs the command on a terminal, types an answer when it asks; what the terminal showed, and the exit code. */
function onTerminal(
  python: string,
  args: string[],
  answer: string,
): Promise<{ code: number; shown: string }> {
  const script = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown = b''
while True:
    try: part = os.read(fd, 4096)
    except OSError: break
    if not part: break
    if b'[y/N]' in part: os.write(fd, sys.argv[1].encode())
    shown += part
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
  return new Promise((resolve) => {
    const child = execFile(
      python,
      ['-c', script, answer, process.execPath, bin, ...args],
      { timeout: 60_000 },
      (_, shown) => resolve({ code: child.exitCode ?? -1, shown }),
    );
  });
}

test('at a terminal a removal is asked for, and only "yes" removes', async (t) => {
  const python = findTool(t, 'python3');
  if (python === null) return;
  const rig = await open(t);
  const [, args, text] = removals[0];
  const all = [...args(rig), '--data', rig.data];
  for (const answer of ['\n', 'n\n', '\u0004']) {
    const { code, shown } = await onTerminal(python, all, answer);
    assert.equal(code, 1, shown);
    assert.match(shown, new RegExp(`This removes ${text.source}`));
    assert.match(shown, /not confirmed; nothing was changed/);
  }
  assert.equal((await onTerminal(python, all, 'y\n')).code, 0);
  const { stdout } = await tidemark(['integration', 'list', '--data', rig.data, '--json']);
  assert.deepEqual(JSON.parse(stdout), []);
  const person = await onTerminal(python, ['people', 'delete', 'Vic', '--data', rig.data, '--yes'], '');
  assert.deepEqual([person.code, person.shown], [0, 'deleted Vic\r\n']);
});

test('without a terminal nothing is removed but with --yes', async (t) => {
  const rig = await open(t);
  for (const [name, args, text] of [...removals.slice(1), removals[0]]) {
    const all = [...args(rig), '--data', rig.data];
    const unconfirmed = await tidemark(all);
    assert.equal(unconfirmed.code, 2, name);
    const words = new RegExp(`^tidemark: this would remove ${text.source}, which cannot .* with --yes\\n`);
    assert.match(unconfirmed.stderr, words);
    const { code, stderr } = await tidemark([...all, '--yes']);
    assert.equal(code, 0, `${name}: ${stderr}`);
  }
});

test('a credentials file that is made before the service has run says whose address it names', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const create = ['integration', 'create', 'early', '--data', data];
  assert.match(
    (await tidemark(create)).stderr,
    /^tidemark: the service has not run .*http:\/\/127\.0\.0\.1:8080\/v1\/; use --base-url/,
  );
  assert.equal((await tidemark([...create, '--base-url', 'https://signals.example.com'])).stderr, '');
});
