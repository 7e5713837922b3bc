/** One call as it goes over the wire: what was sent, what came back, and how long it took. */

import { parseJson } from '../../parts/json.ts';
import { rpcUrl } from '../../platform/rpc/base.ts';
import { callHeaders } from '../../platform/rpc/rpc.ts';

/** A list of headers, in the order in which they came. */
export type HeaderList = readonly (readonly [string, string])[];

/** What a call came to. */
export interface Exchange {
  request: { headers: HeaderList; body: string };
  status: number;
  headers: HeaderList;
  /** From sending to the last byte, ms. */
  ms: number;
  /** Of these, until the answer began, ms. */
  waitMs: number;
  bytes: number;
  text: string;
  answer: Answer | null;
}

/** What running a call came to: an exchange, or no answer at all. */
export interface Outcome {
  exchange?: Exchange;
  error?: unknown;
}

/** A JSON-RPC answer, or a problem of HTTP. */
export interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: { trace?: string; params?: Record<string, string[]> } };
  title?: string;
  detail?: string;
}

interface Sent {
  method: string;
  params: unknown;
  version: string;
  /** The header of an integration; null: the session of who is signed in. */
  authorization: string | null;
}

/** Sends a call. Fails only when no answer comes. */
export async function exchange(sent: Sent, signal: AbortSignal): Promise<Exchange> {
  const { method, params, version, authorization } = sent;
  const headers = headersOf(version, authorization);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const start = performance.now();
  const credentials = authorization === null ? 'same-origin' : 'omit';
  const response = await fetch(rpcUrl, { method: 'POST', credentials, headers, body, signal });
  const firstMs = performance.now() - start;
  const bytes = await response.arrayBuffer();
  const ms = performance.now() - start;
  const text = new TextDecoder().decode(bytes);
  return {
    request: { headers: shownHeaders(headers, authorization === null), body },
    status: response.status,
    headers: [...response.headers],
    ms,
    waitMs: firstMs,
    bytes: bytes.byteLength,
    text,
    answer: answerOf(text),
  };
}

function headersOf(version: string, authorization: string | null): Record<string, string> {
  if (authorization === null) return callHeaders(version);
  return { 'Content-Type': 'application/json', 'X-API-Version': version, Authorization: authorization };
}

/** As they were sent, without what is secret in them. */
function shownHeaders(headers: Record<string, string>, hasCookie: boolean): [string, string][] {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    name === 'Authorization' ? value.replace(/ .*/, ' …') : name === 'X-CSRF-Token' ? '…' : value,
  ]);
  return hasCookie ? [...shown, ['Cookie', '… (your session)']] : shown;
}

function answerOf(text: string): Answer | null {
  const { value } = parseJson(text);
  return typeof value === 'object' ? value : null;
}
