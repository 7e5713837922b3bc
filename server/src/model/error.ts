/**
 * Two kinds of errors: an {@link AppError} has an external cause and is reported to the caller;
 * a {@link bug} is a defect of this program, is never caught below transport, and is reported as an internal error.
 */

/** What went wrong, as a closed set. `protocol/fault.ts` maps each kind to its code on the wire (E1). */
export type Kind =
  | 'parse'
  | 'invalid-request'
  | 'method-not-found'
  | 'invalid-params'
  | 'invalid-resource'
  | 'found-invalid-resource'
  | 'not-permitted'
  | 'unauthenticated'
  | 'conflict'
  | 'not-found'
  | 'try-again'
  /** As `try-again`, for a reason that affects all clients: the disk is full, or too slow. */
  | 'unavailable'
  | 'partial-failure';

/** Parameter path (relative to `params`, dotted, no prefix) → what is wrong with the value there (E2). */
export type ParamProblems = Record<string, string[]>;

/** One resource that is, or would become, invalid (E2). */
export interface InvalidResource {
  id?: string;
  type: string;
  message: string;
  invalidFields?: ParamProblems;
}

/** What an {@link AppError} can carry besides its message. */
export interface AppErrorOptions {
  /** For the log only; never sent to the caller. */
  detail?: string;
  /** Whether what was asked for may have been done all the same. */
  isUncertain?: boolean;
  params?: ParamProblems;
  invalidResources?: InvalidResource[];
  cause?: unknown;
}

/** An error with an external cause: bad input, a missing grant, a full disk. `message` is for the caller, `detail` for the log. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: Kind;
  readonly detail: string | undefined;
  readonly isUncertain: boolean;
  readonly params: ParamProblems | undefined;
  readonly invalidResources: InvalidResource[] | undefined;

  constructor(kind: Kind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.detail = options.detail;
    this.isUncertain = options.isUncertain ?? false;
    this.params = options.params;
    this.invalidResources = options.invalidResources;
  }
}

/** An error about a small part of a request, which can have millions of them: it has no stack, which takes longer than reading the part. */
export class PartFault extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The same error with its problems under other paths; any other error as it is. */
export function withPaths(error: unknown, pathOf: (path: string) => string): unknown {
  if (!(error instanceof AppError) || error.params === undefined) return error;
  const params: ParamProblems = Object.create(null);
  for (const [path, messages] of Object.entries(error.params)) params[pathOf(path)] = messages;
  return new AppError(error.kind, error.message, { ...error, params, cause: error });
}

/** The stack of an error, for the log. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** An `invalid-params` error about one parameter, or several paths at once. */
export function invalidParams(problems: ParamProblems): AppError {
  return new AppError('invalid-params', 'Invalid params', { params: problems });
}

/** An error about what is stored, or in use, already. */
export function conflict(message: string, options?: AppErrorOptions): AppError {
  return new AppError('conflict', message, options);
}

/** Reports a state that our own code should have made impossible. Never returns. */
export function bug(message: string): never {
  throw new Error(`BUG: ${message}`);
}
