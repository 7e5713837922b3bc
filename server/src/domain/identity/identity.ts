/** Who may call: integrations, their credentials and grants, and the tokens that stand for them (A1-A5). */
import type { Caller, Grant } from '#model/caller';
import { AppError, invalidParams } from '#model/error';
import type { Clock, Log, Random } from '#model/world';
import type { XidSource } from '#model/xid';
import type { Credential, CredentialType, Integration, MetaStore, MetaWrites } from '#storage/store';
import { LastUsed } from './last-used.ts';
import { byAge, Roster, type RosterCredential } from './roster.ts';
import { digestOf, newSecret, printDigest, sameDigest } from './secret.ts';
import { type KeyMaking, rotateKeys, tendKeys } from './signing-keys.ts';
import { type Claims, scopesOf, Tokens } from './tokens.ts';

/** What {@link Identity} works with. */
export interface IdentityOptions {
  meta: MetaStore;
  clock: Clock;
  random: Random;
  ids: XidSource;
  log: Log;
  /** How long a token is valid, seconds (A2). */
  tokenTtlS: number;
  /** The API's address as clients write it, ending in `/v1/`: a token's issuer and audience. */
  apiUrl: string;
}

/** What a client sends for a token (A2). */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** The API address, with or without its last slash; undefined when left out. */
  audience: string | undefined;
}

/** A token, or why there is none (RFC 6749 §5.2, RFC 8707 §2). */
export type TokenAnswer =
  | {
      ok: true;
      accessToken: string;
      /** For example `invoke:integration`, `invoke:admin`; in the order of `grantsAll`. */
      scopes: string[];
      expiresInS: number;
    }
  | { ok: false; error: 'invalid_client' | 'invalid_request' | 'invalid_target'; description: string };

/** A credential and its secret, which is shown this once (A4). */
export interface NewCredential {
  credential: Credential;
  secret: string;
}

/** Characters of an integration's name and a credential's label at most. */
const nameMax = 128;

/** Integrations, credentials, grants and tokens. A change is in force here when its promise resolves, elsewhere within a second. */
export class Identity {
  readonly #options: IdentityOptions;
  readonly #roster: Roster;
  readonly #tokens: Tokens;
  readonly #lastUsed: LastUsed;

  /** Reads who there is; makes the first signing key where there is none. */
  static async open(options: IdentityOptions): Promise<Identity> {
    const identity = new Identity(options);
    await identity.#change((tx) => tendKeys(tx, identity.#keyMaking()));
    return identity;
  }

  private constructor(options: IdentityOptions) {
    const { meta, clock, log, tokenTtlS, apiUrl } = options;
    this.#options = options;
    this.#roster = new Roster(meta, log);
    this.#tokens = new Tokens({ roster: this.#roster, clock, tokenTtlS, apiUrl });
    this.#lastUsed = new LastUsed(meta, log);
  }

  /** Who Basic credentials stand for; null when they are wrong, revoked or expired (A1). */
  authenticateBasic(user: string, password: string): Caller | null {
    const given = digestOf(password);
    const candidates = this.#roster.basicCredentials(user);
    if (candidates.length === 0) sameDigest(undefined, given);
    const matching = candidates.filter((credential) => sameDigest(credential.digest, given));
    const live = matching.find((credential) => this.#isLive(credential));
    return live === undefined ? null : this.#callerOf(live, null);
  }

  /** Who a token stands for; null when it is not ours, changed, expired, or its credential is gone (A1). Grants are those that it has and the integration has now. */
  authenticateBearer(token: string): Caller | null | Promise<Caller | null> {
    const claims = this.#tokens.verify(token);
    return claims instanceof Promise
      ? claims.then((found) => this.#callerByClaims(found))
      : this.#callerByClaims(claims);
  }

  /** Exchanges client credentials for a token (A2). */
  async issueToken({ clientId, clientSecret, audience }: TokenRequest): Promise<TokenAnswer> {
    const credential = this.#roster.credential(clientId);
    const isRight = sameDigest(credential?.digest, digestOf(clientSecret));
    const caller =
      credential?.type === 'client-credentials' && isRight && this.#isLive(credential)
        ? this.#callerOf(credential, null)
        : null;
    if (caller === null)
      return refusal('invalid_client', 'unknown client, wrong secret, or revoked credential');
    if (audience === undefined) return refusal('invalid_request', 'audience is required');
    const { apiUrl, tokenTtlS } = this.#options;
    if (withSlash(audience) !== apiUrl) return refusal('invalid_target', `audience must be ${apiUrl}`);
    const accessToken = await this.#tokens.issue(caller);
    return { ok: true, accessToken, scopes: scopesOf(caller.grants), expiresInS: tokenTtlS };
  }

  /** Registers a client. `invalid-params` at `name`. */
  async createIntegration(name: string, grants: readonly Grant[]): Promise<Integration> {
    checkText('name', name, 1);
    const id = this.#options.ids.next();
    const integration = { id, name, grants: further(grants), createdAtMs: this.#nowMs() };
    await this.#change((tx) => tx.insertIntegration(integration));
    return integration;
  }

  /** All integrations, oldest first. */
  async listIntegrations(): Promise<Integration[]> {
    return this.#roster.integrations();
  }

  /** Gives an integration a grant (A5). `not-found`. */
  grant(integration: string, grant: Grant): Promise<Integration> {
    return this.#changeGrants(integration, (grants) => [...grants, grant]);
  }

  /** Takes a grant from an integration. `not-found`; `invalid-params` for `integration`, which everyone has. */
  async revokeGrant(integration: string, grant: Grant): Promise<Integration> {
    if (grant === 'integration') {
      throw invalidParams({ grant: ['integration cannot be taken: every integration has it'] });
    }
    return this.#changeGrants(integration, (grants) => grants.filter((other) => other !== grant));
  }

  /** Removes an integration with its credentials and signals; the numbers of the signals whose points are to be deleted. `not-found`. */
  deleteIntegration(integration: string): Promise<number[]> {
    return this.#change(async (tx) => {
      await findIntegration(tx, integration);
      return tx.deleteIntegration(integration);
    });
  }

  /** A further credential of an integration (A4). `not-found`; `invalid-params` at `label`. */
  async createCredential(
    integration: string,
    type: CredentialType,
    label: string,
    expiresAtMs: number | null = null,
  ): Promise<NewCredential> {
    checkText('label', label, 0);
    const secret = newSecret(this.#options.random);
    const credential: Credential = {
      id: this.#options.ids.next(),
      integration,
      type,
      label,
      secretSha256: printDigest(secret),
      createdAtMs: this.#nowMs(),
      lastUsedAtMs: null,
      expiresAtMs,
    };
    await this.#change(async (tx) => {
      await findIntegration(tx, integration);
      await tx.insertCredential(credential);
    });
    return { credential, secret };
  }

  /** Credentials of one integration, or of all; oldest first. */
  async listCredentials(integration?: string): Promise<Credential[]> {
    const credentials = byAge(await this.#options.meta.credentials());
    return credentials.filter(
      (credential) => integration === undefined || credential.integration === integration,
    );
  }

  /** Ends a credential and its tokens (A1). `not-found`. */
  revokeCredential(id: string): Promise<void> {
    return this.#change(async (tx) => {
      const known = await tx.credentials();
      if (!known.some((credential) => credential.id === id)) throw notFound('credential', id);
      await tx.deleteCredential(id);
    });
  }

  /** Makes a new signing key; older ones verify until their last token has expired. */
  rotateSigningKey(): Promise<void> {
    return this.#change((tx) => rotateKeys(tx, this.#keyMaking()));
  }

  /** Ends following the store's changes, after the last-used dates noted so far are written. */
  async close(): Promise<void> {
    await this.#lastUsed.settle();
    await this.#roster.close();
  }

  #callerByClaims(claims: Claims | null): Caller | null {
    if (claims === null) return null;
    const credential = this.#roster.credential(claims.credential);
    const isSame = credential?.integration === claims.integration;
    return credential !== undefined && isSame && this.#isLive(credential)
      ? this.#callerOf(credential, claims.grants)
      : null;
  }

  /** With the grants that the integration has now, and of those only `granted` unless it is null. */
  #callerOf(credential: RosterCredential, granted: ReadonlySet<Grant> | null): Caller | null {
    const integration = this.#roster.integration(credential.integration);
    if (integration === undefined) return null;
    this.#lastUsed.note(credential, this.#nowMs());
    const grants = new Set<Grant>(['integration', ...integration.grants]);
    return {
      integration: integration.id,
      credential: credential.id,
      grants: granted === null ? grants : grants.intersection(granted),
    };
  }

  #isLive({ expiresAtMs }: Credential): boolean {
    return expiresAtMs === null || expiresAtMs > this.#nowMs();
  }

  #changeGrants(id: string, change: (grants: readonly Grant[]) => Grant[]): Promise<Integration> {
    return this.#change(async (tx) => {
      const before = await findIntegration(tx, id);
      const after = { ...before, grants: further(change(before.grants)) };
      await tx.updateIntegration(after);
      return after;
    });
  }

  /** Writes, and knows of it before it resolves. */
  async #change<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T> {
    const result = await this.#options.meta.write(work);
    await this.#roster.reload();
    return result;
  }

  #keyMaking(): KeyMaking {
    const { ids, random, tokenTtlS } = this.#options;
    return { nextId: () => ids.next(), random, nowMs: this.#nowMs(), tokenTtlS };
  }

  #nowMs(): number {
    return Math.floor(this.#options.clock.nowUs() / 1000);
  }
}

/** As they are stored: each once, without the one that everyone has. */
function further(grants: readonly Grant[]): Grant[] {
  return [...new Set(grants)].filter((grant) => grant !== 'integration');
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function refusal(
  error: 'invalid_client' | 'invalid_request' | 'invalid_target',
  description: string,
): TokenAnswer {
  return { ok: false, error, description };
}

async function findIntegration(tx: MetaWrites, id: string): Promise<Integration> {
  const found = (await tx.integrations()).find((integration) => integration.id === id);
  if (found === undefined) throw notFound('integration', id);
  return found;
}

function notFound(what: string, id: string): AppError {
  return new AppError('not-found', `no ${what} has the ID ${id}`);
}

function checkText(field: string, text: string, min: number): void {
  const length = [...text].length;
  if (text.isWellFormed() && !text.includes('\0') && length >= min && length <= nameMax) return;
  throw invalidParams({
    [field]: [`must be Unicode text of ${min} to ${nameMax} characters, got ${length}`],
  });
}
