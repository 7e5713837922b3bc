/** Translates the errors of PostgreSQL and of its connections. */
import { AppError } from '#model/error';

/** The SQLSTATE of an error of the server; null for other errors. */
export function stateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null;
}

/** Whether the transaction was disturbed by others, and may succeed when it is repeated. */
export function isDisturbed(error: unknown): boolean {
  const state = stateOf(error);
  return state === '40001' || state === '40P01';
}

/** Whether a key is taken; also what a transaction sees that another one has overtaken. */
export function isTaken(error: unknown): boolean {
  return stateOf(error) === '23505';
}

/** Classes of SQLSTATE after which the connection is of no use. */
const fatal = /^(08|57P|25P03|25006|XX)/;

/** Whether the connection that gave an error must not be used again. */
export function isBroken(error: unknown): boolean {
  const state = stateOf(error);
  return state === null || fatal.test(state);
}

const transient: readonly (readonly [RegExp, string])[] = [
  [/^(08|57P)/, 'PostgreSQL has ended the connection'],
  [/^25006/, 'the server is not the primary any more'],
  [/^25P03/, 'the transaction took too long'],
  [/^57014/, 'PostgreSQL took too long'],
  [/^55P03/, 'others kept the data too long'],
  [/^40/, 'others kept changing the same data'],
  [/^53100/, "PostgreSQL's disk is full"],
  [/^(53|58)/, 'PostgreSQL lacks resources'],
];

/** `unavailable` for what may be temporary, `invalid-params` for text that PostgreSQL cannot hold, else the error itself. */
export function asAppError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const state = stateOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (state === '22021' || state === '22P05') {
    return new AppError('invalid-params', 'Invalid params: text must not contain the character U+0000', {
      detail,
      cause: error,
    });
  }
  if (state === null)
    return isOfConnection(error) ? unavailable('PostgreSQL cannot be reached', error) : error;
  const reason = transient.find(([pattern]) => pattern.test(state))?.[1];
  return reason === undefined ? error : unavailable(reason, error);
}

/** How the driver says that a connection has failed. */
const driverMessage =
  /^(Connection terminated|Query read timeout|timeout e|Client (was closed|has encountered))/;

/** Errors of this program are no errors of a connection. */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return 'syscall' in error || /^E(?!RR_)/.test(code) || driverMessage.test(error.message);
}

/** The error of a store that does not answer now. */
export function unavailable(reason: string, cause?: unknown): AppError {
  const detail = cause instanceof Error ? cause.message : undefined;
  return new AppError('unavailable', `The metadata is not available: ${reason}; try again later`, {
    detail,
    cause,
  });
}

/** The error of a change whose commit was not answered. */
export function uncertain(cause: unknown): AppError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const message =
    'PostgreSQL did not answer the commit, so the change may have been made; look before you repeat it';
  return new AppError('unavailable', message, { detail, cause, isUncertain: true });
}
