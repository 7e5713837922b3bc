/**
 * Small by habit, not by force: a function just above a screen is one that grew and is to be cut; a few are long by
 * nature (a table, a straight line) and are left in peace. What is watched besides is the ninetieth of a hundred.
 */
import ts from 'typescript';
import { type Finding, findingAt, lineAt, type Source, walk } from './source.ts';

/** The most lines of a function that passes; and the fewest of one that is taken to be long by nature. */
export const redZone = { above: 60, below: 100 } as const;

/** The most lines of a file that need no reason. */
export const fileLinesMax = 400;

/** Functions in the red zone. */
export function grownFunctions(source: Source): Finding[] {
  return functionsOf(source)
    .filter(({ lines }) => lines > redZone.above && lines < redZone.below)
    .map(({ node, lines }) =>
      findingAt(source, node.getStart(), `a function of ${lines} lines: cut it to ${redZone.above} or fewer`),
    );
}

/** A long file whose header does not say why. */
export function unexplainedLength(source: Source): Finding[] {
  const lines = source.text.split('\n').length - 1;
  const header = source.text.slice(0, source.text.indexOf('*/'));
  if (lines <= fileLinesMax || /\blong because\b/i.test(header)) return [];
  const message = `${lines} lines: give the second noun its own file, or say "Long because …" in the header`;
  return [findingAt(source, 0, message)];
}

/** The lengths in lines of the functions of a file. One that holds others counts them too; describe blocks are lists. */
export function functionLengths(source: Source): number[] {
  return functionsOf(source).map(({ lines }) => lines);
}

/** The value that nine in ten of `values` do not exceed. */
export function ninetieth(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.9) - 1)] ?? 0;
}

function functionsOf(source: Source): { node: ts.Node; lines: number }[] {
  const found: { node: ts.Node; lines: number }[] = [];
  walk(source, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body || isList(node)) return;
    found.push({ node, lines: linesOf(source, node) - markupLines(source, node) });
  });
  return found;
}

function linesOf(source: Source, node: ts.Node): number {
  return lineAt(source, node.getEnd()) - lineAt(source, node.getStart()) + 1;
}

/** Markup is a picture, not a procedure: the lines of a component's elements beyond their first do not count. */
function markupLines(source: Source, node: ts.Node): number {
  if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)) {
    return linesOf(source, node) - 1;
  }
  let lines = 0;
  ts.forEachChild(node, (child) => {
    lines += markupLines(source, child);
  });
  return lines;
}

/** The callback of describe and suite is a list of tests, not a procedure. */
function isList(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^(describe|suite)\b/.test(node.parent.expression.getText());
}
