/**
 * Calls as an integration. The secrets of an integration are not stored, so an administrator creates a temporary one: a credential
 * that ends by itself, is kept in this page only, and is revoked when the page is left. The audit has both.
 */
import { rpcUrl } from '../../platform/rpc/base.ts';
import { call, callHeaders } from '../../platform/rpc/rpc.ts';
import type { NewCredential } from '../../platform/rpc/shapes.ts';
import { nowMs } from '../../platform/time/clock.ts';

/** The validity of the credential, and how much of it must be left for a call. */
const lifeMs = 15 * 60_000;
const marginMs = 30_000;

const actingLabel = 'API console';

/** One integration that this page acts as. */
export class Acting {
  readonly integration: string;
  #made: Promise<NewCredential> | null = null;
  #endsMs = 0;

  constructor(integration: string) {
    this.integration = integration;
  }

  /** The header of a call; makes the credential with the first one, and anew before it ends. */
  async authorization(): Promise<string> {
    if (this.#made === null || nowMs() > this.#endsMs - marginMs) {
      this.end();
      this.#endsMs = nowMs() + lifeMs;
      this.#made = makeCredential(this.integration, this.#endsMs);
    }
    try {
      const { file } = await this.#made;
      const { clientId, clientSecret } = file.credentials;
      return `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    } catch (error) {
      this.#made = null;
      throw error;
    }
  }

  /** Revokes the credential, if there is one; what fails here ends by itself in some minutes. */
  end(): void {
    const made = this.#made;
    this.#made = null;
    made?.then(({ credential }) => revoke(credential.id)).catch(() => undefined);
  }
}

function makeCredential(integration: string, endsMs: number): Promise<NewCredential> {
  return call('console.credentials.create', {
    integration,
    type: 'basic-auth',
    label: actingLabel,
    expiresAt: new Date(endsMs).toISOString(),
  });
}

/** Also when the window is being closed: the request outlives it. */
async function revoke(id: string): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'console.credentials.revoke',
    params: { id },
  });
  await fetch(rpcUrl, {
    method: 'POST',
    credentials: 'same-origin',
    headers: callHeaders('1.2'),
    body,
    keepalive: true,
  });
}
