/** Style sheets: a class belongs to one file, so that no page changes how another one looks. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const src = new URL('../src/', import.meta.url);

test('a selector begins with a class of its own file', () => {
  const owners = new Map<string, Set<string>>();
  for (const path of styleSheets()) {
    for (const name of leadingClasses(readFileSync(new URL(path, src), 'utf8'))) {
      owners.set(name, (owners.get(name) ?? new Set()).add(path));
    }
  }
  assert.ok(owners.size > 100);
  const shared = [...owners].filter(([, files]) => files.size > 1);
  assert.deepEqual(
    shared.map(([name, files]) => `.${name}: ${[...files].join(', ')}`),
    [],
    'name the class after its component, or move the rule to the file that owns it',
  );
});

test('the leading classes of a style sheet are found', () => {
  const css =
    '.a, .b .c { color: red } @media (x) { .d:hover > .e { top: 0.5em } } table.f::before { left: 0 }';
  assert.deepEqual(leadingClasses(css), ['a', 'b', 'd', 'f']);
});

/** The style sheets whose classes are global; the build scopes those of CSS modules. */
function styleSheets(): string[] {
  const paths = readdirSync(src, { recursive: true }).map(String);
  return paths.filter((path) => path.endsWith('.css') && !path.endsWith('.module.css'));
}

/** The first class of each selector: the one that decides which elements a rule can reach. */
function leadingClasses(css: string): string[] {
  const heads = css.replace(/\/\*.*?\*\//gs, '').match(/[^{};]+(?=\{)/g) ?? [];
  const selectors = heads.filter((head) => !head.trim().startsWith('@')).flatMap((head) => head.split(','));
  const names = selectors.map((selector) => /\.([A-Za-z][\w-]*)/.exec(selector)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
