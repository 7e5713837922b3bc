/** Every command of a document is run by a test, or listed with the reason why not; every explained message exists. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSteps } from '../support/console-blocks.ts';
import { elsewhere } from './elsewhere.ts';

const top = fileURLToPath(new URL('../../../', import.meta.url));

async function readBelow(folder: string, ending: string): Promise<Map<string, string>> {
  const names = await readdir(join(top, folder), { recursive: true });
  const paths = names.filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(top, path), 'utf8')] as const)),
  );
}

const pages = await readBelow('docs', '.md');

test('each command in a sh block of docs/ is listed with the place of its test, or the reason for none', () => {
  const used = new Set<string>();
  for (const [path, text] of pages) {
    for (const [, block] of text.matchAll(/^```sh\n(.*?)^```/gms)) {
      for (const line of block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) {
        const entry = [...elsewhere.keys()].find((start) => line.startsWith(start));
        assert.ok(
          entry,
          `${path}: "${line}" is not carried out by a test: make its block a console block, or list it`,
        );
        used.add(entry);
      }
    }
  }
  assert.deepEqual(
    [...elsewhere.keys()].filter((start) => !used.has(start)),
    [],
  );
});

test('each page with console blocks is carried out by pages.test.ts', async () => {
  const tests = await readFile(join(top, 'server/test/docs/pages.test.ts'), 'utf8');
  for (const [path, text] of pages) {
    if (readSteps(text).length > 0) assert.ok(tests.includes(`'${path.replace('docs/', '')}'`), path);
  }
});

/** The literal parts of a message between what differs each time. */
function partsOf(message: string): string[] {
  return message
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part.length > 3);
}

/** Source text with its line breaks inside messages taken out. */
function flatten(source: string): string {
  return source.replace(/['`] \+\s*['`]/g, '').replace(/\$\{[^}]*\}/g, '…');
}

test('each message that troubleshooting.md explains is in the program, word by word', async () => {
  const sources = [
    ...(await readBelow('server/src', '.ts')).values(),
    await readFile(join(top, 'server/bin/tidemark.js'), 'utf8'),
    await readFile(join(top, 'check-node.cjs'), 'utf8'),
  ];
  const library = ["unknown option '", "unknown command '"];
  const whole = [...sources, ...library].map(flatten).join('\n');
  const text = pages.get('docs/troubleshooting.md')!;
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  assert.ok(rows.length > 20);
  for (const row of rows) {
    for (const [, message] of row.split(' | ')[0].matchAll(/`([^`]+)`/g)) {
      for (const part of partsOf(message))
        assert.ok(whole.includes(part), `no message has "${part}" (${message})`);
    }
  }
});
