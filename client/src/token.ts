/** Access tokens: asked for once, kept until shortly before they expire, shared by calls that run at the same time. */

import { lostAnswer } from './certificates.ts';
import type { Environment } from './environment.ts';
import { httpError, notThisInterface } from './error.ts';

/** A client of the service, as its credentials file names it. */
export interface TokenClient {
  /** Ends in `/v1/`. */
  apiUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A token is not used any more this long before it expires: it has a way to go. */
const marginMs = 30_000;

/** A token as it is kept between runs of a program. */
export interface StoredToken {
  token: string;
  /** How long it is still valid, ms. */
  lifeMs: number;
}

/** Keeps the token of one client between runs of a program. A store that fails must not throw: a token can be had again. */
export interface TokenStore {
  load(): Promise<StoredToken | null>;
  /** Null: the token was refused. */
  save(token: StoredToken | null): Promise<void>;
}

interface Kept {
  token: string;
  untilMs: number;
}

/** Gets and keeps the token of one client. */
export class TokenKeeper {
  readonly #client: TokenClient;
  readonly #environment: Environment;
  #kept: Kept | null = null;
  #asking: Promise<Kept> | null = null;
  readonly #store: TokenStore | undefined;
  #isLoaded = false;

  constructor(client: TokenClient, environment: Environment, store?: TokenStore) {
    this.#client = client;
    this.#environment = environment;
    this.#store = store;
  }

  /** A token that is valid for a while. Fails with a {@link ServiceError}. */
  async token(): Promise<string> {
    if (this.#kept !== null && this.#environment.nowMs() < this.#kept.untilMs) return this.#kept.token;
    return (await this.#renew()).token;
  }

  /** Forgets a token that was refused, unless another one has taken its place already. */
  refuse(token: string): void {
    if (this.#kept?.token !== token) return;
    this.#kept = null;
    void this.#store?.save(null);
  }

  /** Concurrent callers share one request for a token. */
  #renew(): Promise<Kept> {
    this.#asking ??= this.#find().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** The token of an earlier run, or a new one. */
  async #find(): Promise<Kept> {
    const stored = this.#isLoaded ? null : ((await this.#store?.load()) ?? null);
    this.#isLoaded = true;
    if (stored === null || stored.lifeMs <= marginMs) return this.#ask();
    this.#kept = { token: stored.token, untilMs: this.#environment.nowMs() + stored.lifeMs - marginMs };
    return this.#kept;
  }

  async #ask(): Promise<Kept> {
    const { clientId, clientSecret, apiUrl } = this.#client;
    const askedMs = this.#environment.nowMs();
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      audience: apiUrl,
    });
    const response = await this.#send(`${apiUrl}oauth/token`, body);
    if (!response.ok) throw await httpError('', response);
    const answer = (await response.json().catch(() => null)) as {
      access_token?: string;
      expires_in: number;
    } | null;
    if (typeof answer?.access_token !== 'string') throw notThisInterface('', response.url, response.status);
    const lifeMs = answer.expires_in * 1000;
    const kept = { token: answer.access_token, untilMs: askedMs + lifeMs - Math.min(marginMs, lifeMs / 2) };
    this.#kept = kept;
    await this.#store?.save({ token: kept.token, lifeMs });
    return kept;
  }

  async #send(url: string, body: URLSearchParams): Promise<Response> {
    try {
      return await this.#environment.fetch(url, { method: 'POST', body, redirect: 'manual' });
    } catch (cause) {
      throw lostAnswer('', url, cause);
    }
  }
}
