/** Text → tokens. */
import { fail } from './problem.ts';

/** A piece of a formula; `at` is the position of its first character, from 1. */
export interface Token {
  kind: 'number' | 'name' | 'symbol' | 'end';
  at: number;
  /** As written; empty at the end. */
  text: string;
}

/** The longest first, so that `**` is not read as two `*`. */
const tokenPattern =
  /[ \t\r\n]+|(?<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<symbol>\|\||&&|==|!=|<=|>=|\*\*|[-+*/%<>!?:(),])/y;

/** What people write in other languages, and what it is called here. */
const foreignSymbols: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
  ['^', '**'],
  ['~', '!'],
  ['[', '('],
  [']', ')'],
  [';', ','],
]);

/** Splits a formula; the last token is the end. Fails at a character that no formula has. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let index = 0;
  while (index < text.length) {
    tokenPattern.lastIndex = index;
    const match = tokenPattern.exec(text) ?? failAt(text, index);
    const { number, name, symbol } = match.groups ?? {};
    const at = index + 1;
    if (number !== undefined) tokens.push({ kind: 'number', at, text: number });
    else if (name !== undefined) tokens.push({ kind: 'name', at, text: name });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', at, text: symbol });
    index += match[0].length;
  }
  tokens.push({ kind: 'end', at: text.length + 1, text: '' });
  return tokens;
}

/** How a token is named in an error message. */
export function describeToken(token: Token): string {
  return token.kind === 'end' ? 'the end' : JSON.stringify(token.text);
}

function failAt(text: string, index: number): never {
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  const own = foreignSymbols.get(character);
  const hint = own === undefined ? '' : `; did you mean "${own}"?`;
  fail(index + 1, `unexpected character ${JSON.stringify(character)}${hint}`);
}
