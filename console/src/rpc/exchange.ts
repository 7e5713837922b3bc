/** One call as it goes over the wire: what was sent, what came back, and how long it took. */
import { rpcUrl } from '../session/base.ts';
import { callHeaders } from '../session/rpc.ts';

/** What a call came to. */
export interface Exchange {
  status: number;
  headers: readonly (readonly [string, string])[];
  /** From sending to the last byte, ms. */
  ms: number;
  bytes: number;
  /** The body as it came. */
  text: string;
  /** The body, where it is JSON. */
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

/** Sends a call with the session. Fails only when no answer comes. */
export async function exchange(
  method: string,
  params: unknown,
  version: string,
  signal: AbortSignal,
): Promise<Exchange> {
  const start = performance.now();
  const response = await fetch(rpcUrl, {
    method: 'POST',
    credentials: 'same-origin',
    headers: callHeaders(version),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  const text = await response.text();
  const ms = performance.now() - start;
  return {
    status: response.status,
    headers: [...response.headers],
    ms,
    bytes: new TextEncoder().encode(text).length,
    text,
    answer: parse(text),
  };
}

function parse(text: string): Answer | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
