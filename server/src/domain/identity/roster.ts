/** Integrations, credentials and signing keys, cached in memory so that requests do not wait for the store (A1: within a second). */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Log } from '#model/environment';
import type { Credential, Integration, MetaStore, SigningKey } from '#storage/meta-store';

/** A credential with the digest of its secret in bytes. */
export interface RosterCredential extends Credential {
  digest: Uint8Array;
}

/** A signing key ready for use. */
export interface RosterKey extends SigningKey {
  key: KeyObject;
}

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

/** Integrations, credentials and signing keys as last read from the store. */
export class Roster {
  readonly #meta: MetaStore;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  #integrations = new Map<string, Integration>();
  #credentials = new Map<string, RosterCredential>();
  #basicByIntegration = new Map<string, RosterCredential[]>();
  #keys = new Map<string, RosterKey>();
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;
  #retry: NodeJS.Timeout | undefined;

  constructor(meta: MetaStore, log: Log) {
    this.#meta = meta;
    this.#log = log;
    this.#unsubscribe = meta.subscribe((topic) => {
      if (topic === 'identity') this.#follow();
    });
  }

  /** Oldest first. */
  integrations(): Integration[] {
    return [...this.#integrations.values()];
  }

  integration(id: string): Integration | undefined {
    return this.#integrations.get(id);
  }

  credential(id: string): RosterCredential | undefined {
    return this.#credentials.get(id);
  }

  /** The credentials with which an integration may use Basic authentication. */
  basicCredentials(integration: string): readonly RosterCredential[] {
    return this.#basicByIntegration.get(integration) ?? [];
  }

  key(id: string): RosterKey | undefined {
    return this.#keys.get(id);
  }

  /** The key that signs; undefined only before the first {@link reload}. */
  newestKey(): RosterKey | undefined {
    return [...this.#keys.values()].at(-1);
  }

  /** Reads the store again. When it resolves, everything committed before the call is known. */
  reload(): Promise<void> {
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = null;
        this.#running = this.#load();
        return this.#running;
      });
    return this.#queued;
  }

  /** Stops following the store. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#retry);
    await this.#queued?.catch(() => undefined);
    await this.#running.catch(() => undefined);
    clearTimeout(this.#retry);
  }

  #follow(): void {
    this.reload().catch((error: unknown) => {
      this.#log.warn('integrations and credentials cannot be read; trying again', { error });
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#follow(), retryMs);
      this.#retry.unref();
    });
  }

  async #load(): Promise<void> {
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

function byId<T extends { id: string; createdAtMs: number }>(records: readonly T[]): Map<string, T> {
  return new Map(byAge(records).map((record) => [record.id, record]));
}

/** Oldest first; IDs decide between those of the same millisecond. */
export function byAge<T extends { id: string; createdAtMs: number }>(records: readonly T[]): T[] {
  return [...records].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
