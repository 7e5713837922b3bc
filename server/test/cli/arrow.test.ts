/** `tidemark call --arrow`: data frames as Arrow streams, from files and into them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { doubles, readStream, streamOf, timeVector } from '../support/arrow.ts';
import { bin, serve, temporaryDirectory, tidemark } from './process.ts';

const atUs = Date.parse('2026-03-01T10:00:00Z') * 1000;
const stream = streamOf({
  time: timeVector([atUs, atUs + 1, atUs + 3600e6]),
  'pump/pressure': doubles([4, null, 5.5]),
});

test('W5b, W5e a stream is inserted, and the frame of an answer is written as one', async (t) => {
  const cwd = await temporaryDirectory(t);
  const data = join(cwd, 'data');
  await serve(t, data);
  const credentials = join(cwd, 'credentials.json');
  const grants = ['--grant', 'admin', '--grant', 'service'];
  await tidemark(['integration', 'create', 'arrow', ...grants, '--data', data, '--credentials', credentials]);
  const env = { XDG_CACHE_HOME: cwd, TIDEMARK_CREDENTIALS: credentials };
  const call = (...args: string[]) => tidemark(['call', '--api-version', '1.2', ...args], { env, cwd });
  /** Calls with bytes as standard input; its standard output as bytes. */
  const pipe = (input: Uint8Array, ...args: string[]) =>
    new Promise<Buffer>((resolve, reject) => {
      const options = { env: { ...process.env, ...env }, cwd, encoding: 'buffer' } as const;
      const child = execFile(process.execPath, [bin, 'call', ...args], options, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
      child.stdin?.end(input);
    });

  await writeFile(join(cwd, 'in.arrows'), stream);
  const inserted = await call('integration.insert', '--arrow', 'in.arrows');
  assert.deepEqual([inserted.code, inserted.stderr], [0, '']);
  const { id } = JSON.parse(inserted.stdout).signalsByInput['pump/pressure'];
  const again = await pipe(stream, 'INTEGRATION.insert', '--arrow', '-');
  assert.equal(JSON.parse(again.toString()).signalsByInput['pump/pressure'].created, false);

  await call('admin.publishSignals', JSON.stringify({ itemsBySignal: { [id]: { visible: true } } }));
  const window = { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } };
  const question = ['service.dataFrame', JSON.stringify({ data: { filter: window } })];
  const read = await call(...question, '--arrow', 'out.arrows');
  assert.deepEqual([read.code, read.stderr, read.stdout], [0, '', '']);
  const written = await readFile(join(cwd, 'out.arrows'));
  assert.deepEqual(Object.values(readStream(written).series), [[4, 5.5]]);
  assert.deepEqual(await pipe(Buffer.alloc(0), ...question, '--arrow', '-'), written);

  for (const [args, code, words] of [
    [['integration.insert', '--arrow', 'none.arrows'], 2, '--arrow: cannot read none.arrows: no such file'],
    [
      ['integration.insert', '{"data":{}}', '--arrow', 'in.arrows'],
      2,
      '--arrow: FILE is the data; leave "data" out of PARAMS',
    ],
    [
      ['integration.insert', '-', '--arrow', '-'],
      2,
      '--arrow: PARAMS and the stream cannot both come from standard input; name a file',
    ],
    [
      ['integration.insert', '--arrow', 'credentials.json'],
      1,
      'the service refused: Invalid params; data: is not an Arrow stream',
    ],
    [
      ['service.selectItems', '--arrow', 'items.arrows'],
      1,
      'the result has no data frame that can be an Arrow stream',
    ],
    [[...question, '--arrow', 'none/out.arrows'], 1, '--arrow: cannot write none/out.arrows: '],
  ] as const) {
    const failed = await call(...args);
    assert.equal(failed.code, code, failed.stderr);
    assert.ok(failed.stderr.startsWith(`tidemark: ${words}`), failed.stderr);
  }
  assert.ok(!(await readdir(cwd)).includes('items.arrows'));
});
