/** A client on a bare socket: for requests that no HTTP client would send, or not so slowly. */
import { connect, type Socket } from 'node:net';

/** One answer as it came over the socket. */
export interface RawAnswer {
  status: number;
  /** Header names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** A connection. */
export class RawClient {
  readonly #socket: Socket;
  #received = '';
  readonly #ended: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#received += text;
    });
    socket.on('error', () => {});
    this.#ended = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** Connects to a port of this machine. */
  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawClient(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends text as it is. */
  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Characters that have come and were not asked for yet. */
  get receivedLength(): number {
    return this.#received.length;
  }

  /** Stops reading, as a client does that hangs. */
  stall(): void {
    this.#socket.pause();
  }

  /** Reads again. */
  resume(): void {
    this.#socket.resume();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Everything until the server closes the connection. */
  async untilClosed(): Promise<string> {
    await this.#ended;
    return this.#received;
  }

  /** The first answer that has come, once the server has closed the connection. */
  async answer(): Promise<RawAnswer> {
    return parseAnswer(await this.untilClosed());
  }
}

/** Reads an answer of known length. */
function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.split(':', 1)[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = text.slice(end + 4);
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: body.slice(0, Number(headers.get('content-length') ?? body.length)),
  };
}
