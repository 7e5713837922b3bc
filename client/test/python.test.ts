/** The Python client: pip installs it without a network, its own tests pass, and its writer loses nothing. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory, until } from '../../server/test/cli/process.ts';
import { findTool } from '../../server/test/support/machine-tools.ts';
import { FileQueue } from '../src/file-queue.ts';
import { PointGatherer } from '../src/points.ts';
import { open, type Rig } from './rig.ts';

const run = promisify(execFile);
const source = fileURLToPath(new URL('../../clients/python', import.meta.url));
const msMax = 60_000;

/** Runs Python with the package installed; null where a tool is missing on this machine. */
async function install(t: TestContext) {
  // The packages of the system belong to its own interpreter.
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : findTool(t, 'python3');
  if (python === null) return null;
  const missing = await run(python, ['-c', 'import pip, pandas']).then(
    () => null,
    (error: Error) => error.message,
  );
  if (missing !== null) {
    assert.notEqual(process.env.MACHINE_TOOLS, 'required', missing);
    t.skip('python3-pip or python3-pandas is not installed on this machine');
    return null;
  }
  const directory = await temporaryDirectory(t);
  // Building leaves files next to the sources.
  await cp(source, join(directory, 'source'), { recursive: true });
  const target = join(directory, 'installed');
  const options = ['--no-index', '--disable-pip-version-check', '--quiet'];
  await run(python, ['-m', 'pip', 'install', ...options, '--target', target, join(directory, 'source')]);
  const env = { ...process.env, PYTHONPATH: target, PYTHONDONTWRITEBYTECODE: '1' };
  return { python, env, target };
}

async function credentialsOf(rig: Rig, name = 'python.json'): Promise<string> {
  const path = join(rig.directory, name);
  await writeFile(path, JSON.stringify(rig.credentials));
  return path;
}

test('L2 the Python client installs without a network, and passes its tests with a service of small limits', {
  timeout: 240_000,
}, async (t) => {
  const installed = await install(t);
  if (installed === null) return;
  const { python, env } = installed;
  const rig = await open(t);
  const token = join(rig.directory, 'token.json');
  const create = ['credential', 'create', rig.credentials.integration, '--type', 'client-credentials'];
  await rig.run([...create, '--credentials', token]);
  const limits = ['windowDaysMax=2', 'windowMinuteDaysMax=5', 'windowDayDaysMax=9'].flatMap((limit) => [
    '--limit',
    limit,
  ]);
  const service = await rig.start(limits);
  const file = JSON.parse(await readFile(token, 'utf8'));
  await writeFile(token, JSON.stringify({ ...file, apiUrl: `${service.url}/v1/` }));
  const CREDENTIALS = await credentialsOf(rig);
  const options = { cwd: source, env: { ...env, CREDENTIALS, TOKEN_CREDENTIALS: token } };
  const { stderr } = await run(
    python,
    ['-m', 'unittest', 'discover', '-v', '-t', '.', '-s', 'tests'],
    options,
  );
  assert.match(stderr, /\nOK\n$/);
});

test('the example in the README of the Python client prints what it says', {
  timeout: 120_000,
}, async (t) => {
  const installed = await install(t);
  if (installed === null) return;
  const rig = await open(t);
  await rig.start();
  await credentialsOf(rig, 'credentials.json');
  const readme = await readFile(join(source, 'README.md'), 'utf8');
  const [, program] = /```python\n(.*?)```/s.exec(readme)!;
  const [, output] = /```text\n(.*?)```/s.exec(readme)!;
  const { stdout } = await run(installed.python, ['-c', program], { cwd: rig.directory, env: installed.env });
  assert.equal(stdout, output);
});

test('what a Python program has stored survives its kill -9 and that of the service, and so does a queue of TypeScript', {
  timeout: 240_000,
}, async (t) => {
  const installed = await install(t);
  if (installed === null) return;
  const { python, env } = installed;
  const rig = await open(t);
  let service = await rig.start();
  const credentials = await credentialsOf(rig);
  const directory = join(rig.directory, 'queue');
  let last = -1;
  for (let round = 0; round < 2; round++) {
    const program = spawn(
      python,
      [join(source, 'tests/write_always.py'), credentials, directory, String(last + 1)],
      {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    t.after(() => program.kill('SIGKILL'));
    const closed = once(program, 'close');
    let output = '';
    program.stdout.on('data', (chunk) => (output += chunk));
    const stored = () => Number(output.trimEnd().split('\n').at(-1) || -1);
    const first = last;
    assert.ok(await until(() => stored() > first + 200, msMax), 'nothing is stored');
    await service.stop('SIGKILL');
    const before = stored();
    assert.ok(
      await until(() => stored() > before + 200, msMax),
      'nothing is stored while the service is away',
    );
    program.kill('SIGKILL');
    await closed;
    last = stored();
    service = await rig.start();
  }
  const queue = new FileQueue({ directory });
  await queue.open();
  const gatherer = new PointGatherer();
  gatherer.add('number', last + 1, last + 1);
  gatherer.add('number', 0.5, 3_000_000_000);
  await queue.append(gatherer.take());
  await queue.close();
  await run(python, [join(source, 'tests/send_queue.py'), credentials, directory], { env });
  // What was stored after the last number that was printed may be there too.
  assert.deepEqual(await rig.numbers(last + 2), { count: last + 2, sum: ((last + 1) * (last + 2)) / 2 });
  const { count, sum } = await rig.numbers();
  assert.ok(sum % 1 === 0.5 && count > last + 2, `${count} points, sum ${sum}`);
});
