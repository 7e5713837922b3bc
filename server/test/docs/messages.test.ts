/** Troubleshooting by message: what the service warns of, and why commands give up, can be looked up. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const source = join(top, 'server/src');

/** A message, with … for what is put in. */
interface Message {
  text: string;
  path: string;
}

const patterns = [
  // Warnings and errors of the log.
  /\blog\.(?:warn|error)\(\s*(?<quote>['`])(?<text>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>/g,
  // Why a command could not do its work.
  /\bnew CommandError\(\s*(?<quote>['`])(?<text>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>/g,
];

async function messages(): Promise<Message[]> {
  const paths = (await readdir(source, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const found = await Promise.all(
    paths.map(async (path) => messagesIn(path, await readFile(join(source, path), 'utf8'))),
  );
  return found.flat();
}

function messagesIn(path: string, code: string): Message[] {
  const matches = patterns.flatMap((pattern) => [...code.matchAll(pattern)]);
  return matches.map(({ groups }) => ({
    path,
    text: groups!.text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'),
  }));
}

/** Whether a line contains all texts between the … of a message, in order. */
function isIn(line: string, text: string): boolean {
  let at = 0;
  for (const part of text.split('…').filter((part) => part.trim().length > 3)) {
    at = line.indexOf(part, at);
    if (at < 0) return false;
  }
  return true;
}

test('every warning of the log and every reason of a command is on the page', async () => {
  const page = await readFile(join(top, 'docs/troubleshooting.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const all = await messages();
  assert.ok(all.length > 30, `only ${all.length} messages were found`);
  const missing = all.filter(({ text }) => !rows.some((row) => isIn(row, text)));
  assert.deepEqual(missing, []);
});

/** The names of acts: `noun.verb` in a line that has to do with acts. */
function actionsIn(code: string): string[] {
  const lines = code.split('\n').filter((line) => /act\b|action/i.test(line));
  return lines.flatMap((line) => [...line.matchAll(/'([a-z]+\.[a-z]+)'/g)].map(([, name]) => name));
}

test('every act that the audit has rows of is on its page', async () => {
  const page = await readFile(join(top, 'docs/audit.md'), 'utf8');
  const isNamed = (name: string) => {
    const [noun, verb] = name.split('.');
    const rows = page
      .split('\n')
      .filter((line) => line.startsWith(`| \`${noun}.`) || line.includes(`\`${name}\``));
    return rows.some((row) => row.includes(`\`${name}\``) || row.includes(`\`.${verb}\``));
  };
  const found = new Set<string>();
  for (const folder of ['domain', 'cli'])
    for (const path of await readdir(join(source, folder), { recursive: true }))
      if (path.endsWith('.ts'))
        for (const name of actionsIn(await readFile(join(source, folder, path), 'utf8'))) found.add(name);
  assert.ok(found.size > 20, [...found].join(' '));
  assert.deepEqual(
    [...found].filter((name) => !isNamed(name)),
    [],
  );
});

test('a message that is not on the page would be found', () => {
  const code =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in a file
    "log.warn('the moon is full', { phase });\nthrow new CommandError(`cannot howl at ${moon.name}`);";
  assert.deepEqual(
    messagesIn('x.ts', code).map(({ text }) => text),
    ['the moon is full', 'cannot howl at …'],
  );
  assert.ok(!isIn('| `the moon is new` |', 'the moon is full'));
});
