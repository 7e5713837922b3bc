/** Calls that failed, as the people of an integration are shown them: what was wrong and where, never what was sent. */
import type { Failure } from '#model/failure';
import { type Fault, faultTable } from '#protocol/fault';
import type { CallOutcome } from '#protocol/outcome';
import type { RequestOutcome } from '#transport/http/observer';

/** Characters of a message or problem that are kept. */
const textMax = 200;

/** Faults whose messages quote what was sent, or the place where it stops to be JSON: the code says enough. */
const quotingCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601]);

/** What went wrong for an integration with a call; null when nothing did, or a person called. */
export function failureOfCall({ call, method, fault }: CallOutcome): Failure | null {
  const { caller, address, traceId } = call;
  if (fault === undefined || caller.person !== undefined) return null;
  const [path, problems] = Object.entries(fault.data.params ?? {})[0] ?? [null, []];
  return {
    integration: caller.integration,
    method,
    code: fault.code,
    message: messageOf(fault),
    path,
    problem: problems.length === 0 ? null : withoutValue(problems[0]),
    address,
    traceId,
  };
}

/** What went wrong for a caller, who may be a person, before there was a call: a body that is too large or stops half-way. */
export function failureOfRequest({ caller, status, address, traceId }: RequestOutcome): Failure | null {
  const message = requestProblems[status];
  if (message === undefined || caller === null) return null;
  const nothing = { method: null, path: null, problem: null };
  return { integration: caller, ...nothing, code: status, message, address, traceId };
}

/** Statuses that no call has; 429 and 503 have one. */
const requestProblems: Readonly<Record<number, string>> = {
  400: 'The body is not complete, or cannot be decompressed',
  408: 'The body did not come in time',
  413: 'The body is too large',
  415: 'The body is compressed in a way that is not understood',
};

function messageOf({ code, message }: Fault): string {
  const known = quotingCodes.has(code) ? faultTable.find((entry) => entry.code === code) : undefined;
  return (known?.message ?? message).slice(0, textMax);
}

/** Problems end with what was got instead: that is payload. */
function withoutValue(problem: string): string {
  return problem.replace(/,? got .*$/su, '').slice(0, textMax);
}
