/** Faults of the transport: RFC 9457 problem details (E3). A fault of a call is no problem in this sense (W5). */
import { STATUS_CODES } from 'node:http';

/** An error that is answered as an HTTP problem. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Additional members of the body. */
  readonly members: Readonly<Record<string, unknown>>;

  /** `detail` tells the client what is wrong and how to fix it. */
  constructor(
    status: number,
    detail: string,
    headers: Readonly<Record<string, string | string[]>> = {},
    members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.members = members;
  }
}

/** The runtime has the name of an older RFC for 413. */
const titles: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 413: 'Content Too Large' };

/** The media type of {@link problemText}. */
export const problemType = 'application/problem+json';

/** The body that describes a problem; `trace` and `members` are extension members. */
export function problemText(status: number, detail: string, traceId: string, members: object = {}): string {
  return JSON.stringify({
    type: 'about:blank',
    title: titles[status] ?? 'Error',
    status,
    detail,
    trace: traceId,
    ...members,
  });
}
