/** Calls and phrases that only one file may use, or none. Each finding names the alternative. */
import ts from 'typescript';
import { type Finding, findingAt, type Source, walk } from './source.ts';

/** Something not to be written, except where `allowed` matches the file's path. */
interface Ban {
  found(node: ts.Node): boolean;
  instead: string;
  allowed?: RegExp;
}

const environment =
  /^server\/src\/system-environment\.ts$|^client\/src\/environment\.ts$|^console\/src\/platform\/time\/clock\.ts$|^server\/(test|bench)\//;

/** Loops that measure their own work, to give way in time, and what shows a person how long something took. */
const ownWork =
  /^server\/src\/storage\/(sqlite\/(task-loop|busy-processors|sealing|local-reader|backup)|clickhouse\/(read-gate|deletion|insert|group-commit|held-write|row-cache))\.ts$|^server\/src\/(cli\/progress|domain\/signals\/in-turns)\.ts$|^console\/src\/features\/rpc\/exchange\.ts$/;

/** What is said of code that is made of text. */
export const codeOfText = 'code made of text (F7): compute it with code that is there';

function isInterpreter(module: string): boolean {
  return /^(node:)?(vm|repl)(\/|$)/.test(module);
}

const bans: readonly Ban[] = [
  {
    found: (node) => ts.isCallExpression(node) && node.expression.getText() === 'Date.now',
    instead: 'Date.now(): take the present from a Clock (#model/environment)',
    allowed: environment,
  },
  {
    found: (node) =>
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText() === 'Date' &&
      !node.arguments?.length,
    instead: 'new Date() for the present: take it from a Clock (#model/environment)',
    allowed: environment,
  },
  {
    found: (node) => ts.isPropertyAccessExpression(node) && node.getText() === 'performance.now',
    instead: 'performance.now: take durations from a Stopwatch (#model/environment)',
    allowed: new RegExp(`${environment.source}|${ownWork.source}`),
  },
  {
    found: (node) => ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random',
    instead: 'Math.random: take chance from a Random (#model/environment)',
  },
  {
    found: (node) =>
      ts.isIdentifier(node) && ['randomBytes', 'randomUUID', 'getRandomValues'].includes(node.text),
    instead: 'chance of its own: take it from a Random (#model/environment)',
    allowed: environment,
  },
  {
    found: (node) => ts.isPropertyAccessExpression(node) && node.expression.getText() === 'console',
    instead: 'console: use the Log that is handed in (#model/environment)',
    allowed: /^server\/(generate|bench|test)\/|^console\//,
  },
  {
    found: (node) => ts.isAsExpression(node) && node.type.kind === ts.SyntaxKind.AnyKeyword,
    instead: '`as any`: say the type, or narrow an unknown',
  },
  {
    found: (node) =>
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ['Function', 'eval'].includes(node.expression.getText()),
    instead: codeOfText,
  },
  {
    found: (node) =>
      ts.isStringLiteral(node) && ts.isImportDeclaration(node.parent) && isInterpreter(node.text),
    instead: codeOfText,
  },
  {
    found: (node) =>
      ts.isPropertyAccessExpression(node) &&
      ['skip', 'only', 'todo'].includes(node.name.text) &&
      ['test', 'it', 'describe', 'suite'].includes(node.expression.getText()),
    instead: 'a test that does not run: mend it or take it out',
  },
];

/** Banned calls in a file. Comments and strings may speak of them. */
export function bannedCalls(source: Source): Finding[] {
  const here = bans.filter((ban) => !ban.allowed?.test(source.path));
  const findings: Finding[] = [];
  walk(source, (node) => {
    const ban = here.find((each) => each.found(node));
    if (ban) findings.push(findingAt(source, node.getStart(), ban.instead));
  });
  return findings;
}

const phrases: readonly { pattern: RegExp; message: string; allowed?: RegExp }[] = [
  {
    pattern: /\b(TODO|FIXME|XXX)\b|@ts-(ignore|nocheck)/,
    message: 'unfinished: do it, or write it into the closing note',
  },
  {
    pattern:
      /\b(whence|landlords?|furnish(es|ed|ing)?|manners|somebody|whoever|lately|of its own accord|at a stretch)\b/i,
    message: 'not a term of the field: write an ordinary one',
    allowed: /^docs\/decisions\/|^CHANGELOG|^server\/test\/(tidy|unit\/tidy)\//,
  },
  { pattern: /\/work\/\w/, message: 'a path of one machine: derive it from the repository' },
  {
    pattern: /\.\.\/shared\//,
    message: 'a folder outside the project: only tests may read recordings from there',
    allowed: /^(server|console)\/(test|bench)\//,
  },
];

/** Banned phrases anywhere in a text, comments and strings included. */
export function bannedPhrases(path: string, text: string): Finding[] {
  const here = phrases.filter((phrase) => !phrase.allowed?.test(path));
  return text
    .split('\n')
    .flatMap((line, index) =>
      here
        .filter((phrase) => phrase.pattern.test(line))
        .map((phrase) => ({ path, line: index + 1, message: phrase.message })),
    );
}
