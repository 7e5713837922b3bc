/** Calls a running service over HTTP with a credentials file; waits and tries again where that can help. */
import { setTimeout as wait } from 'node:timers/promises';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { CommandError } from './usage.ts';

/** How to call. */
export interface RemoteOptions {
  credentials: CredentialsFile;
  /** Default 1.1. */
  apiVersion?: string;
  /** Told before each wait: why, and how long. */
  onWait?: (reason: string, waitMs: number) => void;
  /** The first wait after a failure; each further one is twice as long. Default 500 ms. */
  waitMs?: number;
}

/** The service refused a call. */
export class RemoteError extends CommandError {
  /** The HTTP status; 200 for a JSON-RPC error. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Something that time may heal. */
class Transient extends Error {
  readonly waitMs: number | null;

  constructor(message: string, waitMs: number | null) {
    super(message);
    this.waitMs = waitMs;
  }
}

interface Token {
  header: string;
  /** When to get the next one, on the clock of `performance`. */
  renewAtMs: number;
}

const attemptsMax = 10;
const waitMsMax = 30_000;
/** The service says to wait longer than this: better to end and be started again. */
const retryAfterMsMax = 600_000;
const attemptMsMax = 120_000;

/** A client of one service for one integration. */
export class Remote {
  readonly #credentials: CredentialsFile;
  readonly #apiVersion: string;
  readonly #onWait: (reason: string, waitMs: number) => void;
  readonly #waitMs: number;
  #token: Token | null = null;

  constructor({ credentials, apiVersion = '1.1', onWait = () => {}, waitMs = 500 }: RemoteOptions) {
    this.#apiVersion = apiVersion;
    this.#credentials = credentials;
    this.#onWait = onWait;
    this.#waitMs = waitMs;
  }

  /**
   * Calls a method and gives its result. Connection loss, 429, 502, 503, 504 and -32015 are tried again, up to 10 times,
   * after the Retry-After that was named or with waits that double. Throws {@link RemoteError}, or {@link CommandError}
   * when nothing helped. To be used for calls that may be carried out twice.
   */
  async call<Result>(method: string, params: object): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#attempt(body)) as Result;
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        if (attempt >= attemptsMax)
          throw new CommandError(`${error.message}; gave up after ${attempt} attempts`);
        await this.#wait(error, attempt);
      }
    }
  }

  async #wait(error: Transient, attempt: number): Promise<void> {
    const waitMs = error.waitMs ?? Math.min(waitMsMax, this.#waitMs * 2 ** (attempt - 1));
    if (waitMs > retryAfterMsMax)
      throw new CommandError(`${error.message}; it asks to wait ${waitMs / 1000} s`);
    this.#onWait(error.message, waitMs);
    await wait(waitMs);
  }

  async #attempt(body: string): Promise<unknown> {
    const isFreshToken = this.#token === null;
    let response = await this.#post(body);
    if (response.status === 401 && this.#token !== null && !isFreshToken) {
      this.#token = null; // It ended early, for example because the signing key was changed.
      response = await this.#post(body);
    }
    if (!response.ok) throw httpProblem(response, await readText(response));
    return readResult(response, await readText(response));
  }

  async #post(body: string): Promise<Response> {
    const authorization = await this.#authorization();
    const headers = {
      'Content-Type': 'application/json',
      'X-API-Version': this.#apiVersion,
      Authorization: authorization,
    };
    return send(new URL('rpc', this.#credentials.apiUrl), { method: 'POST', headers, body });
  }

  async #authorization(): Promise<string> {
    const { type, clientId, clientSecret } = this.#credentials.credentials;
    if (type === 'basic-auth')
      return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (this.#token === null || this.#token.renewAtMs <= performance.now())
      this.#token = await this.#fetchToken();
    return this.#token.header;
  }

  async #fetchToken(): Promise<Token> {
    const { apiUrl, credentials } = this.#credentials;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      audience: apiUrl,
    });
    const response = await send(new URL('oauth/token', apiUrl), { method: 'POST', body });
    const text = await readText(response);
    if (!response.ok) throw httpProblem(response, text);
    const answer = parseJson(text) as { access_token?: string; expires_in?: number; token_type?: string };
    if (typeof answer?.access_token !== 'string') throw notOurs(apiUrl);
    const lifeMs = (answer.expires_in ?? 0) * 1000;
    return { header: `Bearer ${answer.access_token}`, renewAtMs: performance.now() + lifeMs * 0.9 };
  }
}

/** `fetch` whose network errors are transient; an answer that stops in the middle is one too ({@link readText}). */
async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(attemptMsMax) });
  } catch (error) {
    throw networkProblem(url.origin, error);
  }
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw networkProblem(new URL(response.url).origin, error);
  }
}

function networkProblem(origin: string, error: unknown): Transient {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return new Transient(
    `no answer from ${origin}: ${cause?.code ?? cause?.message ?? (error as Error).message}`,
    null,
  );
}

const transientStatus = new Set([429, 502, 503, 504]);

function httpProblem(response: Response, text: string): Error {
  const { detail, title, error_description } = (parseJson(text) ?? {}) as Record<string, unknown>;
  const said = [error_description, detail, title].find((member) => typeof member === 'string');
  const origin = new URL(response.url).origin;
  const message = `${origin} answered ${response.status}${said === undefined ? '' : `: ${said}`}`;
  if (!transientStatus.has(response.status)) return new RemoteError(message, response.status);
  return new Transient(message, retryAfterMs(response));
}

function retryAfterMs(response: Response): number | null {
  const header = response.headers.get('Retry-After');
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : null;
}

function readResult(response: Response, text: string): unknown {
  const answer = parseJson(text) as {
    result?: unknown;
    error?: { code: number; message: string; data?: { params?: Record<string, string[]> } };
  } | null;
  if (answer?.error !== undefined) throw rpcProblem(answer.error, response);
  if (answer?.result === undefined) throw notOurs(response.url);
  return answer.result;
}

function rpcProblem(
  error: { code: number; message: string; data?: { params?: Record<string, string[]> } },
  response: Response,
): Error {
  const problems = Object.entries(error.data?.params ?? {}).map(
    ([path, texts]) => `${path}: ${texts.join(', ')}`,
  );
  const message = [`the service refused: ${error.message}`, ...problems.slice(0, 5)].join('; ');
  if (error.code === -32015) return new Transient(message, retryAfterMs(response));
  return new RemoteError(message, response.status);
}

function notOurs(url: string): CommandError {
  return new CommandError(`${url} is no Tidemark service: its answer has another form`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
