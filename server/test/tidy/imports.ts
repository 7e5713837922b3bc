/** Imports show which folders a file uses: `#folder/file` for another top folder, `./file.ts` within its own. */
import { posix } from 'node:path';
import ts from 'typescript';
import { type Finding, findingAt, type Source } from './source.ts';

const root = 'server/src/';

/** Imports that leave their top folder by a relative path, or name their own folder by `#`. */
export function misplacedImports(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const specifier of importsOf(source)) {
    const message = wrongDoor(source.path, specifier.text);
    if (message) findings.push(findingAt(source, specifier.getStart(), message));
  }
  return findings;
}

function wrongDoor(path: string, specifier: string): string | null {
  if (specifier.startsWith('#')) {
    const near = posix.dirname(`${root}${specifier.slice(1)}`) === posix.dirname(path);
    return near ? `${specifier} is in the same folder: write ./` : null;
  }
  if (!specifier.startsWith('.')) return null;
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith(root) || folderOf(target) === folderOf(path)) return null;
  return `${specifier} leaves the folder: write #${target.slice(root.length).replace(/\.ts$/, '')}`;
}

/** The top folder of server/src that a path is in: `model/`; `/` for the files next to these folders, '' outside. */
function folderOf(path: string): string {
  if (!path.startsWith(root)) return '';
  const rest = path.slice(root.length);
  return rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : '/';
}

function importsOf(source: Source): ts.StringLiteral[] {
  return source.tree.statements
    .filter((statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
    .map((statement) => statement.moduleSpecifier)
    .filter((specifier) => specifier !== undefined && ts.isStringLiteral(specifier));
}
