/** Tokens → tree: a Pratt parser of the grammar in query.md F. */
import { LruCache } from '#model/lru-cache';
import type { ChainOperator, Expression, UnaryOperator } from './expression.ts';
import { chainTiers, tierOf, tiers } from './expression.ts';
import { fail } from './problem.ts';
import type { Token } from './token.ts';
import { describeToken, tokenize } from './token.ts';

/** What bounds a formula before anything else looks at it (F6). */
export interface ParseLimits {
  formulaCharactersMax: number;
  formulaLevelsMax: number;
}

/** Characters of formulas whose trees are kept; a tree takes about a hundred bytes for each. */
const keptCharactersMax = 32 * 1024;

/** What was read last, by the levels that were allowed and the text: dashboards ask for the same formulas again and again. */
const kept = new LruCache<string, { expression: Expression; characters: number }>(
  keptCharactersMax,
  ({ characters }) => characters,
);

/**
 * Reads a formula; the tree may be one that was read before, and must not be changed. A level opens with each parenthesis, call, sign, exponent and branch of a choice; operands side by
 * side share one. Throws a FormulaError with the first problem. O(length).
 */
export function parseFormula(text: string, limits: ParseLimits): Expression {
  const max = limits.formulaCharactersMax;
  if (text.length > max) fail(max + 1, `must be at most ${max} characters, got ${text.length}`);
  const { formulaLevelsMax: levelsMax } = limits;
  const parse = () => new Parser(tokenize(text), levelsMax).formula();
  return kept.getOrMake(`${levelsMax} ${text}`, () => ({ expression: parse(), characters: text.length + 1 }))
    .expression;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #levelsMax: number;
  #index = 0;

  constructor(tokens: readonly Token[], levelsMax: number) {
    this.#tokens = tokens;
    this.#levelsMax = levelsMax;
  }

  formula(): Expression {
    const expression = this.#expression(tiers.choice, 0);
    const token = this.#peek();
    if (token.kind !== 'end')
      fail(token.at, `expected an operator or the end, found ${describeToken(token)}`);
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#index];
  }

  /** Steps over the symbol if it comes next. */
  #take(symbol: string): boolean {
    const token = this.#peek();
    const found = token.kind === 'symbol' && token.text === symbol;
    if (found) this.#index++;
    return found;
  }

  #expect(symbol: string, expected: string): void {
    if (!this.#take(symbol)) {
      const token = this.#peek();
      fail(token.at, `expected ${expected}, found ${describeToken(token)}`);
    }
  }

  /** An expression of operators that bind at least as tightly as `tierMin`. */
  #expression(tierMin: number, level: number): Expression {
    if (level > this.#levelsMax) fail(this.#peek().at, `is nested deeper than ${this.#levelsMax} levels`);
    let left = this.#prefix(level);
    for (;;) {
      const token = this.#peek();
      const tier = token.kind === 'symbol' ? infixTier(token.text) : 0;
      if (tier < tierMin) return left;
      this.#index++;
      left = this.#infix(left, token, tier, level);
    }
  }

  #prefix(level: number): Expression {
    const token = this.#peek();
    if (token.kind === 'number') return this.#number(token);
    if (token.kind === 'name') return this.#name(token, level);
    if (this.#take('(')) {
      const inner = this.#expression(tiers.choice, level + 1);
      this.#expect(')', 'an operator or ")"');
      return inner;
    }
    if (this.#take('-') || this.#take('+') || this.#take('!')) {
      const operator = token.text as UnaryOperator;
      return { kind: 'unary', at: token.at, operator, operand: this.#expression(tiers.unary, level + 1) };
    }
    fail(token.at, `expected a number, a name, "(" or a sign, found ${describeToken(token)}`);
  }

  #number(token: Token): Expression {
    this.#index++;
    const value = Number(token.text);
    if (!Number.isFinite(value)) fail(token.at, `the number ${token.text} is too large`);
    return { kind: 'number', at: token.at, value };
  }

  #name(token: Token, level: number): Expression {
    this.#index++;
    if (!this.#take('(')) return { kind: 'name', at: token.at, name: token.text };
    const args: Expression[] = [];
    if (!this.#take(')')) {
      do args.push(this.#expression(tiers.choice, level + 1));
      while (this.#take(','));
      this.#expect(')', 'an operator, "," or ")"');
    }
    return { kind: 'call', at: token.at, name: token.text, args };
  }

  #infix(left: Expression, token: Token, tier: number, level: number): Expression {
    if (tier === tiers.choice) return this.#choice(left, token, level);
    if (tier === tiers.power) {
      // Down to unary, so that 2**-1 is legal; power itself is above it, so that it groups from the right.
      return { kind: 'power', at: token.at, base: left, exponent: this.#expression(tiers.unary, level + 1) };
    }
    const operator = token.text as ChainOperator;
    const link = { at: token.at, operator, operand: this.#expression(tier + 1, level) };
    if (left.kind !== 'chain' || tierOf(left) !== tier) {
      return { kind: 'chain', at: left.at, first: left, rest: [link] };
    }
    left.rest.push(link);
    return left;
  }

  #choice(condition: Expression, token: Token, level: number): Expression {
    const yes = this.#expression(tiers.choice, level + 1);
    this.#expect(':', 'an operator or ":"');
    return { kind: 'choice', at: token.at, condition, yes, no: this.#expression(tiers.choice, level + 1) };
  }
}

/** The tier of a symbol that can follow an operand; 0 for one that ends it. */
function infixTier(symbol: string): number {
  if (symbol === '?') return tiers.choice;
  if (symbol === '**') return tiers.power;
  return chainTiers.get(symbol) ?? 0;
}
