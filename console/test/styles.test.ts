/** Style sheets: a class belongs to one file and to those that import it, so that no page changes how another one looks. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const src = new URL('../src/', import.meta.url);

test('a selector begins with a class of its own file', () => {
  const owners = Map.groupBy(
    styleSheets().flatMap((path) => leadingClasses(read(path)).map((name) => ({ name, path }))),
    ({ name }) => name,
  );
  assert.ok(owners.size > 100);
  const shared = [...owners].filter(([, files]) => files.length > 1);
  assert.deepEqual(
    shared.map(([name, files]) => `.${name}: ${files.map(({ path }) => path).join(', ')}`),
    [],
    'name the class after its component, or move the rule to the file that owns it',
  );
});

test('a component imports the style sheets of the classes that it uses', () => {
  const owners = new Map(
    styleSheets().flatMap((path) => leadingClasses(read(path)).map((name) => [name, path] as const)),
  );
  const missing = components().flatMap((path) => {
    const text = read(path);
    const imported = [...text.matchAll(/^import '([^']+\.css)';$/gm)].map(([, to]) =>
      posix.join(posix.dirname(path), to!),
    );
    return classesUsed(text)
      .filter((name) => owners.has(name) && !isShared(owners.get(name)!))
      .filter((name) => !imported.includes(owners.get(name)!))
      .map((name) => `${path}: .${name} of ${owners.get(name)}`);
  });
  assert.deepEqual(missing, []);
});

test('every class of a style sheet is used', () => {
  const words = new Set(sources(/\.tsx?$/).flatMap((path) => read(path).match(/[A-Za-z][\w-]*/g) ?? []));
  const unused = styleSheets().flatMap((path) =>
    leadingClasses(read(path))
      .filter((name) => !words.has(name) && !isOfLibrary(name))
      .map((name) => `${path}: .${name}`),
  );
  assert.deepEqual(unused, []);
});

test('the classes that a component uses are found', () => {
  const text = `<p className="a b"><i className={x ? 'c' : \`d \${y}\`} title="e" /></p>`;
  assert.deepEqual(classesUsed(text), ['a', 'b', 'c', 'd']);
});

test('the leading classes of a style sheet are found', () => {
  const css =
    '.a, .b .c { color: red } @media (x) { .d:hover > .e { top: 0.5em } } table.f::before { left: 0 }';
  assert.deepEqual(leadingClasses(css), ['a', 'b', 'd', 'f']);
});

/** The style sheets whose classes are global; the build scopes those of CSS modules. */
function styleSheets(): string[] {
  return sources(/(?<!\.module)\.css$/);
}

/** Every component outside of `parts`. */
function components(): string[] {
  return sources(/^(app|pages|features)\/.*\.tsx$/);
}

function sources(like: RegExp): string[] {
  const paths = readdirSync(src, { recursive: true }).map(String);
  return paths.filter((path) => like.test(path));
}

function read(path: string): string {
  return readFileSync(new URL(path, src), 'utf8');
}

/** Those of controls and of the theme are loaded before any page. */
function isShared(path: string): boolean {
  return path.startsWith('parts/') || path.startsWith('platform/theme/');
}

/** Classes that only libraries put on their elements. */
function isOfLibrary(name: string): boolean {
  return name.startsWith('cm-') || name.startsWith('u-') || name.startsWith('react-aria-');
}

/** The classes in the attributes `className` of a component. */
function classesUsed(text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node, isInside: boolean): void => {
    const isIn = isInside || (ts.isJsxAttribute(node) && node.name.getText() === 'className');
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isIn && isText) names.push(...node.text.split(/\s+/).filter(Boolean));
    ts.forEachChild(node, (child) => visit(child, isIn));
  };
  visit(ts.createSourceFile('x.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX), false);
  return [...new Set(names)];
}

/** The first class of each selector: the one that decides which elements a rule can reach. */
function leadingClasses(css: string): string[] {
  const heads = css.replace(/\/\*.*?\*\//gs, '').match(/[^{};]+(?=\{)/g) ?? [];
  const selectors = heads.filter((head) => !head.trim().startsWith('@')).flatMap((head) => head.split(','));
  const names = selectors.map((selector) => /\.([A-Za-z][\w-]*)/.exec(selector)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
