/** Integrations, credentials and signing keys, cached in memory so that requests do not wait for the store (A1: within a second). */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Log } from '#model/environment';
import type { Credential, Integration, MetaPart, SigningKey } from '#storage/meta-store';
import { byId, Follower } from '../follower.ts';

type IdentityMeta = MetaPart<'integrations' | 'credentials' | 'signingKeys'>;

/** A credential with the digest of its secret in bytes. */
export interface CachedCredential extends Credential {
  digest: Uint8Array;
}

/** A signing key ready for use. */
interface CachedKey extends SigningKey {
  key: KeyObject;
}

/** Integrations, credentials and signing keys as last read from the store. */
export class IdentityCache extends Follower {
  readonly #meta: IdentityMeta;
  #integrations = new Map<string, Integration>();
  #credentials = new Map<string, CachedCredential>();
  #basicByIntegration = new Map<string, CachedCredential[]>();
  #keys = new Map<string, CachedKey>();

  constructor(meta: IdentityMeta, log: Log) {
    super({
      meta,
      topics: ['identity'],
      warning: 'integrations and credentials cannot be read; trying again',
      log,
    });
    this.#meta = meta;
  }

  /** Oldest first. */
  integrations(): Integration[] {
    return [...this.#integrations.values()];
  }

  integration(id: string): Integration | undefined {
    return this.#integrations.get(id);
  }

  credential(id: string): CachedCredential | undefined {
    return this.#credentials.get(id);
  }

  /** The credentials with which an integration may use Basic authentication. */
  basicCredentials(integration: string): readonly CachedCredential[] {
    return this.#basicByIntegration.get(integration) ?? [];
  }

  key(id: string): CachedKey | undefined {
    return this.#keys.get(id);
  }

  /** The key that signs; undefined only before the first load. */
  newestKey(): CachedKey | undefined {
    return [...this.#keys.values()].at(-1);
  }

  protected override async load(): Promise<void> {
    const [integrations, credentials, keys] = await Promise.all([
      this.#meta.integrations.all(),
      this.#meta.credentials.all(),
      this.#meta.signingKeys.all(),
    ]);
    const ready = credentials.map((credential) => ({
      ...credential,
      digest: Buffer.from(credential.secretSha256, 'hex'),
    }));
    this.#integrations = byId(integrations);
    this.#credentials = byId(ready);
    this.#basicByIntegration = Map.groupBy(
      ready.filter(({ type }) => type === 'basic-auth'),
      ({ integration }) => integration,
    );
    this.#keys = byId(keys.map((key) => ({ ...key, key: createSecretKey(Buffer.from(key.secret, 'hex')) })));
  }
}
