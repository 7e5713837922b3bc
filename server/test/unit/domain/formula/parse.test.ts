/** The grammar of query.md F: what binds how, and what is refused where. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expression } from '#domain/formula/expression';
import { parseFormula } from '#domain/formula/parse';
import { FormulaError } from '#domain/formula/problem';
import { limitDefaults } from '#model/limits';
import { printFormula } from './print.ts';

/** The tree with every parenthesis that can be written. */
function explicit(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
    case 'name':
      return printFormula(expression);
    case 'call':
      return `${expression.name}(${expression.args.map(explicit).join(', ')})`;
    case 'unary':
      return `(${expression.operator}${explicit(expression.operand)})`;
    case 'power':
      return `(${explicit(expression.base)}**${explicit(expression.exponent)})`;
    case 'choice':
      return `(${explicit(expression.condition)}?${explicit(expression.yes)}:${explicit(expression.no)})`;
    case 'chain':
      return expression.rest.reduce(
        (left, { operator, operand }) => `(${left}${operator}${explicit(operand)})`,
        explicit(expression.first),
      );
  }
}

function groups(text: string, expected: string): void {
  test(`F ${JSON.stringify(text)} groups as ${expected}`, () => {
    assert.equal(explicit(parseFormula(text, limitDefaults)), expected);
  });
}

groups('a + b * c', '(a+(b*c))');
groups('a * b + c', '((a*b)+c)');
groups('a - b - c', '((a-b)-c)');
groups('a / b / c', '((a/b)/c)');
groups('a / b * c % d', '(((a/b)*c)%d)');
groups('a - b + c', '((a-b)+c)');
groups('2 ** 3 ** 2', '(2**(3**2))');
groups('-2 ** 2', '(-(2**2))');
groups('(-2) ** 2', '((-2)**2)');
groups('2 ** -1', '(2**(-1))');
groups('2 ** -1 ** 2', '(2**(-(1**2)))');
groups('2 ** -3 * 4', '((2**(-3))*4)');
groups('-a * b', '((-a)*b)');
groups('a - -b', '(a-(-b))');
groups('a--b', '(a-(-b))');
groups('+a', '(+a)');
groups('!a ** 2', '(!(a**2))');
groups('!a == b', '((!a)==b)');
groups('!!a', '(!(!a))');
groups('a < b == c > d', '((a<b)==(c>d))');
groups('a == b != c', '((a==b)!=c)');
groups('a < b < c', '((a<b)<c)');
groups('a <= b + 1', '(a<=(b+1))');
groups('a && b || c && d', '((a&&b)||(c&&d))');
groups('a || b && c', '(a||(b&&c))');
groups('a == b && c', '((a==b)&&c)');
groups('a ? b : c ? d : e', '(a?b:(c?d:e))');
groups('a ? b ? c : d : e', '(a?(b?c:d):e)');
groups('a || b ? c : d', '((a||b)?c:d)');
groups('a ? b : c + 1', '(a?b:(c+1))');
groups('1 + (a ? b : c)', '(1+(a?b:c))');
groups('(a + b) * c', '((a+b)*c)');
groups('a - (b - c)', '(a-(b-c))');
groups('max(a, b + c, -d)', 'max(a, (b+c), (-d))');
groups('max(a ? b : c, d)', 'max((a?b:c), d)');
groups(' \ta\r\n+ b ', '(a+b)');

function reads(text: string, value: number): void {
  test(`F1 ${text} is the number ${value}`, () => {
    assert.deepEqual(parseFormula(text, limitDefaults), { kind: 'number', at: 1, value });
  });
}

reads('0', 0);
reads('007', 7);
reads('1.5', 1.5);
reads('.5', 0.5);
reads('1e3', 1000);
reads('1E+3', 1000);
reads('2.5e-3', 0.0025);
reads('1e-400', 0);
reads('1.7976931348623157e308', Number.MAX_VALUE);

function prints(text: string, expected: string): void {
  test(`F ${text} is printed as ${expected}`, () => {
    assert.equal(printFormula(parseFormula(text, limitDefaults)), expected);
  });
}

prints('((a+b))+c', 'a + b + c');
prints('a+(b+c)', 'a + (b + c)');
prints('(a*b)+c', 'a * b + c');
prints('(a+b)*c', '(a + b) * c');
prints('-(2**2)', '-2 ** 2');
prints('(-2)**2', '(-2) ** 2');
prints('2**(-1)', '2 ** -1');
prints('(2**3)**2', '(2 ** 3) ** 2');
prints('-(-a)', '--a');
prints('-(a+b)', '-(a + b)');
prints('(a?b:c)?d:(e?f:g)', '(a ? b : c) ? d : e ? f : g');
prints('1e21*1.50', '1e+21 * 1.5');
prints('f( a,(b) )', 'f(a, b)');

function refuses(text: string, message: string): void {
  test(`F6 ${JSON.stringify(text)} is refused: ${message}`, () => {
    assert.throws(
      () => parseFormula(text, limitDefaults),
      (error) => error instanceof FormulaError && error.message === message,
    );
  });
}

refuses('', 'at 1: expected a number, a name, "(" or a sign, found the end');
refuses('  ', 'at 3: expected a number, a name, "(" or a sign, found the end');
refuses('a +', 'at 4: expected a number, a name, "(" or a sign, found the end');
refuses('a + * b', 'at 5: expected a number, a name, "(" or a sign, found "*"');
refuses('a b', 'at 3: expected an operator or the end, found "b"');
refuses('2x', 'at 2: expected an operator or the end, found "x"');
refuses('1.', 'at 2: unexpected character "."');
refuses('1.2.3', 'at 4: expected an operator or the end, found ".3"');
refuses('1e', 'at 2: expected an operator or the end, found "e"');
refuses('0x10', 'at 2: expected an operator or the end, found "x10"');
refuses('1e400', 'at 1: the number 1e400 is too large');
refuses('(a', 'at 3: expected an operator or ")", found the end');
refuses('a)', 'at 2: expected an operator or the end, found ")"');
refuses('()', 'at 2: expected a number, a name, "(" or a sign, found ")"');
refuses('max(a b)', 'at 7: expected an operator, "," or ")", found "b"');
refuses('max(a,)', 'at 7: expected a number, a name, "(" or a sign, found ")"');
refuses('max(a', 'at 6: expected an operator, "," or ")", found the end');
refuses('a ? b', 'at 6: expected an operator or ":", found the end');
refuses('a ? b , c', 'at 7: expected an operator or ":", found ","');
refuses('a : b', 'at 3: expected an operator or the end, found ":"');
refuses('a = b', 'at 3: unexpected character "="; did you mean "=="?');
refuses('a & b', 'at 3: unexpected character "&"; did you mean "&&"?');
refuses('a | b', 'at 3: unexpected character "|"; did you mean "||"?');
refuses('a ^ 2', 'at 3: unexpected character "^"; did you mean "**"?');
refuses('a <> b', 'at 4: expected a number, a name, "(" or a sign, found ">"');
refuses('a === b', 'at 5: unexpected character "="; did you mean "=="?');
refuses('a + "x"', 'at 5: unexpected character "\\""');
refuses('ä', 'at 1: unexpected character "ä"');
refuses('a + \u{1F600}', 'at 5: unexpected character "\u{1F600}"');
refuses('a\u00a0+ b', 'at 2: unexpected character "\u00a0"');
refuses('a.b', 'at 2: unexpected character "."');
refuses('**2', 'at 1: expected a number, a name, "(" or a sign, found "**"');

function nest(open: string, inner: string, close: string, levels: number): string {
  return open.repeat(levels) + inner + close.repeat(levels);
}

const nestings: [string, string, string][] = [
  ['(', '1', ')'],
  ['abs(', '1', ')'],
  ['-', '1', ''],
  ['!', '1', ''],
  ['1?1:', '1', ''],
  ['1?', '1', ':1'],
  ['1**', '1', ''],
];

for (const [open, inner, close] of nestings) {
  test(`F6 ${open}${inner}${close} nests 64 levels deep and no deeper`, () => {
    parseFormula(nest(open, inner, close, 64), limitDefaults);
    const error = /^at \d+: is nested deeper than 64 levels$/;
    assert.throws(() => parseFormula(nest(open, inner, close, 65), limitDefaults), { message: error });
  });
}

test('F6 what was read with more levels is refused with fewer, and a fault is found again', () => {
  const text = nest('(', '1', ')', 40);
  assert.equal(parseFormula(text, limitDefaults), parseFormula(text, limitDefaults), 'read once');
  const message = /^at \d+: is nested deeper than 39 levels$/;
  assert.throws(() => parseFormula(text, { ...limitDefaults, formulaLevelsMax: 39 }), { message });
  for (const _ of [1, 2]) assert.throws(() => parseFormula('a b', limitDefaults), FormulaError);
});

test('F6 operands side by side are one level, however many', () => {
  const sum = Array(500).fill('a').join('+');
  assert.equal(sum.length, 999);
  assert.equal(printFormula(parseFormula(sum, limitDefaults)), sum.replaceAll('+', ' + '));
});

test('F6 a formula has at most 1,000 characters', () => {
  parseFormula(`1${' '.repeat(999)}`, limitDefaults);
  assert.throws(() => parseFormula(`1${' '.repeat(1000)}`, limitDefaults), {
    message: 'at 1001: must be at most 1000 characters, got 1001',
  });
});

test('F6 the longest and deepest formulas that a configuration allows are read without overflow', () => {
  const limits = { formulaCharactersMax: 100_000, formulaLevelsMax: 256 };
  assert.doesNotThrow(() => parseFormula(nest('(1+', '1', ')', 256), limits));
  assert.doesNotThrow(() => parseFormula(Array(50_000).fill('1').join('+'), limits));
  assert.throws(() => parseFormula('('.repeat(100_000), limits), FormulaError);
});
