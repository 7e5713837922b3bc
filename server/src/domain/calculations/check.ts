/** What can be wrong with a calculation by itself, before other items are looked at (C1). */
import { checkCalculations } from '#domain/formula/formula';
import type { CalculationChoice } from '#model/calculation';
import { dayUs, printDuration } from '#model/duration';
import { withPaths } from '#model/error';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { checkAggregated, checkDistinct } from '../query/check.ts';

/** The shortest and the longest distance of values. */
const intervalUsMin = 1_000_000;
const intervalUsMax = 366 * dayUs;

/** Notes every problem of a calculation, by path below it: `formula`, `inputs.<index>`, `interval`. */
export function checkChoice(choice: CalculationChoice, limits: Limits, problems: ProblemList): void {
  checkInputs(choice, limits, problems);
  const problem = intervalProblem(choice.intervalUs);
  if (problem !== null) problems.add(['interval'], problem);
  problems.attempt(() => checkFormula(choice, limits));
}

function checkInputs({ inputs }: CalculationChoice, limits: Limits, problems: ProblemList): void {
  const { calculationInputsMax: max } = limits;
  if (inputs.length === 0) problems.add(['inputs'], 'must have at least one item');
  if (inputs.length > max) problems.add(['inputs'], `must be at most ${max}, got ${inputs.length}`);
  if (inputs.length > max) return;
  checkDistinct({ inputs }, problems);
  for (const [i, input] of inputs.entries()) checkAggregated(input, `inputs.${i}`, false, limits, problems);
}

function intervalProblem(us: number): string | null {
  if (us >= intervalUsMin && us <= intervalUsMax) return null;
  const [min, max] = [intervalUsMin, intervalUsMax].map((bound) =>
    printDuration({ kind: 'fixed', us: bound }),
  );
  return `must be from ${min} to ${max}, got ${printDuration({ kind: 'fixed', us })}`;
}

function checkFormula({ formula, inputs, intervalUs }: CalculationChoice, limits: Limits): void {
  const signals = new Set(inputs.map(({ alias }) => alias));
  const scope = { signals, bucketUsMin: intervalUs, limits, of: 'item' } as const;
  const problems = new ProblemList();
  try {
    checkCalculations([{ alias: '', formula }], scope, problems);
    problems.throwIfAny();
  } catch (error) {
    throw withPaths(error, () => 'formula');
  }
}
