/** One HTTP request and its answer; routes do not use the runtime's objects directly. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Accounts, unmetered } from '#load/account';
import type { Connection } from '#load/connections';
import type { Ticket } from '#load/ticket';
import { type Caller, type ClientOrigin, partyOf } from '#model/caller';
import { bug } from '#model/error';
import type { RateStatus } from '#model/rate-status';
import { type Answer, joined, type Piece } from '#protocol/answer';
import type { Trace } from '#protocol/trace';
import { defaultHeaders } from './default-headers.ts';
import {
  type Encoding,
  encodeAll,
  encoderBytes,
  encodingBytesMin,
  encodingFor,
  newEncoder,
} from './encoding.ts';
import type { RequestOutcome } from './observer.ts';
import { type HttpProblem, problemText, problemType } from './problem.ts';
import { rateHeaders } from './rate-headers.ts';
import { beginAnswer, bytesOf, freeing, gather, type Pieces, sendPieces } from './send-pieces.ts';

/** Header name → value. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** Why a call was aborted. */
const clientGone = 'the client has gone';
const timeUp = 'the time is up';

/** How long the remainder of an unread body is received, ms, since clients read the answer after sending the whole body. */
const lingerMs = 5000;

/** One request, to be answered once by one of the `send…` methods. */
export class Exchange {
  readonly request: IncomingMessage;
  /** Its trace context; a tracer may replace it before the request is served. */
  trace: Trace;
  /** The client's address, as far as proxies are trusted. */
  readonly address: string;
  /** Whether the client came by TLS, as far as proxies are trusted. */
  readonly isSecure: boolean;
  #caller: Caller | null = null;
  /** Whether the request became calls, which report their failures themselves. */
  hasCall = false;
  /** The caller's rate status for the called method, if it has a rate. */
  rate: RateStatus | null = null;
  /** Bytes of the request's body received so far. */
  bytesIn = 0;
  #bytesOut = 0;
  readonly #response: ServerResponse;
  readonly #timeoutMs: number;
  readonly #connection: Connection | null;
  readonly #endsConnection: (isKnown: boolean) => boolean;
  #abort: AbortController | null = null;
  #timer: NodeJS.Timeout | undefined;
  #hasTimeLimit = true;
  #ticket: Ticket | null = null;
  #refusal: unknown = null;
  #isSettled = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    context: {
      trace: Trace;
      address: string;
      isSecure: boolean;
      timeoutMs: number;
      /** Null: unknown, as on a separate listener. */
      connection?: Connection | null;
      endsConnection(isKnown: boolean): boolean;
    },
  ) {
    this.request = request;
    this.#response = response;
    this.trace = context.trace;
    this.address = context.address;
    this.#timeoutMs = context.timeoutMs;
    this.isSecure = context.isSecure;
    this.#connection = context.connection ?? null;
    this.#endsConnection = context.endsConnection;
  }

  /** The resources that the request holds. */
  get ticket(): Ticket {
    return this.#ticket ?? bug('a request was served without a ticket');
  }

  /** Sets the ticket, which is closed when the answer has been sent or the client has disconnected. */
  admit(open: () => Ticket): void {
    if (this.#connection !== null) this.#connection.requestCount++;
    // Not `once`: it comes once in any case, and taking the listener out takes longer than calling it.
    this.#response.on('close', () => this.#settle());
    try {
      this.#ticket = open();
    } catch (refusal) {
      this.#refusal = refusal;
    }
  }

  /** Drops the request without serving it, since its connection is ending or has ended. */
  drop(): void {
    this.request.socket.destroy();
    this.#settle();
  }

  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#connection !== null) this.#connection.requestCount--;
    this.#ticket?.close();
  }

  /** Throws the error with which the ticket was refused. */
  requireTicket(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** Records the authenticated client. Throws `Overload` when it has its share of requests already. */
  identify(caller: Caller, accounts: Accounts): void {
    this.#caller = caller;
    if (this.#connection !== null) this.#connection.isKnown = true;
    const { person, integration } = caller;
    // People have no plan (L4).
    this.ticket.identify(partyOf(caller), person === undefined ? accounts.accountOf(integration) : unmetered);
  }

  /** Whether an error is the reason of {@link signal}: the client has disconnected, or the time limit was reached. */
  isAbort(error: unknown): boolean {
    return this.#abort?.signal.aborted === true && this.#abort.signal.reason === error;
  }

  /** A header of the request; repeated headers are combined as the runtime does. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** The origin of the request, for records. */
  get origin(): ClientOrigin {
    const { address, trace } = this;
    const names = [this.header('x-client-name'), this.header('user-agent')];
    return { address, userAgent: names.filter(Boolean).join(' '), traceId: trace.traceId };
  }

  /** Aborted when the client has disconnected or the time limit is reached. Created on first use. */
  get signal(): AbortSignal {
    if (this.#abort === null) {
      const controller = new AbortController();
      if (this.#hasTimeLimit)
        this.#timer = setTimeout(() => controller.abort(new Error(timeUp)), this.#timeoutMs);
      this.#response.once('close', () => {
        clearTimeout(this.#timer);
        if (!this.#response.writableFinished) controller.abort(new Error(clientGone));
      });
      if (this.#response.destroyed) controller.abort(new Error(clientGone));
      this.#abort = controller;
    }
    return this.#abort.signal;
  }

  /** The answer may take any time from now on, as long as the client reads. */
  liftTimeLimit(): void {
    this.#hasTimeLimit = false;
    clearTimeout(this.#timer);
  }

  /** Sends a status without a body. */
  sendEmpty(status: number, headers: Headers = {}): void {
    this.#begin(status, headers, null);
    this.#response.end();
  }

  /** Sends a whole text, or its bytes, compressed if the client accepts it and the text is large enough. */
  sendText(status: number, type: string, text: Piece, headers: Headers = {}): Promise<void> {
    return this.#sendWhole(status, type, [text], headers);
  }

  async #sendWhole(status: number, type: string, pieces: readonly Piece[], headers: Headers): Promise<void> {
    const length = bytesOf(pieces);
    const encoding = length < encodingBytesMin ? null : encodingFor(this.header('accept-encoding'));
    if (encoding !== null) {
      const body = await encodeAll(encoding, joined(pieces));
      return this.sendBytes(status, body, { ...headers, ...contentHeaders(type, encoding) });
    }
    this.#begin(status, headers, length, contentHeaders(type, null));
    this.#bytesOut = length;
    // Not joined: copying takes longer than handing several to the system at once, as the runtime does.
    for (const piece of pieces) this.#response.write(piece, freeing(piece));
    this.#response.end();
  }

  /** Sends bytes unchanged; the headers describe them. */
  sendBytes(status: number, bytes: Buffer, headers: Headers): void {
    this.#begin(status, headers, bytes.length);
    this.#bytesOut = bytes.length;
    this.#response.end(bytes);
  }

  /** Sends an answer as it is produced: a short one as a whole, else piece by piece, as fast as the client reads. */
  async sendAnswer(type: string, answer: Answer, headers: Headers = {}): Promise<void> {
    const begun = beginAnswer(answer, this.ticket);
    const { pieces, rest } = begun instanceof Promise ? await begun : begun;
    if (rest === null) return this.#sendWhole(200, type, pieces, headers);
    // The answers of a batch are sent as they become available.
    const isGathered = !(Symbol.asyncIterator in answer);
    return this.#sendStream(type, pieces, rest, { headers, isGathered });
  }

  /**
   * Sends pieces as they are produced, as a file that is compressed itself, or compressed on the way if the client accepts it.
   * Nobody else may have the pieces, whose memory is freed. Rejects without an answer when the first one cannot be produced.
   */
  async sendPieces(
    type: string,
    pieces: Pieces,
    { headers, compression }: { headers: Headers; compression: Encoding | null },
  ): Promise<void> {
    const { done, value } = await pieces.next();
    await this.#sendStream(type, done ? [] : [value], pieces, { headers, compression, areOwn: true });
  }

  async #sendStream(
    type: string,
    first: Piece[],
    rest: Pieces,
    {
      headers,
      compression = null,
      isGathered = false,
      areOwn = false,
    }: { headers: Headers; compression?: Encoding | null; isGathered?: boolean; areOwn?: boolean },
  ): Promise<void> {
    const hold = this.ticket.hold('answer');
    const coding = compression === null ? encodingFor(this.header('accept-encoding')) : null;
    const encoding = compression ?? coding;
    if (encoding !== null) await hold.take(encoderBytes);
    await hold.take(first.reduce((sum, piece) => sum + piece.length, 0));
    const length = isGathered && encoding === null ? await gather(first, rest, hold) : null;
    this.#begin(200, { ...headers, ...contentHeaders(type, coding) }, length);
    const encoder = encoding === null ? null : newEncoder(encoding);
    const socket = this.#response.socket;
    const before = socket?.bytesWritten ?? 0;
    const target = {
      encoder,
      response: this.#response,
      ticket: this.ticket,
      hold,
      stallMsMax: this.#timeoutMs,
      areOwn,
    };
    await sendPieces(first, rest, target);
    this.#bytesOut = (socket?.bytesWritten ?? before) - before;
  }

  /**
   * Begins an answer that goes on for as long as the client stays. The request holds nothing of the service meanwhile: its route
   * bounds what it writes, and ends it.
   */
  openStream(type: string, headers: Headers = {}): ServerResponse {
    this.#begin(200, { ...headers, 'content-type': type }, null);
    this.#ticket?.close();
    this.#response.flushHeaders();
    return this.#response;
  }

  /** Counts bytes that were sent in a stream. */
  noteStreamed(bytes: number): void {
    this.#bytesOut += bytes;
  }

  /** Sends a problem body. */
  async sendProblem(problem: HttpProblem): Promise<void> {
    const text = problemText(problem.status, problem.message, this.trace.traceId, problem.members);
    await this.sendText(problem.status, problemType, text, {
      'cache-control': 'no-store',
      ...problem.headers,
    });
  }

  /** Breaks the connection, so that the client notices that the answer is incomplete. */
  destroy(): void {
    this.#response.destroy();
  }

  /** Whether the answer has begun. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  /** The status of the answer; 0 if there is none. */
  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }

  /** The outcome, for observers. */
  outcome(route: string | null, durationMs: number): RequestOutcome {
    const { status, bytesIn, address, request } = this;
    const caller = this.#caller;
    return {
      route,
      method: request.method ?? '',
      status,
      durationMs,
      bytesIn,
      bytesOut: this.#bytesOut,
      address,
      traceId: this.trace.traceId,
      caller: caller === null ? null : partyOf(caller),
      isPerson: caller?.person !== undefined,
      hasCall: this.hasCall,
    };
  }

  /** `more`: further headers, of the content. */
  #begin(status: number, headers: Headers, length: number | null, more: Headers = {}): void {
    // Names and values in turn: an object of all of them takes the runtime longer.
    const all: (string | string[])[] = [...defaultHeaders(this.isSecure, headers)];
    if (this.rate !== null && headers.ratelimit === undefined) addHeaders(all, rateHeaders(this.rate));
    addHeaders(all, headers);
    addHeaders(all, more);
    all.push('traceparent', this.trace.traceparent);
    if (length !== null) all.push('content-length', String(length));
    if (this.#endsConnection(this.#connection?.isKnown === true)) all.push('connection', 'close');
    this.#response.writeHead(status, all);
    if (!this.request.complete && hasBody(this.request)) this.#linger();
  }

  /** Receives the remainder of the request for a limited time, since a connection reset would lose the answer. */
  #linger(): void {
    const { request } = this;
    request.resume();
    const timer = setTimeout(() => request.complete || request.socket.destroy(), lingerMs).unref();
    request.once('close', () => clearTimeout(timer));
  }
}

function addHeaders(all: (string | string[])[], headers: Headers): void {
  for (const name in headers) all.push(name, headers[name]);
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return length !== '0' || coding !== undefined;
}

function contentHeaders(type: string, encoding: Encoding | null): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': type, vary: 'accept-encoding' };
  if (encoding !== null) headers['content-encoding'] = encoding;
  return headers;
}
