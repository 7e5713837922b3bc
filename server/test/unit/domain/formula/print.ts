/** Tree → text in canonical form: one space around binary operators, no parenthesis that is not needed. */
import type { Expression, Link } from '#domain/formula/expression';
import { tierOf, tiers } from '#domain/formula/expression';

/** Writes an expression so that parsing gives it back, positions aside. */
export function printFormula(expression: Expression): string {
  return print(expression, tiers.choice);
}

/** Parenthesised where the expression binds less tightly than its place asks for. */
function print(expression: Expression, tierMin: number): string {
  const text = printBare(expression);
  return tierOf(expression) < tierMin ? `(${text})` : text;
}

function printBare(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return String(expression.value);
    case 'name':
      return expression.name;
    case 'call':
      return `${expression.name}(${expression.args.map(printFormula).join(', ')})`;
    case 'unary':
      return expression.operator + print(expression.operand, tiers.unary);
    case 'power':
      return `${print(expression.base, tiers.primary)} ** ${print(expression.exponent, tiers.unary)}`;
    case 'choice':
      return `${print(expression.condition, tiers.or)} ? ${printFormula(expression.yes)} : ${printFormula(expression.no)}`;
    case 'chain':
      return printChain(expression.first, expression.rest, tierOf(expression) + 1);
  }
}

function printChain(first: Expression, rest: readonly Link[], operandTier: number): string {
  let text = print(first, operandTier);
  for (const { operator, operand } of rest) text += ` ${operator} ${print(operand, operandTier)}`;
  return text;
}
