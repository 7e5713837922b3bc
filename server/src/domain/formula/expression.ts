/** The tree of a formula. Its depth is bounded by the levels of F6 times the tiers of the grammar, whatever its length. */

/** The operators between operands, which group from the left. */
export type ChainOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';

/** The operators before an operand. */
export type UnaryOperator = '-' | '+' | '!';

/** One more operand of a chain; `at` is the operator's position. */
export interface Link {
  at: number;
  operator: ChainOperator;
  operand: Expression;
}

/**
 * An expression. `at` is the position (1-based, in UTF-16 units) of its first character, or of its operator.
 * A chain holds neighbours of one tier (`a - b + c`), so that a sum of 400 terms is one level deep; `first` is never a
 * chain of the same tier. A number is finite and not negative.
 */
export type Expression =
  | { kind: 'number'; at: number; value: number }
  | { kind: 'name'; at: number; name: string }
  | { kind: 'call'; at: number; name: string; args: Expression[] }
  | { kind: 'unary'; at: number; operator: UnaryOperator; operand: Expression }
  | { kind: 'chain'; at: number; first: Expression; rest: Link[] }
  | { kind: 'power'; at: number; base: Expression; exponent: Expression }
  | { kind: 'choice'; at: number; condition: Expression; yes: Expression; no: Expression };

/** How strongly the operators of the grammar bind; a higher tier binds tighter. */
export const tiers = {
  choice: 1,
  or: 2,
  and: 3,
  equality: 4,
  comparison: 5,
  additive: 6,
  multiplicative: 7,
  unary: 8,
  power: 9,
  primary: 10,
} as const;

/** The tier of each operator of a chain. */
export const chainTiers: ReadonlyMap<string, number> = new Map<ChainOperator, number>([
  ['||', tiers.or],
  ['&&', tiers.and],
  ['==', tiers.equality],
  ['!=', tiers.equality],
  ['<', tiers.comparison],
  ['<=', tiers.comparison],
  ['>', tiers.comparison],
  ['>=', tiers.comparison],
  ['+', tiers.additive],
  ['-', tiers.additive],
  ['*', tiers.multiplicative],
  ['/', tiers.multiplicative],
  ['%', tiers.multiplicative],
]);

/** The tier of an expression without parentheses around it. */
export function tierOf(expression: Expression): number {
  const { kind } = expression;
  if (kind === 'chain') return chainTiers.get(expression.rest[0].operator) ?? tiers.or;
  return kind === 'choice' || kind === 'unary' || kind === 'power' ? tiers[kind] : tiers.primary;
}
