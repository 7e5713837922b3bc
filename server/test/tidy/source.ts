/** The project's own text as the tidy rules see it: files with their syntax trees, and findings about them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's top folder, with a slash at its end. */
export const top = fileURLToPath(new URL('../../../', import.meta.url));

/** One TypeScript file; `path` is relative to the top folder, with slashes. */
export interface Source {
  path: string;
  text: string;
  tree: ts.SourceFile;
}

/** Something that is not tidy, and what to do about it. `line` counts from 1. */
export interface Finding {
  path: string;
  line: number;
  message: string;
}

const skipped = new Set(['node_modules', '.git', '.work', 'dist', 'coverage', 'tidemark-data']);

/** The files below a folder of the project whose names end in `ending`: paths relative to the top, in order. */
export function filesIn(folder: string, ending: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) found.push(...filesIn(path, ending));
    if (entry.isFile() && entry.name.endsWith(ending)) found.push(relative('.', path));
  }
  return found.sort();
}

/** The text of a file of the project. */
export function readText(path: string): string {
  return readFileSync(join(top, path), 'utf8');
}

/** Parses TypeScript text; for fixtures `path` is a pretence. */
export function parseSource(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, text, tree };
}

/** Calls `visit` for each node of a file, parents first. */
export function walk(source: Source, visit: (node: ts.Node) => void): void {
  const each = (node: ts.Node): void => {
    visit(node);
    node.forEachChild(each);
  };
  each(source.tree);
}

/** A finding at a place in a file's text. */
export function findingAt(source: Source, position: number, message: string): Finding {
  return { path: source.path, line: lineAt(source, position), message };
}

/** The line of a place in a file's text, counted from 1. */
export function lineAt(source: Source, position: number): number {
  return source.tree.getLineAndCharacterOfPosition(position).line + 1;
}

/** A finding as editors and people read it. */
export function printFinding(finding: Finding): string {
  return `${finding.path}:${finding.line}: ${finding.message}`;
}
