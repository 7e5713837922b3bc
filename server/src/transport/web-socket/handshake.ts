/** The handshake of a WebSocket (RFC 6455, section 4.2). */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a client asks for that is not accepted, with the status that says so. */
export interface Refusal {
  status: number;
  detail: string;
  headers?: Readonly<Record<string, string>>;
}

const version = '13';
const keyForm = /^[A-Za-z0-9+/]{22}==$/;
const acceptGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The answer that begins a WebSocket of one of these protocols, or why there is none. */
export function handshake(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  protocols: readonly string[],
): string | Refusal {
  const key = headers['sec-websocket-key'] ?? '';
  if (method !== 'GET' || !keyForm.test(key))
    return {
      status: 400,
      detail: 'This is not the handshake of a WebSocket: it needs GET and Sec-WebSocket-Key',
    };
  if (headers['sec-websocket-version'] !== version) {
    const detail = `WebSocket has version ${version} here`;
    return { status: 426, detail, headers: { 'sec-websocket-version': version } };
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const protocol = offered.find((name) => protocols.includes(name));
  if (protocol === undefined)
    return { status: 400, detail: `Sec-WebSocket-Protocol has to name ${protocols.join(' or ')}` };
  return acceptance(key, protocol);
}

function acceptance(key: string, protocol: string): string {
  return [
    'HTTP/1.1 101 Switching Protocols',
    'upgrade: websocket',
    'connection: Upgrade',
    `sec-websocket-accept: ${hash('sha1', key + acceptGuid, 'base64')}`,
    `sec-websocket-protocol: ${protocol}`,
    '\r\n',
  ].join('\r\n');
}
