/** What is wrong with a formula, and where (F6). */

/** One fault of a formula. `at` counts characters (UTF-16 units) from 1; the end of the text is one past the last. */
export interface Problem {
  at: number;
  /** What is there and what was expected; without the position. */
  text: string;
}

/** A formula that cannot be used. formula.ts turns it into `invalid-params` with the calculation's path. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(printProblem).join('; '));
    this.problems = problems;
  }
}

/** A problem as a caller reads it: `at 7: unknown name "c9"; …`. */
export function printProblem(problem: Problem): string {
  return `at ${problem.at}: ${problem.text}`;
}

/** Ends parsing with one problem. */
export function fail(at: number, text: string): never {
  throw new FormulaError([{ at, text }]);
}
