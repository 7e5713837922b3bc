/** Where imported rows go: a running service, or the data directory itself. */

import type { CredentialsFile } from '#domain/identity/credentials-file';
import { readFrame } from '#domain/ingest/columns';
import type { Domain } from '#main';
import { halve, type InsertFrame, type RowBatch } from './csv/batches.ts';
import { Remote, RemoteError, type RemoteOptions } from './remote.ts';
import { UsageError } from './usage.ts';

/** The signal of an input key. */
export interface TargetSignal {
  id: string;
  created: boolean;
}

/** Takes what an import reads. Every call may be repeated without harm. */
export interface ImportTarget {
  /** Creates signals that do not exist yet, under these names by input key. */
  name(names: ReadonlyMap<string, string>): Promise<Map<string, TargetSignal>>;
  /** Stores a batch durably. */
  insert(batch: RowBatch): Promise<Map<string, TargetSignal>>;
}

/** The integration of a credentials file on its running service. */
export function remoteTarget(
  credentials: CredentialsFile,
  onWait: NonNullable<RemoteOptions['onWait']>,
): ImportTarget {
  const remote = new Remote({ credentials, onWait });
  const { integration } = credentials;
  async function call(method: string, params: object): Promise<Map<string, TargetSignal>> {
    const result = await remote.call<{ signalsByInput: Record<string, TargetSignal> }>(method, params);
    return new Map(Object.entries(result.signalsByInput));
  }
  async function insert(batch: RowBatch): Promise<Map<string, TargetSignal>> {
    try {
      return await call('integration.insert', { integration, data: batch.frame });
    } catch (error) {
      const halves = error instanceof RemoteError && error.status === 413 ? halve(batch) : null;
      if (halves === null) throw error;
      const first = await insert(halves[0]);
      return new Map([...(await insert(halves[1])), ...first]);
    }
  }
  return {
    insert,
    name: (names) => {
      const signals = [...names].map(([key, name]) => [key, { name }]);
      const signalsByInput = Object.fromEntries(signals);
      return call('integration.saveSignals', { integration, signalsByInput, createOnly: true });
    },
  };
}

/** An integration of an opened data directory. Throws {@link UsageError} when it has no such integration. */
export async function directTarget(domain: Domain, integration: string): Promise<ImportTarget> {
  const known = await domain.identity.listIntegrations();
  if (!known.some(({ id }) => id === integration)) {
    throw new UsageError(`--integration: there is no integration ${JSON.stringify(integration)}`);
  }
  return {
    insert: async ({ frame }: { frame: InsertFrame }) => {
      const { inputs, signals } = await domain.ingest.insert(integration, readFrame(frame));
      return new Map(
        inputs.map((input, i) => [input, { id: signals[i].id, created: signals[i].created === true }]),
      );
    },
    name: (names) => {
      const changes = new Map([...names].map(([key, name]) => [key, { name }]));
      return domain.signals.save(integration, changes, { createOnly: true });
    },
  };
}
