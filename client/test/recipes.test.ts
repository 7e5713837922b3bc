/** The recipes in the README, each run as the program that it is, against one service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { open } from './rig.ts';

/** A recipe: its title, its program, what it prints. */
interface Recipe {
  title: string;
  program: string;
  output: string;
}

function readRecipes(readme: string): Recipe[] {
  const [, part] = readme.split('\n## Recipes\n');
  const [start, ...sections] = part.split('\n### ');
  const prelude = /```js\n(.*?)```/s.exec(start)![1];
  return sections.map((section) => {
    const [title] = section.split('\n');
    const program = /```js\n(.*?)```/s.exec(section)?.[1];
    const output = /```text\n(.*?)```/s.exec(section)?.[1];
    assert.ok(program !== undefined && output !== undefined, `${title}: a program and what it prints`);
    return { title, program: `${prelude}\n${program}`, output };
  });
}

const recipes = readRecipes(await readFile(new URL('../README.md', import.meta.url), 'utf8'));

test('the recipes in the README run one after the other and print what they say', {
  timeout: 180_000,
}, async (t) => {
  const rig = await open(t);
  await rig.start();
  // Below the package, whose name the recipes import.
  const cwd = await mkdtemp(fileURLToPath(new URL('recipe-', import.meta.url)));
  t.after(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'credentials.json'), JSON.stringify(rig.credentials));
  for (const [i, { title, program, output }] of recipes.entries()) {
    await writeFile(join(cwd, `${i}.mjs`), program);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${i}.mjs`], {
      cwd,
      timeout: 60_000,
    });
    assert.deepEqual([title, stdout, stderr], [title, output, '']);
  }
});
