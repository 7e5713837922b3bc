/** Failed requests of an integration as the console shows them; without payload and secrets. */

/** A rejected call or a failed authentication. */
export interface Failure {
  integration: string;
  /** The method's name in the primary namespace; null for an unknown method or when no call was made. */
  method: string | null;
  /** The JSON-RPC error code (negative), or the HTTP status of a request without a call. */
  code: number;
  message: string;
  /** Path of the first invalid parameter, such as `data.times.3`; null if there is none. */
  path: string | null;
  /** The problem at that path, without the value that was sent. */
  problem: string | null;
  /** The client's IP address. */
  address: string;
  /** The trace ID, 32 hex digits (W7). */
  traceId: string;
}
