/** What a failed statement means: for the next server, for the caller, and for the log. */
import { ClickHouseError } from '@clickhouse/client';
import { AppError } from '#model/error';

/** A server that keeps its connections, and says nothing over them. */
export class Silence extends Error {}

/** A statement that a server did not carry out. Another server may. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
  /** Where it is, without secrets. */
  readonly origin: string;
  /** ClickHouse's number of the error; null when the server did not answer. */
  readonly code: number | null;

  constructor(origin: string, cause: unknown) {
    super(reasonOf(cause), { cause });
    this.origin = origin;
    this.code = codeOf(cause);
  }

  /** Whether the statement was not even looked at, or its answer was lost on the way. */
  get isUnanswered(): boolean {
    return this.code === null;
  }

  /** Whether the server was given time to answer, and would be given as much again. */
  get isSilent(): boolean {
    return this.cause instanceof Silence;
  }

  /** Whether another server may succeed: this one is down, lags, has lost Keeper, or has too much to do. */
  get isLocal(): boolean {
    return this.code === null || localCodes.has(this.code);
  }
}

/** Old releases send errors in a form that the driver does not know. */
function codeOf(cause: unknown): number | null {
  if (cause instanceof ClickHouseError) return Number(cause.code);
  const found =
    cause instanceof Error ? /^(?:the answer ended with: )?Code: (\d+)[.,]/.exec(cause.message) : null;
  return found === null ? null : Number(found[1]);
}

/** Numbers of errors that concern the server rather than the statement. */
const localCodes = new Set([202, 209, 210, 225, 242, 289, 319, 394, 999]);

/** Numbers of errors that only a wrong statement causes: syntax, unknown names, wrong types. */
const defects = new Set([36, 42, 43, 46, 47, 53, 62, 115]);

/** Numbers that say that the credentials or rights are not sufficient. */
const refusals = new Set([164, 192, 193, 194, 195, 291, 492, 497, 516]);

/** Whether the server refused the user rather than the statement. */
export function isRefusal({ code }: ServerFailure): boolean {
  return code !== null && refusals.has(code);
}

/** What a caller gets of a failure. A defect of a statement stays what it is: an internal error. */
export function toAppError(failure: ServerFailure, place: string): Error {
  if (failure.code !== null && defects.has(failure.code)) return failure;
  const message = isRefusal(failure)
    ? `${place} (${failure.origin}) refuses the service's user: check its name, password and rights`
    : `${place} (${failure.origin}) ${adviceOf(failure)}`;
  return new AppError('unavailable', message, { detail: failure.message, cause: failure });
}

function adviceOf({ code }: ServerFailure): string {
  switch (code) {
    case null:
      return 'does not answer; try again later';
    case 159:
      return 'took too long; choose a shorter window, or try again later';
    case 241:
      return 'has not enough memory for this; choose a shorter window, or try again later';
    case 242:
    case 285:
    case 286:
    case 319:
      return 'has too few replicas that answer; try again later';
    case 252:
      return 'has to merge what was written before; try again later';
    case 289:
      return 'lags behind its replicas; try again later';
    default:
      return `failed with error ${code}; try again later`;
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && cause.code !== cause.message ? `${cause.code} ` : '';
  return `${code}${cause.message}`;
}
