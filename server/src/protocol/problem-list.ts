/** Collects what is wrong with the parameters of a call, by path (E2). */
import { type AppError, invalidParams, type ParamProblems } from '#model/error';

/** How many paths one answer names; a broken program repeats itself, and an answer is not to grow with its request. */
const pathsMax = 50;

const quotedMax = 64;
const pathCharactersMax = 256;

/** A value as a message quotes it: JSON, shortened, never a whole structure. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string' && value.length > quotedMax)
    return `${JSON.stringify(value.slice(0, quotedMax))}…`;
  return JSON.stringify(value) ?? 'nothing';
}

/** Steps from `params` to a value: names of members and indices. */
export type Steps = readonly (string | number)[];

/** Problems by path. Any key is only a key, `__proto__` too; beyond 50 paths nothing more is noted. */
export class ProblemList {
  readonly #problems = new Map<string, string[]>();

  /** Notes what is wrong with the value there; the same message once. */
  add(steps: Steps, message: string): void {
    const path = steps.join('.').toWellFormed().slice(0, pathCharactersMax);
    const known = this.#problems.get(path);
    if (known === undefined) {
      if (this.#problems.size < pathsMax) this.#problems.set(path, [message]);
    } else if (!known.includes(message)) known.push(message);
  }

  /** Whether nothing was noted. */
  get isEmpty(): boolean {
    return this.#problems.size === 0;
  }

  /** What was noted, as an object without prototype. */
  toProblems(): ParamProblems {
    const problems: ParamProblems = Object.create(null);
    for (const [path, messages] of this.#problems) problems[path] = messages;
    return problems;
  }

  /** The `invalid-params` error that says all of it. */
  toError(): AppError {
    return invalidParams(this.toProblems());
  }
}
