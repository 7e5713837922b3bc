/** The two-way bond between the specification's numbered statements and the tests that quote them. */
import ts from 'typescript';
import { type Finding, findingAt, type Source, walk } from './source.ts';

const number = /\b[WRAELQFM]\d{1,2}[a-z]?\b/g;

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

/** The numbers in the titles of a test file, each with its place. */
export function quotedIn(source: Source): Map<string, Finding> {
  const quoted = new Map<string, Finding>();
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !/^(t\.)?(test|it|describe|suite)$/.test(node.expression.getText()))
      return;
    const title = node.arguments[0];
    if (title === undefined || ts.isFunctionLike(title)) return;
    for (const each of numbersIn(title.getText()))
      quoted.set(each, findingAt(source, title.getStart(), `the specification has no ${each}`));
  });
  return quoted;
}

/** The numbers in a text; a range such as `M1-M4` stands for all between. */
export function numbersIn(text: string): string[] {
  const found: string[] = text.match(number) ?? [];
  for (const [, letter, first, last] of text.matchAll(/\b([WRAELQFM])(\d{1,2})-\1(\d{1,2})\b/g))
    for (let each = Number(first) + 1; each < Number(last); each++) found.push(`${letter}${each}`);
  return found;
}

/** The numbers in the comments of a file: each is to exist. */
export function citedIn(source: Source): Map<string, Finding> {
  const cited = new Map<string, Finding>();
  for (const [whole, comment] of source.text.matchAll(/(\/\*\*.*?\*\/|\/\/ [^\n]*)/gs))
    for (const each of numbersIn(comment ?? ''))
      cited.set(each, findingAt(source, source.text.indexOf(whole), `the specification has no ${each}`));
  return cited;
}
