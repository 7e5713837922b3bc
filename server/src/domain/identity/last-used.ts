/**
 * Notes when and from where credentials were used, and when integrations were seen (A4): in the background, at most once a
 * minute for each, so that a request never waits for it or fails with it.
 */
import type { ClientOrigin } from '#model/caller';
import type { Log } from '#model/environment';
import type { CredentialUse, MetaPart, UsePlace } from '#storage/meta-store';
import type { CachedCredential } from './identity-cache.ts';

const intervalMs = 60_000;

/** Characters of a User-Agent that are stored. */
const agentMax = 256;

/**
 * How the User-Agent of the console's connection test begins, or its client ID: what it does shows that a credential works, not
 * that a program runs.
 */
const testAgent = /^(MQTT )?connection-test/;

/** Uses that are written in one transaction: a thousand clients may come at once when a service starts. */
const writtenAtOnce = 200;

interface Use extends CredentialUse {
  integration: string;
  /** Set unless the use was a connection test. */
  seenAtMs: number | null;
}

/** Writes dates of last use in the background. */
export class LastUsed {
  readonly #meta: MetaPart<'integrations' | 'credentials'>;
  readonly #log: Log;
  /** By credential; uses by programs and by connection tests are noted separately. */
  readonly #notedMs = { program: new Map<string, number>(), test: new Map<string, number>() };
  #pending = new Map<string, Use>();
  #writing: Promise<void> | null = null;

  constructor(meta: MetaPart<'integrations' | 'credentials'>, log: Log) {
    this.#meta = meta;
    this.#log = log;
  }

  /** Notes that a credential is used now; `from` is where, if that is known. */
  note({ id, integration }: CachedCredential, nowMs: number, from: ClientOrigin | undefined): void {
    const isTest = testAgent.test(from?.userAgent ?? '');
    const noted = this.#notedMs[isTest ? 'test' : 'program'];
    if (nowMs - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
    noted.set(id, nowMs);
    const seenAtMs = isTest ? (this.#pending.get(id)?.seenAtMs ?? null) : nowMs;
    this.#pending.set(id, { id, integration, lastUsedAtMs: nowMs, lastUsedFrom: placeOf(from), seenAtMs });
    this.#writing ??= this.#writePending();
  }

  /** Resolves when all noted uses are written. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.values()].slice(0, writtenAtOnce);
      for (const { id } of batch) this.#pending.delete(id);
      await this.#write(batch).catch((error: unknown) =>
        this.#log.warn('last use of credentials cannot be noted', { error }),
      );
    }
    this.#writing = null;
  }

  #write(batch: readonly Use[]): Promise<void> {
    const seenMs = new Map<string, number>();
    for (const { integration, seenAtMs } of batch)
      if (seenAtMs !== null) seenMs.set(integration, Math.max(seenAtMs, seenMs.get(integration) ?? seenAtMs));
    return this.#meta.write(async (tx) => {
      await tx.credentials.noteUses(batch);
      await tx.integrations.noteSeen(seenMs);
    });
  }
}

function placeOf(from: ClientOrigin | undefined): UsePlace | null {
  if (from === undefined) return null;
  const { address, userAgent } = from;
  return { address, userAgent: userAgent.slice(0, agentMax).toWellFormed() };
}
