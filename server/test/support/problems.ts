/** What is wrong with the parameters of calls that must be refused. */
import assert from 'node:assert/strict';
import { AppError } from '#model/error';
import { ProblemList } from '#model/problem-list';

/** The problems by path with which something is refused; it must fail with `invalid-params`. */
export function problemsOf(act: () => unknown): Record<string, string[]> {
  try {
    act();
  } catch (error) {
    return problemsIn(error);
  }
  return assert.fail('was not refused');
}

/** The problems by path that an `invalid-params` error has. */
export function problemsIn(error: unknown): Record<string, string[]> {
  assert.ok(error instanceof AppError && error.kind === 'invalid-params', String(error));
  return { ...error.params };
}

/** What a parser reads; it fails with the problems that the parser notes. */
export function readWith<T>(parse: (problems: ProblemList) => T): T {
  const problems = new ProblemList();
  const parsed = parse(problems);
  problems.throwIfAny();
  return parsed;
}
