/** Integrations, their credentials and grants, and access tokens (A1-A5). */
import { type Act, serviceAct } from '#model/act';
import type { Caller, ClientOrigin, Grant } from '#model/caller';
import { type Clock, clockMs, type Log, type Random } from '#model/environment';
import { AppError, conflict, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { defaultPlanName } from '#model/plan';
import type { TokenAnswer, TokenRequest } from '#model/token-request';
import { idPattern, type XidSource } from '#model/xid';
import type { Credential, CredentialType, Integration, MetaPart, MetaWrites } from '#storage/meta-store';
import { type AuditEntry, changesOf, record } from '../audit/record.ts';
import { byAge } from '../follower.ts';
import { credentialView, integrationView } from './audit-view.ts';
import { checkText, findCredential, findIntegration } from './checks.ts';
import {
  type Allowed,
  CredentialLookup,
  disabledWords,
  type Found,
  type Refused,
} from './credential-lookup.ts';
import { further, grantsOf } from './grants.ts';
import { IdentityCache } from './identity-cache.ts';
import { LastUsed } from './last-used.ts';
import { digestOf, newSecret, printDigest } from './secret.ts';
import { type KeyMaking, rotateKeys, tendKeys } from './signing-keys.ts';
import { grantsOfRequest, tokenRefusal } from './token-request.ts';
import { scopesOf, Tokens } from './tokens.ts';

type Subject = 'integrations' | 'credentials' | 'signingKeys' | 'audit';

/** Dependencies of {@link Identity}. */
export interface IdentityOptions {
  meta: MetaPart<Subject>;
  clock: Clock;
  random: Random;
  ids: XidSource;
  log: Log;
  /** How long a token is valid (A2); looked at for each. */
  limits: Pick<Limits, 'tokenTtlS'>;
  /** The API's address as clients write it, ending in `/v1/`: a token's audience. */
  apiUrl: string;
  /** Further audiences that tokens are requested for (A2); default none. */
  audiences?: readonly string[];
  /** Called when credentials of an existing integration are rejected, with the reason; optional. */
  onRefused?: (integration: string, why: string, from: ClientOrigin) => void;
}

/** A new credential with its secret, which cannot be shown again (A4). */
export interface NewCredential {
  credential: Credential;
  secret: string;
}

/** Integrations, credentials, grants and tokens. A change is in force here when its promise resolves, elsewhere within a second. */
export class Identity {
  readonly #options: IdentityOptions;
  readonly #cache: IdentityCache;
  readonly #tokens: Tokens;
  readonly #lookup: CredentialLookup;
  readonly #lastUsed: LastUsed;

  /** Reads the store, and creates the first signing key if there is none. */
  static async open(options: IdentityOptions): Promise<Identity> {
    const identity = new Identity(options);
    await identity.#change(async (tx) => {
      const change = await tendKeys(tx, identity.#keyMaking());
      if (change !== null)
        await identity.#record(tx, serviceAct, { action: 'key.tend', target: 'key', change });
    });
    return identity;
  }

  private constructor(options: IdentityOptions) {
    const { meta, clock, log, limits, apiUrl } = options;
    this.#options = options;
    this.#cache = new IdentityCache(meta, log);
    this.#tokens = new Tokens({ cache: this.#cache, clock, limits, apiUrl });
    this.#lookup = new CredentialLookup({ cache: this.#cache, tokens: this.#tokens, clock });
    this.#lastUsed = new LastUsed(meta, log);
  }

  /**
   * The caller of Basic credentials; null when they are wrong, revoked or expired (A1). `unauthenticated` when their
   * integration is disabled (A1b).
   */
  authenticateBasic(
    user: string,
    password: string,
    from?: ClientOrigin,
  ): Caller | null | Promise<Caller | null> {
    const given = digestOf(password);
    const found = this.#lookup.byPassword(user, given);
    return 'why' in found
      ? this.#afterRefresh(() => this.#lookup.byPassword(user, given), from)
      : this.#callerOf(found, from);
  }

  /**
   * The caller of a token; null when it is foreign, forged or expired, or its credential has been revoked (A1). The grants are
   * those of the token that the integration still has. `unauthenticated` when its integration is disabled (A1b).
   */
  authenticateBearer(token: string, from?: ClientOrigin): Caller | null | Promise<Caller | null> {
    const decide = (found: Found): Caller | null | Promise<Caller | null> =>
      'why' in found
        ? this.#afterRefresh(() => this.#lookup.byToken(token), from)
        : this.#callerOf(found, from);
    const found = this.#lookup.byToken(token);
    return found instanceof Promise ? found.then(decide) : decide(found);
  }

  /** A caller with its present grants; null when its credential may not be used any more. `from` null: it is not used now. */
  recheck({ credential: id }: Caller, from: ClientOrigin | null): Caller | null {
    const credential = this.#cache.credential(id);
    if (credential === undefined || !this.#lookup.isLive(credential)) return null;
    const integration = this.#cache.integration(credential.integration);
    if (integration === undefined || integration.disabledAtMs !== null) return null;
    if (from !== null) this.#lastUsed.note(credential, clockMs(this.#options.clock), from);
    return { integration: integration.id, credential: id, grants: grantsOf(integration) };
  }

  /** An integration as a caller without a credential; null: there is none. `unauthenticated` when it is disabled. */
  callerOfIntegration(id: string): Caller | null | Promise<Caller | null> {
    const find = (): Caller | null => {
      const found = this.#cache.integration(id);
      if (found === undefined) return null;
      if (found.disabledAtMs !== null) throw new AppError('unauthenticated', disabledWords);
      return { integration: id, credential: '', grants: grantsOf(found) };
    };
    return find() ?? (idPattern.test(id) ? this.#cache.refresh().then(find) : null);
  }

  /** Exchanges client credentials for a token (A2). */
  async issueToken(request: TokenRequest, from?: ClientOrigin): Promise<TokenAnswer> {
    let found = this.#lookup.byClient(request);
    if ('why' in found) {
      await this.#cache.refresh();
      found = this.#lookup.byClient(request);
    }
    if ('why' in found) {
      this.#noteRefused(found, from);
      const words = 'unknown client, wrong secret, or revoked credential';
      return tokenRefusal('invalid_client', found.isDisabled ? disabledWords : words);
    }
    const caller = this.#callerOf(found, from);
    const { apiUrl, audiences = [], limits } = this.#options;
    const grants = grantsOfRequest(request, [apiUrl, ...audiences], caller.grants);
    if ('ok' in grants) return grants;
    const accessToken = await this.#tokens.issue({ ...caller, grants });
    return { ok: true, accessToken, scopes: scopesOf(grants), expiresInS: limits.tokenTtlS };
  }

  /** Registers a client. `invalid-params` at `name`. */
  async createIntegration(act: Act, name: string, grants: readonly Grant[]): Promise<Integration> {
    checkText('name', name, 1);
    const id = this.#options.ids.next();
    const createdAtMs = clockMs(this.#options.clock);
    const plan = defaultPlanName;
    const integration = { id, name, grants: further(grants), plan, createdAtMs, disabledAtMs: null };
    await this.#change(async (tx) => {
      await tx.integrations.insert(integration);
      const change = changesOf({}, integrationView(integration));
      await this.#record(tx, act, { action: 'integration.create', target: id, change });
    });
    return integration;
  }

  /** Renames an integration. `not-found`; `invalid-params` at `name`. */
  async renameIntegration(act: Act, id: string, name: string): Promise<Integration> {
    checkText('name', name, 1);
    return this.#changeIntegration(act, 'integration.rename', id, (before) => ({ ...before, name }));
  }

  /**
   * Refuses the credentials and tokens of an integration from now on, or accepts them again; what it has stored stays (A1b).
   * `not-found`.
   */
  setDisabled(act: Act, id: string, isDisabled: boolean): Promise<Integration> {
    const action = isDisabled ? 'integration.disable' : 'integration.enable';
    return this.#changeIntegration(act, action, id, (before) => ({
      ...before,
      disabledAtMs: isDisabled ? (before.disabledAtMs ?? clockMs(this.#options.clock)) : null,
    }));
  }

  /** Whether there is such an integration. */
  knows(integration: string): boolean {
    return this.#cache.integration(integration) !== undefined;
  }

  /** All integrations, oldest first. */
  async listIntegrations(): Promise<Integration[]> {
    return this.#cache.integrations();
  }

  /** Gives an integration a grant (A5). `not-found`. */
  grant(act: Act, integration: string, grant: Grant): Promise<Integration> {
    return this.#changeIntegration(act, 'integration.grant', integration, (before) => ({
      ...before,
      grants: further([...before.grants, grant]),
    }));
  }

  /** Takes a grant from an integration. `not-found`; `invalid-params` for `integration`, which everyone has. */
  async revokeGrant(act: Act, integration: string, grant: Grant): Promise<Integration> {
    if (grant === 'integration') {
      throw invalidParams({ grant: ['integration cannot be taken: every integration has it'] });
    }
    return this.#changeIntegration(act, 'integration.revoke', integration, (before) => ({
      ...before,
      grants: before.grants.filter((other) => other !== grant),
    }));
  }

  /** Removes an integration with its credentials and signals; the numbers of the signals whose points are to be deleted. `not-found`. */
  deleteIntegration(act: Act, integration: string): Promise<number[]> {
    return this.#change(async (tx) => {
      const before = await findIntegration(tx, integration);
      const numbers = await tx.integrations.deleteWithSignals(integration);
      const change = { ...changesOf(integrationView(before), {}), signals: [numbers.length, 0] };
      await this.#record(tx, act, { action: 'integration.delete', target: integration, change });
      return numbers;
    });
  }

  /** A further credential of an integration (A4). `not-found`; `invalid-params` at `label`. */
  async createCredential(
    act: Act,
    integration: string,
    type: CredentialType,
    label: string,
    expiresAtMs: number | null = null,
  ): Promise<NewCredential> {
    checkText('label', label, 0);
    const created = this.#newCredential({ integration, type, label, expiresAtMs });
    const { credential } = created;
    await this.#change(async (tx) => {
      await findIntegration(tx, integration);
      await tx.credentials.insert(credential);
      const change = changesOf({}, credentialView(credential));
      await this.#record(tx, act, { action: 'credential.create', target: credential.id, change });
    });
    return created;
  }

  /**
   * Replaces a credential by a new one of the same integration, type and label; the old one stays valid for `overlapMs`,
   * unless it expires sooner (A4). `not-found`; `conflict` when the old one has expired already.
   */
  async rotateCredential(
    act: Act,
    id: string,
    overlapMs: number,
    expiresAtMs: number | null = null,
  ): Promise<NewCredential> {
    return this.#change(async (tx) => {
      const before = await findCredential(tx, id);
      if (!this.#lookup.isLive(before)) throw conflict(`the credential ${id} has expired already`);
      const { integration, type, label } = before;
      const created = this.#newCredential({ integration, type, label, expiresAtMs });
      const endsAtMs = Math.min(
        before.expiresAtMs ?? Number.POSITIVE_INFINITY,
        clockMs(this.#options.clock) + overlapMs,
      );
      const after = { ...before, expiresAtMs: endsAtMs };
      await tx.credentials.insert(created.credential);
      await tx.credentials.update(after);
      const change = {
        ...changesOf(credentialView(before), credentialView(after)),
        successor: [null, created.credential.id],
      };
      await this.#record(tx, act, { action: 'credential.rotate', target: id, change });
      return created;
    });
  }

  /** Credentials of one integration, or of all; oldest first. */
  async listCredentials(integration?: string): Promise<Credential[]> {
    const credentials = byAge(await this.#options.meta.credentials.all());
    return credentials.filter(
      (credential) => integration === undefined || credential.integration === integration,
    );
  }

  /** Ends a credential and its tokens (A1). `not-found`. */
  revokeCredential(act: Act, id: string): Promise<void> {
    return this.#change(async (tx) => {
      const before = await findCredential(tx, id);
      await tx.credentials.delete(id);
      const change = changesOf(credentialView(before), {});
      await this.#record(tx, act, { action: 'credential.revoke', target: id, change });
    });
  }

  /** Creates a new signing key; older ones verify until their last token has expired. */
  rotateSigningKey(act: Act): Promise<void> {
    return this.#change(async (tx) => {
      const change = await rotateKeys(tx, this.#keyMaking());
      await this.#record(tx, act, { action: 'key.rotate', target: 'key', change });
    });
  }

  /** Learns of the changes that other threads have made; null when there are none. */
  catchUp(): Promise<void> | null {
    return this.#cache.catchUp();
  }

  /** Ends following the store's changes, after the last-used dates noted so far are written. */
  async close(): Promise<void> {
    await this.#lastUsed.settle();
    await this.#cache.close();
  }

  /** Another process may have made just now what was not found: the store is asked before anyone is refused. */
  async #afterRefresh(
    find: () => Found | Promise<Found>,
    from: ClientOrigin | undefined,
  ): Promise<Caller | null> {
    await this.#cache.refresh();
    const found = await find();
    if (!('why' in found)) return this.#callerOf(found, from);
    this.#noteRefused(found, from);
    if (found.isDisabled) throw new AppError('unauthenticated', disabledWords);
    return null;
  }

  /** With the grants that the integration has now, and of those only what was granted, unless that is null. */
  #callerOf({ credential, integration, granted }: Allowed, from: ClientOrigin | undefined): Caller {
    this.#lastUsed.note(credential, clockMs(this.#options.clock), from);
    const grants = grantsOf(integration);
    return {
      integration: integration.id,
      credential: credential.id,
      grants: granted === null ? grants : grants.intersection(granted),
    };
  }

  /** Reports rejections for existing integrations only, so that clients cannot create records. */
  #noteRefused({ integration, why }: Refused, from: ClientOrigin | undefined): void {
    if (integration === undefined || from === undefined) return;
    if (this.#cache.integration(integration) !== undefined) this.#options.onRefused?.(integration, why, from);
  }

  #newCredential(
    credential: Pick<Credential, 'integration' | 'type' | 'label' | 'expiresAtMs'>,
  ): NewCredential {
    const secret = newSecret(this.#options.random);
    const id = this.#options.ids.next();
    const secretSha256 = printDigest(secret);
    const createdAtMs = clockMs(this.#options.clock);
    const unused = { lastUsedAtMs: null, lastUsedFrom: null };
    return { credential: { ...credential, id, secretSha256, createdAtMs, ...unused }, secret };
  }

  /** Does nothing if there is no change. */
  #changeIntegration(
    act: Act,
    action: string,
    id: string,
    change: (before: Integration) => Integration,
  ): Promise<Integration> {
    return this.#change(async (tx) => {
      const before = await findIntegration(tx, id);
      const after = change(before);
      const changes = changesOf(integrationView(before), integrationView(after));
      if (Object.keys(changes).length === 0) return before;
      await tx.integrations.update(after);
      await this.#record(tx, act, { action, target: id, change: changes });
      return after;
    });
  }

  #record(tx: Pick<MetaWrites, 'audit'>, act: Act, entry: AuditEntry): Promise<void> {
    return record(tx, act, this.#options.clock, entry);
  }

  /** Writes, and reloads the cache before it resolves. */
  async #change<T>(work: (tx: Pick<MetaWrites, Subject>) => Promise<T>): Promise<T> {
    const result = await this.#options.meta.write(work);
    await this.#cache.reload();
    return result;
  }

  #keyMaking(): KeyMaking {
    const { ids, random, limits } = this.#options;
    return {
      nextId: () => ids.next(),
      random,
      nowMs: clockMs(this.#options.clock),
      tokenTtlS: limits.tokenTtlS,
    };
  }
}
