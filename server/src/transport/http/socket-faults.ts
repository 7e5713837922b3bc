/** Answers malformed, oversized or incomplete request headers directly on the socket (E3, W7). */
import type { Socket } from 'node:net';
import type { TraceSource } from '#protocol/trace';
import { problemText, problemType } from './problem.ts';

/** An error of the runtime's HTTP parser. */
export interface SocketError extends Error {
  code?: string;
}

/** Answers and closes the connection; if it is broken or an answer has begun, only closes it. */
export function answerSocketError(
  error: SocketError,
  socket: Socket & { _httpMessage?: unknown },
  traces: TraceSource,
): void {
  // After a TLS error no answer can be sent.
  const isTls = /^ERR_(SSL|TLS)_/.test(error.code ?? '');
  if (error.code === 'ECONNRESET' || isTls || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, words] = faultOf(error.code);
  const trace = traces.next(undefined);
  const body = problemText(status, words, trace.traceId);
  socket.end(
    [
      `HTTP/1.1 ${status} ${JSON.parse(body).title}`,
      `content-type: ${problemType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `traceparent: ${trace.traceparent}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}

/** Whether part of an answer has been written; another answer would be taken for its continuation. */
function isAnswering(socket: { _httpMessage?: unknown }): boolean {
  const message = socket._httpMessage as { headersSent?: boolean } | null | undefined;
  return message?.headersSent === true;
}

function faultOf(code: string | undefined): [status: number, words: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request did not arrive in time'];
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The headers are larger than 16 KiB'];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, 'The chunk extensions are too large'];
  return [400, 'This is not HTTP'];
}
