/** Faults: the wire form of errors (E1, E2). Internal errors are answered without details (E4). */
import { AppError, type InvalidResource, type Kind, type ParamProblems } from '#model/error';
import { boundProblems } from '#model/problem-list';

/** The `error` member of an answer. */
export interface Fault {
  code: number;
  message: string;
  data: FaultData;
}

/** The members that `error.data` may have, and no others (E2). */
export interface FaultData {
  /** The trace id, under which the log has more (W7). */
  trace: string;
  params?: ParamProblems;
  invalidResources?: InvalidResource[];
}

/** The code of each kind of error (E1). */
const codes = {
  parse: -32700,
  'invalid-request': -32600,
  'method-not-found': -32601,
  'invalid-params': -32602,
  'not-found': -32602,
  'invalid-resource': -32001,
  'found-invalid-resource': -32002,
  'not-permitted': -32003,
  unauthenticated: -32003,
  conflict: -32009,
  'try-again': -32015,
  unavailable: -32015,
  'partial-failure': -32021,
} as const satisfies Record<Kind, number>;

const internalCode = -32603;

/** Every code with its message, for documents. -32000 is reserved for proxies and later use. */
export const faultTable: readonly { code: number; message: string }[] = [
  { code: -32700, message: 'Parse error' },
  { code: -32600, message: 'Invalid request' },
  { code: -32601, message: 'Method not found' },
  { code: -32602, message: 'Invalid params' },
  { code: internalCode, message: 'Internal error' },
  { code: -32000, message: 'Server error' },
  { code: -32001, message: 'Would produce an invalid resource' },
  { code: -32002, message: 'Found an invalid resource' },
  { code: -32003, message: 'Operation not permitted' },
  { code: -32009, message: 'Conflict' },
  { code: -32015, message: 'Try again' },
  { code: -32021, message: 'Partial failure' },
];

/** Whether a fault is a defect of the service, not of the call. */
export function isInternal(fault: Fault): boolean {
  return fault.code === internalCode;
}

/** Converts an error to a fault; errors other than {@link AppError} become an internal error. */
export function toFault(error: unknown, traceId: string): Fault {
  if (!(error instanceof AppError))
    return { code: internalCode, message: 'Internal error', data: { trace: traceId } };
  const data: FaultData = { trace: traceId };
  if (error.params !== undefined) data.params = boundProblems(error.params);
  if (error.invalidResources !== undefined) data.invalidResources = error.invalidResources;
  return { code: codes[error.kind], message: error.message, data };
}
