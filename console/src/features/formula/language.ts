/** The language of formulas as an editor needs it: tokens to colour, names to complete, errors at their position. */
import table from './functions.json' with { type: 'json' };

/** A function of the language; in its examples `given` is a column of `a`, `_` for null. */
export type FormulaFunction = Omit<(typeof table.functions)[number], 'examples'> & {
  examples: readonly { formula: string; given?: string; gives: string }[];
};

/** Every function, in the order of the reference; made from the service's own table. */
export const functions: readonly FormulaFunction[] = table.functions;

/** Constants and variables. */
export const names: readonly { name: string; meaning: string }[] = table.names;

/** What the families are called. */
export const families: Readonly<Record<string, string>> = {
  numbers: 'Numbers',
  angles: 'Angles',
  nulls: 'Choice and null',
  series: 'Other buckets',
};

/** Which aliases the service takes (Q11). */
export const aliasPattern = /^[A-Za-z_][A-Za-z0-9_]{0,27}$/;

/** Whether the language has this name for itself: then it is no alias (Q11). */
export function isTakenWord(name: string): boolean {
  return functionNames.has(name) || constantNames.has(name);
}

/** What a piece of a formula is, for its colour. */
export type TokenKind = 'number' | 'function' | 'constant' | 'name' | 'operator' | 'bracket' | 'wrong';

/** A piece of a formula. Positions count UTF-16 units from 0; `to` is one past the last. */
export interface FormulaToken {
  kind: TokenKind;
  from: number;
  to: number;
}

const pieces =
  /(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<operator>\|\||&&|==|!=|<=|>=|\*\*|[-+*/%<>!?:,])|(?<bracket>[()])|(?<wrong>[^ \t\r\n])/g;

const functionNames = new Set(functions.map(({ name }) => name));
const constantNames = new Set(names.map(({ name }) => name));

/** The next piece at or after a position; null at the end. */
export function tokenAt(text: string, from: number): FormulaToken | null {
  pieces.lastIndex = from;
  const match = pieces.exec(text);
  if (match === null) return null;
  const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ['wrong'];
  const token = { from: match.index, to: match.index + match[0].length };
  if (kind !== 'name') return { kind: kind as TokenKind, ...token };
  if (constantNames.has(match[0])) return { kind: 'constant', ...token };
  const isCalled = /^[ \t\r\n]*\(/.test(text.slice(token.to));
  return { kind: isCalled ? (functionNames.has(match[0]) ? 'function' : 'wrong') : 'name', ...token };
}

/** All pieces of a formula. */
export function tokensOf(text: string): FormulaToken[] {
  const tokens: FormulaToken[] = [];
  for (let token = tokenAt(text, 0); token !== null; token = tokenAt(text, token.to)) tokens.push(token);
  return tokens;
}

/** The names of items and calculations in a formula. */
export function namesIn(formula: string): Set<string> {
  const found = tokensOf(formula).filter(({ kind }) => kind === 'name');
  return new Set(found.map(({ from, to }) => formula.slice(from, to)));
}

/** Something that can be completed. */
export interface Suggestion {
  name: string;
  kind: 'alias' | 'function' | 'constant';
  /** Shown after the name: a signature, or the meaning of the alias. */
  detail: string;
  /** More to read. */
  info: string;
  /** What is put in, `|` where the cursor goes. */
  insert: string;
}

/** An alias that a formula may use. */
export interface KnownAlias {
  alias: string;
  /** The item's name or the formula. */
  meaning: string;
}

/** The completions where a name begins: aliases first. */
export function suggestions(aliases: readonly KnownAlias[]): Suggestion[] {
  return [
    ...aliases.map(({ alias, meaning }) => ({
      name: alias,
      kind: 'alias' as const,
      detail: meaning,
      info: '',
      insert: `${alias}|`,
    })),
    ...functions.map(({ name, signature, meaning }) => ({
      name,
      kind: 'function' as const,
      detail: signature.slice(name.length),
      info: meaning,
      insert: `${name}(|)`,
    })),
    ...names.map(({ name, meaning }) => ({
      name,
      kind: 'constant' as const,
      detail: '',
      info: meaning,
      insert: `${name}|`,
    })),
  ];
}

/** The name that is being typed before a position: where it begins; null inside a number or after another sign. */
export function nameBefore(text: string, position: number): { from: number; name: string } | null {
  const name = /[A-Za-z_][A-Za-z0-9_]*$/.exec(text.slice(0, position));
  if (name === null) return null;
  // `2e` is the beginning of a number.
  if (name.index > 0 && /[0-9.]/.test(text[name.index - 1]!)) return null;
  return { from: name.index, name: name[0] };
}

/** The call that a position is in: which function, and which of its arguments. */
export function callAround(text: string, position: number): { name: string; argument: number } | null {
  const open: { name: string | null; argument: number }[] = [];
  let before = '';
  for (const { from, to } of tokensOf(text)) {
    if (from >= position) break;
    const piece = text.slice(from, to);
    if (piece === '(') open.push({ name: functionNames.has(before) ? before : null, argument: 0 });
    else if (piece === ')') open.pop();
    else if (piece === ',' && open.length > 0) open.at(-1)!.argument += 1;
    before = piece;
  }
  const inner = open.findLast(({ name }) => name !== null);
  return inner?.name ? { name: inner.name, argument: inner.argument } : null;
}

/** A fault of a formula: where, from 0, and what. */
export interface FormulaFault {
  from: number;
  to: number;
  text: string;
}

/** Reads `at 7: unknown name "c9"; …` (F6) and finds the text at that position. A message without a position is about the whole formula. */
export function readFault(message: string, formula: string): FormulaFault {
  const match = /^at (\d+): (.*)$/s.exec(message);
  if (match === null) return { from: 0, to: formula.length, text: message };
  const at = Math.min(Number(match[1]) - 1, formula.length);
  const token = tokenAt(formula, at);
  if (token?.from === at) return { from: at, to: token.to, text: match[2]! };
  // At the end there is nothing to underline but the last sign.
  const from = at >= formula.length ? Math.max(0, formula.length - 1) : at;
  return { from, to: Math.max(at, from + 1), text: match[2]! };
}

/** The errors of each calculation, by its index, from the error's `data.params`; other errors by path. */
export function readFaults(
  params: Readonly<Record<string, readonly string[]>>,
  formulas: readonly string[],
): { byCalculation: Map<number, FormulaFault[]>; others: [path: string, message: string][] } {
  const byCalculation = new Map<number, FormulaFault[]>();
  const others: [string, string][] = [];
  for (const [path, messages] of Object.entries(params)) {
    const index = /^calculations\.(\d+)\.formula$/.exec(path)?.[1];
    const formula = index === undefined ? undefined : formulas[Number(index)];
    if (formula === undefined) others.push(...messages.map((message): [string, string] => [path, message]));
    else
      byCalculation.set(
        Number(index),
        messages.map((message) => readFault(message, formula)),
      );
  }
  return { byCalculation, others };
}
