/** Credentials and signing keys in SQL. */

import type { Credential, RecordWrites, SigningKey } from '../meta-store.ts';
import { type Mapping, plain, RecordTable } from './record-table.ts';
import type { SqlAccess } from './sql-access.ts';

/** A credential with the two parts of `lastUsedFrom` in columns of their own. */
interface StoredCredential extends Omit<Credential, 'lastUsedFrom'> {
  lastUsedAddress: string | null;
  lastUsedAgent: string | null;
}

const credentials: Mapping<StoredCredential, 'id'> = {
  table: 'credential',
  key: 'id',
  topic: 'identity',
  isUpdateQuiet: true,
  fields: {
    ...plain('id', 'integration', 'type', 'label', 'secretSha256', 'createdAtMs', 'expiresAtMs'),
    ...plain('lastUsedAtMs', 'lastUsedAddress', 'lastUsedAgent'),
  },
  updated: ['label', 'lastUsedAtMs', 'lastUsedAddress', 'lastUsedAgent', 'expiresAtMs'],
};

/** The signing keys. */
export const signingKeys: Mapping<SigningKey, 'id'> = {
  table: 'signing_key',
  key: 'id',
  topic: 'identity',
  fields: plain('id', 'secret', 'createdAtMs'),
  updated: [],
};

/** The credentials of a store. */
export function credentialsIn(access: SqlAccess): RecordWrites<Credential> {
  const table = new RecordTable(access, credentials);
  return {
    all: async () => (await table.all()).map(credentialOf),
    async find(id) {
      const found = await table.find(id);
      return found && credentialOf(found);
    },
    insert: (credential) => table.insert(stored(credential)),
    async update(credential) {
      const { id, label, expiresAtMs } = credential;
      const before = await table.find(id);
      if (before?.label !== label || before.expiresAtMs !== expiresAtMs) access.touch('identity');
      await table.update(stored(credential));
    },
    delete: (id) => table.delete(id),
  };
}

function credentialOf({
  lastUsedAddress: address,
  lastUsedAgent,
  ...credential
}: StoredCredential): Credential {
  const lastUsedFrom = address === null ? null : { address, userAgent: lastUsedAgent ?? '' };
  return { ...credential, lastUsedFrom };
}

function stored({ lastUsedFrom, ...credential }: Credential): StoredCredential {
  return {
    ...credential,
    lastUsedAddress: lastUsedFrom?.address ?? null,
    lastUsedAgent: lastUsedFrom?.userAgent ?? null,
  };
}
