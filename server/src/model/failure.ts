/** What went wrong for an integration, as its people are shown it: no payload and no secret. */

/** A call, or an attempt to prove who calls, that was refused. */
export interface Failure {
  integration: string;
  /** With the primary namespace; null where there is no such method, or no call was made. */
  method: string | null;
  /** Of the fault on the wire, below 0; or the HTTP status of a request that was no call. */
  code: number;
  message: string;
  /** Of the first parameter at fault, such as `data.times.3`; null where none is. */
  path: string | null;
  /** What is wrong there, without the value that was sent. */
  problem: string | null;
  /** Where it came from: an IP address. */
  address: string;
  /** 32 hex digits, under which the log has more (W7). */
  traceId: string;
}
