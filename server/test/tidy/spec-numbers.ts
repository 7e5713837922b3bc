/** The two-way bond between the specification's numbered statements and the tests that quote them. */
import ts from 'typescript';
import { type Finding, findingAt, type Source, walk } from './source.ts';

const number = /\b(?:[WRAELQFMNPXC]\d{1,2}|I\d)[a-z]?\b/g;

/** Where each statement of a page begins: `- **Q3** …` → line. */
export function statementsIn(path: string, text: string): Map<string, Finding> {
  const found = new Map<string, Finding>();
  text.split('\n').forEach((line, index) => {
    const statement = /^- \*\*([A-Z]\d+[a-z]?)\*\* /.exec(line)?.[1];
    if (statement)
      found.set(statement, { path, line: index + 1, message: `${statement} is quoted in no test` });
  });
  return found;
}

/** A text that begins with a number, as titles do: `Q3 a day …`, `W1, W9 …`. */
const title = /^[WRAELQFMNPXIC]\d{1,2}[a-z]?(-[WRAELQFMNPXIC]\d{1,2})?[ ,:]/;

/** The numbers in the titles of a test file, also of those in tables of cases; each with its position. */
export function quotedIn(source: Source): Map<string, Finding> {
  const quoted = new Map<string, Finding>();
  walk(source, (node) => {
    if (!isText(node) || !(title.test(textOf(node)) || isTitle(node))) return;
    for (const each of numbersIn(textOf(node)))
      quoted.set(each, findingAt(source, node.getStart(), `the specification has no ${each}`));
  });
  return quoted;
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
  );
}

function textOf(node: ts.Node): string {
  return node.getText().slice(1, -1);
}

function isTitle({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && /^(t\.)?(test|it|describe|suite)$/.test(parent.expression.getText());
}

/** The numbers in a text. Of a range such as `Q1-Q5` only the ends: who quotes all has thought of none. */
export function numbersIn(text: string): string[] {
  return text.match(number) ?? [];
}

/** The numbers in the comments of a file: each is to exist. */
export function citedIn(source: Source): Map<string, Finding> {
  const cited = new Map<string, Finding>();
  for (const [whole, comment] of source.text.matchAll(/(\/\*\*.*?\*\/|\/\/ [^\n]*)/gs))
    for (const each of numbersIn(comment ?? ''))
      cited.set(each, findingAt(source, source.text.indexOf(whole), `the specification has no ${each}`));
  return cited;
}
