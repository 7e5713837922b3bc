/** Faults of the transport: RFC 9457 problem details (E3). A fault of a call is no problem in this sense (W5). */

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

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

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
