/** The client: typed calls to a Tidemark service, with tokens that are kept and attempts that are repeated where that is safe. */
import { lostAnswer } from './certificates.ts';
import { type Credentials, type Prover, proverOf } from './credentials.ts';
import { type Environment, systemEnvironment } from './environment.ts';
import { type Fault, faultError, httpError, notThisInterface, ServiceError } from './error.ts';
import type { Columns } from './frame.ts';
import { followLive, type LiveEvent, type LiveItems, type LiveOptions } from './live.ts';
import {
  type EvaluateQuery,
  type FramesQuery,
  type ItemsQuery,
  type ReadOptions,
  readEvaluation,
  readFrames,
  readItems,
  readWholeFrame,
} from './reading.ts';
import { isIdempotent, type RetryPolicy, retryPauseMs, usualRetries } from './retry.ts';
import type { TokenStore } from './token.ts';
import type { CredentialsFile, Item, Version, Wire } from './wire.ts';

export { trustCertificates } from './certificates.ts';
export type { Credentials } from './credentials.ts';
export { type Environment, systemEnvironment } from './environment.ts';
export { ServiceError } from './error.ts';
export type { LiveEvent, LiveItems, LiveOptions, LivePoints } from './live.ts';
export type { ArrowReader, EvaluateQuery, FramesQuery, ItemsQuery, ReadOptions } from './reading.ts';
export type { RetryPolicy } from './retry.ts';
export type { StoredToken, TokenStore } from './token.ts';
export type { CredentialsFile, Version, Wire } from './wire.ts';

/** What a client is made with. */
export interface ClientOptions<V extends Version = '1.2'> {
  /** The API's address; ends in `/v1/`. */
  apiUrl: string;
  credentials: Credentials;
  /** The API version; default 1.2. */
  version?: V;
  /** How patient it is; what is left out is as usual. */
  retry?: Partial<RetryPolicy>;
  /** How long one attempt may take, ms; default 60,000. */
  timeoutMs?: number;
  /** Keeps tokens between runs of a program; for programs that run often, since tokens are given out at a limited rate. */
  tokens?: TokenStore;
  /** Called before each further attempt: why, and after which pause. */
  onRetry?: (error: ServiceError, pauseMs: number) => void;
  /** Time, chance and network; for tests, and for runtimes without `fetch`. */
  environment?: Environment;
}

/** How one call differs from the usual. */
export interface CallOptions {
  /** Ends the call; it then fails with the signal's reason. */
  signal?: AbortSignal;
  /** How long one attempt may take, ms. */
  timeoutMs?: number;
  /** How patient this call is. */
  retry?: Partial<RetryPolicy>;
  /** Whether the body of the request is compressed, where the runtime can; default false. Worth it from some kilobytes. */
  compress?: boolean;
}

/** The methods of a version. */
export type MethodName<V extends Version> = keyof Wire[V] & string;

/** The parameters of a method. */
export type Params<V extends Version, M extends MethodName<V>> = Wire[V][M] extends { params: infer P }
  ? P
  : never;

/** The result of a method. */
export type Result<V extends Version, M extends MethodName<V>> = Wire[V][M] extends { result: infer R }
  ? R
  : never;

/** What the clients of one service and credential share, whatever their version. */
export interface Shared {
  /** Ends in `/v1/`. */
  apiUrl: string;
  prove: Prover;
  retry: RetryPolicy;
  onRetry: NonNullable<ClientOptions['onRetry']>;
  timeoutMs: number;
  environment: Environment;
}

const usualTimeoutMs = 60_000;

function share(options: ClientOptions<Version>): Shared {
  const { apiUrl, credentials, retry, tokens, onRetry = () => {} } = options;
  const { timeoutMs = usualTimeoutMs, environment = systemEnvironment } = options;
  return {
    apiUrl,
    prove: proverOf(credentials, apiUrl, environment, tokens),
    retry: { ...usualRetries, ...retry },
    onRetry,
    timeoutMs,
    environment,
  };
}

/** A client of one service in one version. */
export class Client<V extends Version = '1.2'> {
  /** The API version that calls have. */
  readonly version: V;
  readonly #options: ClientOptions<V>;
  readonly #shared: Shared;

  /** A client for the content of a credentials file. */
  static fromFile<V extends Version = '1.2'>(
    { apiUrl, credentials }: CredentialsFile,
    options: Omit<ClientOptions<V>, 'apiUrl' | 'credentials'> = {},
  ): Client<V> {
    return new Client<V>({ ...options, apiUrl, credentials });
  }

  /** `shared` is for {@link withVersion}: leave it out. */
  constructor(options: ClientOptions<V>, shared: Shared = share(options)) {
    this.version = options.version ?? ('1.2' as V);
    this.#options = options;
    this.#shared = shared;
  }

  /** The same client in another version; both share their token. */
  withVersion<Other extends Version>(version: Other): Client<Other> {
    return new Client<Other>({ ...this.#options, version }, this.#shared);
  }

  /**
   * Calls a method. Fails with a {@link ServiceError}, or with the signal's reason. An insert whose answer was lost is sent
   * again: it does no harm, because the last write at a time wins.
   */
  call<M extends MethodName<V>>(
    method: M,
    params: Params<V, M>,
    options: CallOptions = {},
  ): Promise<Result<V, M>> {
    return this.callAny(method, params as object, options) as Promise<Result<V, M>>;
  }

  /** Calls a method that is known by name only. Fails as {@link call}. */
  callAny(method: string, params: object = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#request(jsonRequest(method, params), readAnswer, options);
  }

  /**
   * Calls a method whose result has one data frame, and gives the frame as an Arrow stream. Fails as {@link call}, and where the
   * result has none.
   */
  callForArrow<M extends MethodName<V>>(
    method: M,
    params: Params<V, M>,
    options: CallOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#request(
      { ...jsonRequest(method, params as object), accept: arrowType },
      readStream,
      options,
    );
  }

  /** Inserts a data frame that is an Arrow stream. Fails as {@link call}. */
  insertArrow(
    integration: string,
    stream: Uint8Array<ArrayBuffer>,
    options: CallOptions = {},
  ): Promise<Result<V, 'integration.insert' & MethodName<V>>> {
    const method = 'integration.insert';
    const query = `?${new URLSearchParams({ method, integration })}`;
    const request = { method, query, type: arrowType, body: stream };
    return this.#request(request, readAnswer, options) as Promise<
      Result<V, 'integration.insert' & MethodName<V>>
    >;
  }

  /**
   * Opens an export (`GET /v1/export`) with these parameters, and gives its bytes as they arrive. Fails as {@link call}; the
   * stream fails where the answer breaks off, and with the signal's reason.
   */
  openExport(
    parameters: Readonly<Record<string, string>>,
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const query = `?${new URLSearchParams(parameters)}`;
    const request = { method: 'service.dataFrame', path: 'export', query };
    return this.#request(request, readBytes, { timeoutMs: longestMs, ...options });
  }

  /** All items that match, page by page, by ascending ID; in version 1.2. Fails as {@link call}. */
  items(query: ItemsQuery = {}, options: ReadOptions = {}): AsyncGenerator<Item> {
    return readItems(this.withVersion('1.2'), query, options);
  }

  /**
   * The data of all items that match, however many and however long the window: its parts in ascending order, each with the series
   * of all items. Fails as {@link call}.
   */
  frames(params: FramesQuery, options: ReadOptions = {}): AsyncGenerator<Columns> {
    return readFrames(this.withVersion('1.2'), params, options);
  }

  /** As {@link frames}, joined. */
  frame(params: FramesQuery, options: ReadOptions = {}): Promise<Columns> {
    return readWholeFrame(this.withVersion('1.2'), params, options);
  }

  /**
   * The columns of `service.evaluate`, for a window of any length. Fails as {@link call}, and with a `RangeError` where a formula
   * needs a window whole that is too long for one call.
   */
  evaluate(params: EvaluateQuery, options: ReadOptions = {}): Promise<Columns> {
    return readEvaluation(this.withVersion('1.2'), params, options);
  }

  /**
   * What is inserted into items from now on, each insert once, when it is durable. It ends only with the loop or `signal`: after
   * an interruption it continues where it was. Fails with a {@link ServiceError} for what does not pass, such as a missing grant.
   */
  live(items: LiveItems, options: LiveOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return followLive({ ...this.#shared, url: `${this.#options.apiUrl}live` }, items, options);
  }

  async #request<T>(plain: HttpRequest, read: ReadAnswer<T>, options: CallOptions): Promise<T> {
    const { method } = plain;
    const { onRetry, environment } = this.#shared;
    const retry = { ...this.#shared.retry, ...options.retry };
    const request = options.compress ? await compressed(plain) : plain;
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted();
      try {
        return await this.#attempt(request, read, options);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const pauseMs = retryPauseMs(error, attempt, isIdempotent(method), retry, environment.random());
        if (pauseMs === null) throw error;
        onRetry(error, pauseMs);
        await environment.wait(pauseMs, options.signal);
      }
    }
  }

  /** One attempt; two where a token was refused that had been kept. */
  async #attempt<T>(request: HttpRequest, read: ReadAnswer<T>, options: CallOptions): Promise<T> {
    for (let isSecond = false; ; isSecond = true) {
      const proof = await this.#shared.prove();
      const response = await this.#send(request, proof.headers, options);
      if (response.status === 401 && proof.refused() && !isSecond) {
        await response.body?.cancel();
        continue;
      }
      return read(request.method, response, options.signal);
    }
  }

  async #send(
    { method, path = 'rpc', query = '', type, accept, encoding, body }: HttpRequest,
    proof: Record<string, string>,
    { signal, timeoutMs = this.#shared.timeoutMs }: CallOptions,
  ): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await this.#shared.environment.fetch(`${this.#shared.apiUrl}${path}${query}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(accept === undefined ? {} : { accept }),
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
          'x-api-version': this.version,
          ...proof,
        },
        body,
        credentials: 'same-origin',
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw lost(method, `${this.#shared.apiUrl}${path}`, timeout.aborted ? timeoutMs : null, cause);
    }
  }
}

const jsonType = 'application/json';
const arrowType = 'application/vnd.apache.arrow.stream';

/** The longest time that a timer can have. */
const longestMs = 2 ** 31 - 1;

/** A call as an HTTP request. */
interface HttpRequest {
  method: string;
  /** Below the API's address; default: that of calls. */
  path?: string;
  query?: string;
  type?: string;
  accept?: string;
  encoding?: 'gzip';
  /** Undefined: it only reads. */
  body?: string | Uint8Array<ArrayBuffer>;
}

function jsonRequest(method: string, params: object): HttpRequest {
  return { method, type: jsonType, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
}

/** The request with its body in gzip; as it is where the runtime cannot. */
async function compressed(request: HttpRequest): Promise<HttpRequest> {
  if (typeof CompressionStream === 'undefined' || request.body === undefined) return request;
  const stream = new Blob([request.body]).stream().pipeThrough(new CompressionStream('gzip'));
  return { ...request, encoding: 'gzip', body: new Uint8Array(await new Response(stream).arrayBuffer()) };
}

/** Takes the result out of an answer. */
type ReadAnswer<T> = (method: string, response: Response, signal: AbortSignal | undefined) => Promise<T>;

/** A JSON-RPC answer. */
interface Answer {
  result?: unknown;
  error?: Fault;
}

/** The result in an answer; fails with what the answer says. The body may break off, which is a lost answer too. */
async function readAnswer(
  method: string,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (response.status !== 200) throw await httpError(method, response);
  const answer = await readJson(method, response, signal);
  if (answer?.error !== undefined) throw faultError(method, answer.error, response);
  if (answer?.result === undefined) throw notThisInterface(method, response.url, response.status);
  return answer.result;
}

/** The bytes of an answer as they arrive. */
async function readBytes(
  method: string,
  response: Response,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (response.status !== 200) throw await httpError(method, response);
  return response.body ?? new ReadableStream();
}

/** The stream in an answer. Errors, and results without a data frame, are JSON. */
async function readStream(
  method: string,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (response.headers.get('content-type') === arrowType)
    return new Uint8Array(await readBody(method, response, signal, () => response.arrayBuffer()));
  await readAnswer(method, response, signal);
  throw new ServiceError('the result has no data frame that can be an Arrow stream', {
    kind: 'form',
    method,
  });
}

function readJson(method: string, response: Response, signal: AbortSignal | undefined): Promise<Answer> {
  return readBody(method, response, signal, () => response.json() as Promise<Answer>);
}

async function readBody<T>(
  method: string,
  response: Response,
  signal: AbortSignal | undefined,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SyntaxError) throw notThisInterface(method, response.url, response.status);
    throw lost(method, response.url, null, cause);
  }
}

function lost(method: string, url: string, timeoutMs: number | null, cause: unknown): ServiceError {
  if (timeoutMs === null) return lostAnswer(method, url, cause);
  return new ServiceError(`no answer from ${url} within ${timeoutMs} ms`, { kind: 'timeout', method, cause });
}
