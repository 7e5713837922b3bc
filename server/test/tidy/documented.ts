/** Every file and every exported name says what it is. */
import ts from 'typescript';
import { type Finding, findingAt, type Source } from './source.ts';

/** Exported names without a doc comment. Overloads may share that of the first; a re-exported name has its own at home. */
export function undocumentedExports(source: Source): Finding[] {
  const documented = new Set<string>();
  return source.tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) || !isExported(statement)) return [];
    const names = namesOf(statement);
    if (hasDoc(statement)) for (const name of names) documented.add(name);
    return names
      .filter((name) => !documented.has(name))
      .map((name) => findingAt(source, statement.getStart(), `export ${name} has no doc comment`));
  });
}

/** A barrel: a file that passes everything of another one on, or has nothing of its own. An interface may re-export single names. */
export function barrels(source: Source): Finding[] {
  const { statements } = source.tree;
  const passed = statements.filter(
    (each) => ts.isExportDeclaration(each) && each.moduleSpecifier !== undefined,
  );
  const isAll = passed.find((each) => ts.isExportDeclaration(each) && each.exportClause === undefined);
  const hasOwn = statements.some((each) => !ts.isExportDeclaration(each) && !ts.isImportDeclaration(each));
  const found = isAll ?? (hasOwn ? undefined : passed[0]);
  if (found === undefined) return [];
  return [findingAt(source, found.getStart(), 'a barrel: import from the file that has it')];
}

/** A file whose first line of code is not preceded by a header comment. */
export function missingHeader(source: Source): Finding[] {
  const text = source.text.replace(/^#!.*\n/, '').trimStart();
  if (text.startsWith('/**')) return [];
  return [findingAt(source, 0, 'the file does not begin with a /** header */ that says what it holds')];
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  const name = (statement as ts.DeclarationStatement).name;
  return [name?.getText() ?? 'default'];
}

/**
 * The comment has to be directly before the name: a blank line between makes it the file's header. A directive to the
 * linter may be between.
 */
function hasDoc(statement: ts.Statement): boolean {
  const text = statement.getSourceFile().text;
  const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
  const last = comments.findLast((comment) => !text.startsWith('// biome-ignore', comment.pos));
  if (last === undefined || !text.startsWith('/**', last.pos)) return false;
  return !/\n\s*\n/.test(text.slice(last.end, statement.getStart(undefined, false)));
}
