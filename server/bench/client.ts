/**
 * A client that costs as little as possible, because it shares the machine with the service that it measures: one
 * keep-alive connection, requests prepared as bytes, answers framed by their Content-Length or chunks.
 */
import { connect, type Socket } from 'node:net';

/** One answer: its status and whole body. */
export interface Answer {
  status: number;
  body: Buffer;
}

/** Where a call goes, and on whose behalf. */
interface Caller {
  url: URL;
  authorization: string;
}

/** The bytes of a POST request; `type` and `accept` are media types. */
export function postBytes(
  url: URL,
  authorization: string,
  body: Uint8Array,
  { type = 'application/json', accept = '*/*' } = {},
): Buffer {
  const head =
    `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${authorization}\r\n` +
    `X-API-Version: 1.2\r\nContent-Type: ${type}\r\nAccept: ${accept}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** An answer that is longer makes the buffer longer. */
const firstBytes = 64 * 1024;

/** One connection; one request at a time. The body of an answer is overwritten by the next one. */
export class Client {
  readonly #url: URL;
  #socket: Socket;
  #pending: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  /** Receives one answer after the other: memory of its own for each took a third of the client's time. */
  #buffer = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;
  #wanted = 0;

  private constructor(url: URL) {
    this.#url = url;
    this.#socket = this.#connect();
  }

  /** Connects to the host and port of a URL. */
  static open(url: URL): Promise<Client> {
    return new Promise((resolve, reject) => {
      const client = new Client(url);
      client.#socket.once('error', reject);
      client.#socket.once('connect', () => resolve(client));
    });
  }

  /** Sends prepared bytes and waits for the answer; over another connection where the service has closed this one, which was idle. */
  send(request: Uint8Array): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.#socket.writable) this.#socket = this.#connect();
      this.#pending = { resolve, reject };
      this.#socket.write(request);
    });
  }

  /** Makes one call and gives its result; throws when it is refused. */
  async call<T>({ url, authorization }: Caller, method: string, params: object): Promise<T> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const answer = await this.send(postBytes(url, authorization, body));
    const { result, error } = JSON.parse(answer.body.toString('utf8'));
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  close(): void {
    this.#pending = null;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const onread = { buffer: () => this.#room(), callback: (count: number) => this.#take(count) };
    const { hostname: host, port } = this.#url;
    const socket = connect({ host, port: Number(port), noDelay: true, onread });
    const fail = (error: Error) => {
      if (socket === this.#socket) this.#fail(error);
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the service closed the connection')));
    return socket;
  }

  /** Where the next bytes go. */
  #room(): Buffer {
    if (this.#length === this.#buffer.length) {
      const longer = Buffer.allocUnsafeSlow(Math.max(this.#wanted, 2 * this.#length));
      this.#buffer.copy(longer);
      this.#buffer = longer;
    }
    return this.#buffer.subarray(this.#length);
  }

  #take(count: number): boolean {
    this.#length += count;
    if (this.#length < this.#wanted) return true;
    const answer = readAnswer(this.#buffer.subarray(0, this.#length));
    if ('wanted' in answer) this.#wanted = answer.wanted;
    else this.#end(answer);
    return true;
  }

  #end(answer: Answer): void {
    const pending = this.#pending;
    this.#pending = null;
    this.#length = 0;
    this.#wanted = 0;
    pending?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
    this.#length = 0;
    this.#wanted = 0;
  }
}

/** The whole answer, or how many bytes are needed before it is worth looking again. */
function readAnswer(bytes: Buffer): Answer | { wanted: number } {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return { wanted: bytes.length + 1 };
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + 4;
  if (head.includes('transfer-encoding: chunked')) return readChunks(bytes, bodyStart, status);
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  const end = bodyStart + length;
  return bytes.length < end ? { wanted: end } : { status, body: bytes.subarray(bodyStart, end) };
}

function readChunks(bytes: Buffer, bodyStart: number, status: number): Answer | { wanted: number } {
  const parts: Buffer[] = [];
  let at = bodyStart;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return { wanted: bytes.length + 1 };
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (bytes.length < end) return { wanted: end };
    if (length === 0) return { status, body: parts.length === 1 ? parts[0] : Buffer.concat(parts) };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = end;
  }
}
