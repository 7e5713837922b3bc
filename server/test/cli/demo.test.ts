/** `npm start`: a demo that prints a first call which works unchanged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readCredentials, serve, temporaryDirectory, until } from './process.ts';

/** The printed call as `fetch` takes it, read as a shell would. */
function readCurl(text: string): { url: string; user: string; body: string } {
  const found =
    /curl -sS '([^']+)' \\\n {2}-u '([^']+)' \\\n {2}-H 'Content-Type: application\/json' \\\n {2}-d '([^']+)'\n/.exec(
      text,
    );
  assert.ok(found !== null, text);
  const [, url, user, body] = found;
  return { url, user, body };
}

interface Frame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

function assertDays({ times, series }: Frame): void {
  assert.ok(times.length >= 7 && times.length <= 8);
  assert.deepEqual(Object.keys(series), ['flow', 'power', 'kwh_per_m3']);
  // Late in the evening the first day has a few minutes, in which the pump may stand still: there is no energy for each m³ then.
  for (const values of Object.values(series))
    assert.ok(values.slice(1).every((value) => Number.isFinite(value)));
}

test('Q11 the demo prints a call that returns data unchanged', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const { url, output, stop } = await serve(t, data, ['--demo']);
  // Lines of the log may follow it.
  const command = () => /^curl .*?'\n\n/ms.exec(output.stdout)?.[0];
  assert.ok(await until(() => command() !== undefined, 20_000));
  assert.match(output.stdout, new RegExp(`at ${url}\n`));
  const curl = readCurl(command()!);
  const response = await fetch(curl.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(curl.user)}` },
    body: curl.body,
  });
  const { result } = (await response.json()) as { result: { data: Frame } };
  assertDays(result.data);
  await assertRunsInShell(command()!);
  assert.equal(await stop(), 0);
});

/** Where the machine has curl, the text itself is run. */
async function assertRunsInShell(text: string): Promise<void> {
  const run = promisify(execFile);
  const hasCurl = await run('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasCurl) return;
  const { stdout } = await run('sh', ['-c', text]);
  assertDays(JSON.parse(stdout).result.data);
}

test('A4 the demo writes its credentials for their owner only, with every grant', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const { url, output } = await serve(t, data, ['--demo']);
  assert.ok(await until(() => output.stdout.includes('Credentials'), 20_000));
  const path = join(data, 'demo-credentials.json');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok(output.stdout.includes(path));
  const { apiUrl, credentials } = await readCredentials(path);
  assert.equal(apiUrl, `${url}/v1/`);
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Basic ${btoa(`${credentials.clientId}:${credentials.clientSecret}`)}`,
  };
  for (const method of ['service.selectItems', 'admin.selectSignals']) {
    const params = method.startsWith('admin') ? { integration: credentials.clientId } : { query: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(`${apiUrl}rpc`, { method: 'POST', headers, body });
    const { result } = (await response.json()) as { result: { data: unknown[] } };
    assert.equal(Object.keys(result.data).length, 7, method);
  }
});

test('A4 a directory that is in use is served as it is', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const first = await serve(t, data, ['--demo']);
  assert.ok(await until(() => first.output.stdout.includes("-d '"), 20_000));
  assert.equal(await first.stop(), 0);
  const before = await readCredentials(join(data, 'demo-credentials.json'));
  const second = await serve(t, data, ['--demo']);
  assert.ok(
    await until(() => second.output.stdout.includes(`in its data directory at ${second.url}\n`), 20_000),
  );
  assert.ok(!second.output.stdout.includes('curl'));
  const after = await readCredentials(join(data, 'demo-credentials.json'));
  assert.deepEqual(after, { ...before, apiUrl: `${second.url}/v1/` });
});
