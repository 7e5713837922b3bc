/** Notes when and from where credentials were used last (A4): at most once a minute for each, beside the request, never failing it. */
import type { ClientOrigin } from '#model/caller';
import type { Log } from '#model/environment';
import type { MetaStore, UsePlace } from '#storage/store';
import type { RosterCredential } from './roster.ts';

const intervalMs = 60_000;

/** Characters that are kept of what a client calls itself. */
const agentMax = 256;

interface Use {
  lastUsedAtMs: number;
  lastUsedFrom: UsePlace | null;
}

/** Writes dates of last use in the background, all that have come up together in one write. */
export class LastUsed {
  readonly #meta: MetaStore;
  readonly #log: Log;
  readonly #notedMs = new Map<string, number>();
  #pending = new Map<string, Use>();
  #writing: Promise<void> | null = null;

  constructor(meta: MetaStore, log: Log) {
    this.#meta = meta;
    this.#log = log;
  }

  /** A credential was used now; `from` where that is known. */
  note({ id, lastUsedAtMs }: RosterCredential, nowMs: number, from: ClientOrigin | undefined): void {
    const before = this.#notedMs.get(id) ?? lastUsedAtMs;
    if (before !== null && nowMs - before < intervalMs) return;
    this.#notedMs.set(id, nowMs);
    this.#pending.set(id, { lastUsedAtMs: nowMs, lastUsedFrom: placeOf(from) });
    this.#writing ??= this.#writePending();
  }

  /** Resolves when all that was noted is written. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#pending;
      this.#pending = new Map();
      await this.#write(batch).catch((error: unknown) =>
        this.#log.warn('last use of credentials cannot be noted', { error }),
      );
    }
    this.#writing = null;
  }

  /** Reads inside the write, so that no older label or a deleted credential comes back. */
  async #write(batch: ReadonlyMap<string, Use>): Promise<void> {
    await this.#meta.write(async (tx) => {
      for (const credential of await tx.credentials()) {
        const use = batch.get(credential.id);
        if (use !== undefined) await tx.updateCredential({ ...credential, ...use });
      }
    });
  }
}

function placeOf(from: ClientOrigin | undefined): UsePlace | null {
  if (from === undefined) return null;
  const { address, userAgent } = from;
  return { address, userAgent: userAgent.slice(0, agentMax).toWellFormed() };
}
