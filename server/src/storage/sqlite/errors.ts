/** Translates SQLite's errors, and passes errors between threads. */
import { AppError, type AppErrorOptions, type Kind } from '#model/error';
import { StoredDamage } from '../codec/damage.ts';

/** An error as a message between threads can carry it. */
export interface PackedError {
  kind: Kind | null;
  message: string;
  options: Pick<AppErrorOptions, 'detail' | 'params' | 'invalidResources'>;
  stack: string | undefined;
  /** SQLite's extended result code; null for other errors. */
  errcode: number | null;
}

/** An error that SQLite gave for one statement; `errcode` is its extended result code. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.errcode = errcode;
  }
}

/** The primary result code of an error of SQLite; null for other errors. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** Rejects calls of a store that is being closed, such as those that a service which stops could not wait for. */
export function storeClosed(): AppError {
  return new AppError('unavailable', 'The service is stopping: try again later');
}

/** SQLITE_BUSY: the file is locked by another connection. */
export const busyCode = 5;

const transient = new Map([
  [busyCode, 'another process kept the store busy too long'],
  [8, 'the file of the store cannot be written'], // SQLITE_READONLY
  [10, 'the disk reports an error'], // SQLITE_IOERR
  [13, 'the disk is full'], // SQLITE_FULL
  [14, 'a file of the store cannot be opened'], // SQLITE_CANTOPEN
]);

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes = [11, 26];

/** `unavailable` for conditions that may be temporary (a full disk, an I/O error, a busy file), else the error itself. */
export function asUnavailable(error: unknown): unknown {
  const reason = transient.get(resultCode(error) ?? -1);
  if (reason === undefined) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new AppError('unavailable', `Nothing was stored: ${reason}; try again later`, {
    detail,
    cause: error,
  });
}

/** Whether an error says that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  return damageCodes.includes(resultCode(error) ?? 0);
}

/** Converts an error to a form that can be sent to another thread. Errors about a damaged file get a readable message. */
export function packError(error: unknown): PackedError {
  if (isDamage(error))
    return packError(new StoredDamage(`tidemark.db is damaged: ${error}; restore a backup`));
  if (!(error instanceof Error)) {
    return { kind: null, message: String(error), options: {}, stack: undefined, errcode: null };
  }
  const { message, stack } = error;
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  if (!(error instanceof AppError)) return { kind: null, message, options: {}, stack, errcode };
  const { kind, detail, params, invalidResources } = error;
  return { kind, message, options: { detail, params, invalidResources }, stack, errcode };
}

/** The error that {@link packError} packed; its stack is that of the other thread. */
export function unpackError(packed: PackedError): Error {
  const error = makeError(packed);
  if (packed.stack !== undefined) error.stack = packed.stack;
  return error;
}

function makeError({ kind, message, options, errcode }: PackedError): Error {
  if (kind !== null) return new AppError(kind, message, options);
  return errcode === null ? new Error(message) : new SqlError(message, errcode);
}
