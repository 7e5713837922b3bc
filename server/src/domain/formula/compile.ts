/** Checked tree → program. */
import { literalArgument } from './check.ts';
import type { Expression } from './expression.ts';
import type { FunctionEntry } from './function-table.ts';
import { chainOperations, functionsByName, namedValuesByName, unaryOperations } from './function-table.ts';
import * as operation from './operation.ts';
import type { Program } from './program.ts';
import { ProgramBuilder } from './program.ts';

/** Programs that depend on their tree alone, which is kept (parse.ts). */
const programs = new WeakMap<Expression, Program>();

/** Compiles a formula in which the check found nothing wrong. `gapUsOf` gives the gapDetection of a signal's alias. */
export function compileFormula(expression: Expression, gapUsOf: (alias: string) => number): Program {
  const known = programs.get(expression);
  if (known !== undefined) return known;
  const builder = new ProgramBuilder();
  let hasGaps = false;
  emit(expression, builder, (alias) => {
    hasGaps = true;
    return gapUsOf(alias);
  });
  const program = builder.build();
  if (!hasGaps) programs.set(expression, program);
  return program;
}

function emit(expression: Expression, builder: ProgramBuilder, gapUsOf: (alias: string) => number): void {
  const visit = (child: Expression) => emit(child, builder, gapUsOf);
  switch (expression.kind) {
    case 'number':
      builder.number(expression.value);
      return;
    case 'name':
      emitName(expression.name, builder);
      return;
    case 'call':
      emitCall(expression.args, functionsByName.get(expression.name)!, builder, visit, gapUsOf);
      return;
    case 'unary': {
      visit(expression.operand);
      const own = unaryOperations.get(expression.operator);
      if (own) builder.pointwise(own);
      return;
    }
    case 'power':
      visit(expression.base);
      visit(expression.exponent);
      builder.pointwise(operation.power);
      return;
    case 'choice':
      visit(expression.condition);
      visit(expression.yes);
      visit(expression.no);
      builder.pointwise(operation.choose);
      return;
    case 'chain':
      visit(expression.first);
      for (const { operator, operand } of expression.rest) {
        visit(operand);
        builder.pointwise(chainOperations.get(operator)!);
      }
  }
}

function emitName(name: string, builder: ProgramBuilder): void {
  const constant = namedValuesByName.get(name)?.value ?? null;
  if (constant === null) builder.column(name);
  else builder.number(constant);
}

function emitCall(
  args: readonly Expression[],
  { behaviour, parameters }: FunctionEntry,
  builder: ProgramBuilder,
  visit: (child: Expression) => void,
  gapUsOf: (alias: string) => number,
): void {
  if (behaviour.as === 'series') {
    const [argument] = args;
    const { kernel, weight, gap, whole } = behaviour.operation;
    const gapUs = gap && argument.kind === 'name' ? gapUsOf(argument.name) : 0;
    visit(argument);
    builder.series(kernel, weight, gap ? gapUs : literalArgument(args, parameters), whole);
    return;
  }
  args.forEach((argument, index) => {
    visit(argument);
    if (behaviour.as === 'fold' && index > 0) builder.pointwise(behaviour.operation);
  });
  if (behaviour.as === 'each') {
    for (const parameter of parameters.slice(args.length)) builder.number(parameter.default ?? Number.NaN);
    builder.pointwise(behaviour.operation);
  } else if (behaviour.mean) {
    builder.number(args.length);
    builder.pointwise(operation.divide);
  }
}
