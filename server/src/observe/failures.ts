/** Failed calls as the console shows them for an integration: the problem and its path, never the payload. */
import type { Failure } from '#model/failure';
import { type Fault, faultTable } from '#protocol/fault';
import type { CallOutcome } from '#protocol/outcome';
import type { RequestOutcome } from '#transport/http/observer';

/** Longer messages and problems are shortened to this many characters. */
const textMax = 200;

/** Errors whose messages quote the request's content: only the code's standard message is kept. */
const quotingCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601]);

/** The failure of an integration's call; null for a success or a person's call. */
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

/** The failure of an integration's request before a call was made, for example a body that is too large or incomplete. */
export function failureOfRequest(outcome: RequestOutcome): Failure | null {
  const { caller, isPerson, hasCall, status, address, traceId } = outcome;
  const message = requestProblems[status];
  if (message === undefined || caller === null || isPerson || hasCall) return null;
  const nothing = { method: null, path: null, problem: null };
  return { integration: caller, ...nothing, code: status, message, address, traceId };
}

/** Statuses of requests without a call; 429 and 503 are reported by the call itself. */
const requestProblems: Readonly<Record<number, string>> = {
  400: 'The body is incomplete or cannot be decompressed',
  408: 'The body was not received in time',
  413: 'The body is too large',
  415: 'The Content-Encoding or Content-Type of the body is not supported',
};

function messageOf({ code, message }: Fault): string {
  const known = quotingCodes.has(code) ? faultTable.find((entry) => entry.code === code) : undefined;
  return (known?.message ?? message).slice(0, textMax);
}

/** Removes the value (", got …") from a problem: it is payload. */
function withoutValue(problem: string): string {
  return problem.replace(/,? got .*$/su, '').slice(0, textMax);
}
