/** Who may call: integrations, their credentials and grants, and the tokens that stand for them (A1-A5). */
import type { Caller, Grant } from '#model/caller';
import { bug } from '#model/error';
import type { Clock, Log, Random } from '#model/world';
import type { XidSource } from '#model/xid';
import type { Credential, CredentialType, Integration, MetaStore } from '#storage/store';

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
  /** The API address; undefined when left out. */
  audience: string | undefined;
}

/** A token, or why there is none (RFC 6749 §5.2, RFC 8707). */
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

/** Integrations, credentials, grants and tokens. */
export class Identity {
  /** Reads who there is; makes the first signing key where there is none. */
  static async open(_options: IdentityOptions): Promise<Identity> {
    return bug('not written yet');
  }

  /** Who Basic credentials stand for; null when they are wrong, revoked or expired (A1). */
  async authenticateBasic(_user: string, _password: string): Promise<Caller | null> {
    return bug('not written yet');
  }

  /** Who a token stands for; null when it is not ours, changed, expired, or its credential is gone (A1). Grants are those of now, and of the token. */
  async authenticateBearer(_token: string): Promise<Caller | null> {
    return bug('not written yet');
  }

  /** Exchanges client credentials for a token (A2). */
  async issueToken(_request: TokenRequest): Promise<TokenAnswer> {
    return bug('not written yet');
  }

  /** Registers a client. `invalid-params` at `name`. */
  async createIntegration(_name: string, _grants: readonly Grant[]): Promise<Integration> {
    return bug('not written yet');
  }

  /** All integrations, oldest first. */
  async listIntegrations(): Promise<Integration[]> {
    return bug('not written yet');
  }

  /** Gives an integration a grant (A5). `not-found`. */
  async grant(_integration: string, _grant: Grant): Promise<Integration> {
    return bug('not written yet');
  }

  /** Takes a grant from an integration; `integration` itself cannot be taken. `not-found`. */
  async revokeGrant(_integration: string, _grant: Grant): Promise<Integration> {
    return bug('not written yet');
  }

  /** Removes an integration with its credentials and signals; the numbers of the signals whose points are to be deleted. `not-found`. */
  async deleteIntegration(_integration: string): Promise<number[]> {
    return bug('not written yet');
  }

  /** A further credential of an integration (A4). `not-found`. */
  async createCredential(
    _integration: string,
    _type: CredentialType,
    _label: string,
    _expiresAtMs: number | null = null,
  ): Promise<NewCredential> {
    return bug('not written yet');
  }

  /** Credentials of one integration, or of all; oldest first. */
  async listCredentials(_integration?: string): Promise<Credential[]> {
    return bug('not written yet');
  }

  /** Ends a credential and its tokens (A1). `not-found`. */
  async revokeCredential(_id: string): Promise<void> {
    return bug('not written yet');
  }

  /** Makes a new signing key; older ones verify until their last token has expired. */
  async rotateSigningKey(): Promise<void> {
    return bug('not written yet');
  }

  /** Ends following the store's changes, after the last-used dates noted so far are written. */
  async close(): Promise<void> {
    return bug('not written yet');
  }
}
