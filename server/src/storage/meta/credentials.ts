/** Credentials and signing keys in SQL. */

import type { Credential, CredentialWrites, SigningKey, UsePlace } from '../meta-store.ts';
import { type Mapping, plain, RecordTable } from './record-table.ts';
import { join, sql } from './sql.ts';
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
  fields: {
    ...plain('id', 'integration', 'type', 'label', 'secretSha256', 'createdAtMs', 'expiresAtMs'),
    ...plain('lastUsedAtMs', 'lastUsedAddress', 'lastUsedAgent'),
  },
  updated: ['label', 'expiresAtMs'],
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
export function credentialsIn(access: SqlAccess): CredentialWrites {
  const table = new RecordTable(access, credentials);
  return {
    all: async () => (await table.all()).map(credentialOf),
    async find(id) {
      const found = await table.find(id);
      return found && credentialOf(found);
    },
    insert: (credential) => table.insert(stored(credential)),
    update: (credential) => table.update(stored(credential)),
    delete: (id) => table.delete(id),
    async noteUses(uses) {
      if (uses.length === 0) return;
      const rows = uses.map(({ id, lastUsedAtMs, lastUsedFrom }) => {
        const { lastUsedAddress, lastUsedAgent } = placeOf(lastUsedFrom);
        return sql`(${id}, ${lastUsedAtMs}, ${lastUsedAddress}, ${lastUsedAgent})`;
      });
      await access.run(
        sql`update credential set last_used_at_ms = cast(v.column2 as bigint),
            last_used_address = cast(v.column3 as text), last_used_agent = cast(v.column4 as text)
          from (values ${join(rows)}) as v where credential.id = v.column1`,
      );
    },
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
  return { ...credential, ...placeOf(lastUsedFrom) };
}

function placeOf(from: UsePlace | null): Pick<StoredCredential, 'lastUsedAddress' | 'lastUsedAgent'> {
  return { lastUsedAddress: from?.address ?? null, lastUsedAgent: from?.userAgent ?? null };
}
