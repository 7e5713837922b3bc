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
  #unlisted = 0;

  /** Adds a message for a value, once. A message given as a function is only created if it is listed. */
  add(steps: Steps, words: string | (() => string)): void {
    // Beyond the limit problems are only counted, without creating paths and messages.
    if (this.isFull && steps.length > 1) {
      this.#unlisted++;
      return;
    }
    const message = typeof words === 'string' ? words : words();
    const path = steps.join('.').toWellFormed().slice(0, pathCharactersMax);
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
    for (const [path, messages] of Object.entries(error.params))
      for (const message of messages) this.add([path], message);
  }

  /** Whether something was noted at this path. */
  has(path: string): boolean {
    return this.#problems.has(path);
  }

  /** Whether there are no problems. */
  get isEmpty(): boolean {
    return this.#problems.size === 0;
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

/** Reads parts of the parameters that do not depend on each other; the problems of all are thrown at once (E2). */
export function readTogether<Parts extends unknown[]>(
  ...reads: { [I in keyof Parts]: () => Parts[I] }
): Parts {
  const problems = new ProblemList();
  const parts = reads.map((read) => problems.attempt(read));
  problems.throwIfAny();
  return parts as Parts;
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
