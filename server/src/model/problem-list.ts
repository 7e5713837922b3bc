/** Collects what is wrong with the parameters of a call, by path (E2). */
import { AppError, invalidParams, type ParamProblems } from './error.ts';

/** Maximum number of paths in an answer, which must not grow with its request. */
export const pathsMax = 50;

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

/** Problems by path. Any key is only a key, `__proto__` too; beyond {@link pathsMax} paths they are only counted. */
export class ProblemList {
  readonly #problems = new Map<string, string[]>();
  readonly #before: ProblemList | null;
  #unlisted = 0;

  /**
   * `before` are problems of parts that were left out. Then the list is never empty, so that nothing is done for the call, and takes
   * nothing that is said of these parts.
   */
  constructor(before: ProblemList | null = null) {
    this.#before = before;
  }

  /** Adds a message for a value, once. A message given as a function is only created if it is listed. */
  add(steps: Steps, words: string | (() => string)): void {
    // Beyond the limit problems are only counted, without creating paths and messages.
    if (this.isFull && steps.length > 1) {
      this.#unlisted++;
      return;
    }
    const message = typeof words === 'string' ? words : words();
    const path = steps.join('.').toWellFormed().slice(0, pathCharactersMax);
    if (this.lacks(path)) return;
    const known = this.#problems.get(path);
    if (known === undefined) {
      if (this.isFull) this.#unlisted++;
      else this.#problems.set(path, [message]);
    } else if (!known.includes(message)) known.push(message);
  }

  /** Runs a part of reading the parameters. Its `invalid-params` problems are added, and the result is undefined. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.take(error);
      return undefined;
    }
  }

  /** Adds the problems of an `invalid-params` error; throws any other. */
  take(error: unknown): void {
    if (!(error instanceof AppError) || error.kind !== 'invalid-params' || error.params === undefined)
      throw error;
    this.#takeProblems(error.params);
  }

  /** Adds the problems of another list. */
  takeAll(list: ProblemList): void {
    this.#takeProblems(list.toProblems());
  }

  #takeProblems(problems: ParamProblems): void {
    for (const [path, messages] of Object.entries(problems))
      for (const message of messages) this.add([path], message);
  }

  /** Whether the value at this path is wrong: it was noted, or left out before. */
  has(path: string): boolean {
    return this.#problems.has(path) || this.lacks(path);
  }

  /** Whether the value at this path, or one that contains it, was left out before. */
  lacks(path: string): boolean {
    if (this.#before === null) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
      if (this.#before.#problems.has(path.slice(0, end))) return true;
    return false;
  }

  /** Whether parts were left out before. */
  get lacksAny(): boolean {
    return this.#before !== null;
  }

  /** Whether there are no problems. */
  get isEmpty(): boolean {
    return this.#problems.size === 0 && this.#before === null;
  }

  /** Whether further paths are only counted. */
  get isFull(): boolean {
    return this.#problems.size >= pathsMax;
  }

  /** The problems as an object without prototype. */
  toProblems(): ParamProblems {
    const problems: ParamProblems = Object.create(null);
    for (const [path, messages] of this.#problems) problems[path] = messages;
    if (this.#unlisted > 0) noteUnlisted(problems, this.#unlisted);
    return problems;
  }

  /** The `invalid-params` error with all problems. */
  toError(): AppError {
    return invalidParams(this.toProblems());
  }

  /** Throws the `invalid-params` error if there are problems. */
  throwIfAny(): void {
    if (!this.isEmpty) throw this.toError();
  }
}

/** Problems with at most {@link pathsMax} paths: the first, and how many more there are. */
export function boundProblems(problems: ParamProblems): ParamProblems {
  const paths = Object.keys(problems);
  // One more is the note that a list has made of what it did not list.
  if (paths.length <= pathsMax + 1) return problems;
  const bounded: ParamProblems = Object.create(null);
  for (const path of paths.slice(0, pathsMax)) bounded[path] = problems[path];
  noteUnlisted(bounded, paths.length - pathsMax);
  return bounded;
}

/** Adds the note at the path of `params` as a whole. */
function noteUnlisted(problems: ParamProblems, count: number): void {
  problems[''] = [...(problems[''] ?? []), `${count} more faults; the first ${pathsMax} paths are listed`];
}
