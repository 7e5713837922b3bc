/** The command line itself: help, exit codes, configuration. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, tidemark } from './process.ts';

test('L1 --version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(await tidemark(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

const commands = [
  [],
  ['serve'],
  ['integration'],
  ['integration', 'create'],
  ['integration', 'list'],
  ['integration', 'grant'],
  ['integration', 'revoke'],
  ['integration', 'delete'],
  ['credential', 'create'],
  ['credential', 'list'],
  ['credential', 'revoke'],
  ['import', 'csv'],
  ['config', 'print'],
  ['config', 'check'],
  ['key', 'rotate'],
];

test('L1 every command has help that names the exit codes', async () => {
  for (const command of commands) {
    const { code, stdout, stderr } = await tidemark([...command, '--help']);
    assert.deepEqual([code, stderr], [0, ''], command.join(' '));
    assert.ok(stdout.startsWith(`Usage: ${['tidemark', ...command].join(' ')}`), command.join(' '));
    assert.match(stdout, /Exit codes: 0 success, 1 failure, 2 incorrect usage/);
  }
});

test('L1 the help of a command has each flag with its default and environment variable', async () => {
  const { stdout } = await tidemark(['serve', '--help']);
  const text = stdout.replace(/\s+/g, ' ');
  assert.match(
    text,
    /--port <PORT> TCP port to listen on; 0 uses a free one \(default: 8080, env: TIDEMARK_PORT\)/,
  );
  assert.match(text, /--log-level <WORD>.*debug \| info \| warn \| error \| silent/);
  assert.match(text, /--config <FILE>/);
});

const wrong: [string[], RegExp, Record<string, string>?][] = [
  [['srve'], /unknown command 'srve' \(Did you mean serve\?\)/],
  [['serve', '--prot', '1'], /unknown option '--prot' \(Did you mean --port\?\)/],
  [['serve', '--port'], /argument missing/],
  [['serve', '--port', '99999'], /--port must be a whole number from 0 to 65535, got "99999"/],
  [['serve', 'x'], /too many arguments/],
  [['serve'], /TIDEMARK_LOG_LEVEL must be one of/, { TIDEMARK_LOG_LEVEL: 'loud' }],
  [
    ['serve'],
    /unknown setting "TIDEMARK_DATE" in the environment; did you mean "TIDEMARK_DATA"\?/,
    { TIDEMARK_DATE: 'x' },
  ],
  [['serve', '--config', '/nowhere.json'], /configuration file \/nowhere.json: no such file/],
  [['integration', 'create'], /missing required argument 'name'/],
  [['integration', 'create', 'a', '--grant', 'root'], /must be one of admin service, got "root"/],
  [['integration', 'create', 'a', '--type', 'magic'], /Allowed choices are client-credentials, basic-auth/],
  [['credential', 'create', 'x', '--expires', 'soon'], /--expires: must be an RFC 3339 timestamp/],
  [['import', 'csv', 'x.csv'], /no target: use --credentials FILE or --integration ID/],
  [
    ['import', 'csv', 'x', '--integration', 'a', '--credentials', 'b'],
    /--credentials and --integration cannot be used together/,
  ],
  [['import', 'csv', 'x.csv', '--map', 'a'], /--map must be COLUMN=KEY, got "a"/],
];

for (const [args, message, env] of wrong) {
  test(`L1 wrong usage ends with code 2 and one line: ${args.join(' ')} ${env ? Object.keys(env) : ''}`, async () => {
    const { code, stdout, stderr } = await tidemark(args, { env });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.match(stderr, /^tidemark: .*\n$/);
  });
}

test('L1 help of a command in a group is that of the command', async () => {
  const { code, stdout } = await tidemark(['help', 'import', 'csv']);
  assert.deepEqual([code, stdout], [0, (await tidemark(['import', 'csv', '--help'])).stdout]);
  assert.match(stdout, /^Usage: tidemark import csv /);
  assert.match((await tidemark(['help', 'import'])).stdout, /^Usage: tidemark import /);
  assert.match((await tidemark(['help'])).stdout, /^Usage: tidemark \[options\]/);
});

test('L1 without a command the help is shown and the code is 2', async () => {
  const { code, stderr } = await tidemark([]);
  assert.equal(code, 2);
  assert.match(stderr, /^Usage: tidemark/);
});

test('L1 with --json an error is JSON too', async () => {
  const { code, stderr } = await tidemark(['config', 'check', '--json'], { env: { TIDEMARK_PORT: 'x' } });
  assert.equal(code, 2);
  assert.match(JSON.parse(stderr).error.message, /TIDEMARK_PORT must be/);
});

test('L1 config print shows every setting and limit with value, default, origin and reason', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'tidemark.json');
  await writeFile(path, JSON.stringify({ port: 9000, limits: { batchCallsMax: 9 } }));
  const args = ['config', 'print', '--config', path, '--host', '::1', '--limit', 'selectLimitMax=10'];
  const { code, stdout } = await tidemark([...args, '--json'], { env: { TIDEMARK_LOG_LEVEL: 'warn' } });
  assert.equal(code, 0);
  const { settings, limits } = JSON.parse(stdout);
  const find = (name: string) => [...settings, ...limits].find((entry) => entry.name === name);
  assert.deepEqual(
    ['host', 'port', 'logLevel', 'demo', 'limits.batchCallsMax', 'limits.selectLimitMax'].map((name) => [
      find(name).value,
      find(name).origin,
    ]),
    [
      ['::1', 'flag'],
      [9000, 'file'],
      ['warn', 'environment'],
      [false, 'default'],
      [9, 'file'],
      [10, 'flag'],
    ],
  );
  assert.equal(find('limits.batchCallsMax').default, 50);
  assert.match(find('limits.batchCallsMax').reason, /W3/);
  const table = await tidemark(args);
  assert.match(table.stdout, /^NAME +VALUE +DEFAULT +ORIGIN +RELOAD +REASON\n/);
  assert.match(table.stdout, /^limits\.batchCallsMax +9 +50 +file +yes +\[count\] W3/m);
});

test('L1 config check accepts what is right and refuses what is wrong, in a file named by the environment too', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'tidemark.json');
  const check = () => tidemark(['config', 'check'], { env: { TIDEMARK_CONFIG: path } });
  await writeFile(path, JSON.stringify({ baseUrl: 'https://signals.example.com' }));
  assert.equal((await check()).code, 0);
  await writeFile(path, JSON.stringify({ limits: { batchCalsMax: 9 } }));
  const { code, stderr } = await check();
  assert.equal(code, 2);
  assert.match(stderr, /unknown setting "batchCalsMax" in "limits" in .*; did you mean "batchCallsMax"\?/);
  await writeFile(path, '{"port": 1,}');
  assert.match((await check()).stderr, /cannot read the configuration file .*JSON/);
});

test('L1 on a Node.js that is too old, the message names the required version', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '12.22.1' } })`;
  const { code, stdout, stderr } = await tidemark(['--version'], {
    nodeOptions: ['--import', `data:text/javascript,${encodeURIComponent(old)}`],
  });
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^tidemark: needs Node.js 24 or newer, this is 12\.22\.1\. .*npm start.*\n$/);
});
