/** Access tokens: asked for once, kept until shortly before they expire, shared by calls that run at the same time. */

import type { Environment } from './environment.ts';
import { httpError, ServiceError } from './error.ts';

/** A client of the service, as its credentials file names it. */
export interface TokenClient {
  /** Ends in `/v1/`. */
  apiUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A token is not used any more this long before it expires: it has a way to go. */
const marginMs = 30_000;

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

  constructor(client: TokenClient, environment: Environment) {
    this.#client = client;
    this.#environment = environment;
  }

  /** A token that is valid for a while. Fails with a {@link ServiceError}. */
  async token(): Promise<string> {
    if (this.#kept !== null && this.#environment.nowMs() < this.#kept.untilMs) return this.#kept.token;
    return (await this.#renew()).token;
  }

  /** Forgets a token that was refused, unless another one has taken its place already. */
  refuse(token: string): void {
    if (this.#kept?.token === token) this.#kept = null;
  }

  /** Whoever comes while a token is asked for gets the same one. */
  #renew(): Promise<Kept> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
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
    const answer = (await response.json()) as { access_token: string; expires_in: number };
    const lifeMs = answer.expires_in * 1000;
    const kept = { token: answer.access_token, untilMs: askedMs + lifeMs - Math.min(marginMs, lifeMs / 2) };
    this.#kept = kept;
    return kept;
  }

  async #send(url: string, body: URLSearchParams): Promise<Response> {
    try {
      return await this.#environment.fetch(url, { method: 'POST', body });
    } catch (cause) {
      throw new ServiceError(`no answer from ${url}`, { kind: 'network', method: '', cause });
    }
  }
}
