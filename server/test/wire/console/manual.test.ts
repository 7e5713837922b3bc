/** The manual over HTTP: below the prefix of the service, under a strict policy, and complete. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

const built = fileURLToPath(new URL('../../../../manual/dist/', import.meta.url));
const spec = fileURLToPath(new URL('../../../../spec/rpc/', import.meta.url));

let directory: string;
let service: ServiceUnderTest;
let without: ServiceUnderTest;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-manual-'));
  await mkdir(join(directory, 'assets'));
  await writeFile(
    join(directory, 'index.html'),
    '<script type="module" src="/manual-base/docs/assets/app.js"></script>',
  );
  await writeFile(join(directory, 'assets', 'app.js'), "export const base = '/manual-base/docs/';");
  service = await startService({ manualDirectory: directory, baseUrl: 'http://tidemark.test/plant' });
  without = await startService();
});
after(async () => {
  await service.close();
  await without.close();
  await rm(directory, { recursive: true });
});

test('A5f the manual is served below the prefix, which its files name, under a policy without inline code', async () => {
  const page = await fetch(`${service.url}/plant/docs/`);
  assert.equal(await page.text(), '<script type="module" src="/plant/docs/assets/app.js"></script>');
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe/);
  const script = await fetch(`${service.url}/plant/docs/assets/app.js`);
  assert.equal(await script.text(), "export const base = '/plant/docs/';");
  assert.match(script.headers.get('cache-control') ?? '', /immutable/);
  const bare = await fetch(`${service.url}/plant/docs`, { redirect: 'manual' });
  assert.deepEqual([bare.status, bare.headers.get('location')], [308, '/plant/docs/']);
});

test('a page that the manual lacks is not found; a manual that was not built says how to build it', async () => {
  assert.equal((await fetch(`${service.url}/docs/no-such-page.html`)).status, 404);
  const missing = await fetch(`${without.url}/docs/`);
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /npm run docs/);
});

test('W9 the built manual has every method of every version with an example', async () => {
  for (const version of ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2']) {
    const page = await readFile(join(built, `reference/api-${version}.html`), 'utf8');
    const { methods } = JSON.parse(await readFile(join(spec, `openrpc-${version}.json`), 'utf8'));
    const examples = JSON.parse(await readFile(join(spec, 'examples.json'), 'utf8'));
    for (const { name } of methods as { name: string }[]) {
      if (name.startsWith('console.')) continue;
      assert.ok(page.includes(`id="${name.replaceAll('.', '').toLowerCase()}"`), `${version} ${name}`);
      if (!name.startsWith('rpc.')) assert.ok(`${version} ${name}` in examples, name);
    }
  }
});

test('A5f the built manual has neither scripts nor styles inside of its pages', async () => {
  for (const name of ['index.html', 'concepts.html', 'reference/functions.html', 'reference/commands.html']) {
    const html = await readFile(join(built, name), 'utf8');
    assert.doesNotMatch(html, /<script[^>]*>[^<]|<style| style="| on[a-z]+="/, name);
    assert.doesNotMatch(html, /(src|href)="https?:\/\/[^"]*\.(js|css|woff2?)"/, name);
  }
});

test('F3 the built manual draws every formula function', async () => {
  const html = await readFile(join(built, 'reference/functions.html'), 'utf8');
  const { functions } = JSON.parse(
    await readFile(
      new URL('../../../../console/src/features/formula/functions.json', import.meta.url),
      'utf8',
    ),
  );
  assert.equal(html.match(/<figure class="chart">/g)?.length, functions.length);
});
