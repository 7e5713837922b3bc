/** The life cycle of signing keys: the newest signs, older ones verify until their last token has expired, then they are deleted. */
import type { Random } from '#model/environment';
import type { MetaWrites, SigningKey } from '#storage/meta-store';
import { byAge } from '../follower.ts';

/** Processes learn of a new key within a second; until then they sign with the previous one. */
const overlapMs = 60_000;

/** What is needed to create a key. */
export interface KeyMaking {
  nextId(): string;
  random: Random;
  nowMs: number;
  /** How long a token is valid. */
  tokenTtlS: number;
}

/** Keys that were created and deleted, by ID. */
interface KeyChange {
  readonly [what: string]: readonly string[];
  created: string[];
  deleted: string[];
}

/** Creates the first key if there is none, and deletes expired ones. Returns what has changed, or null. */
export async function tendKeys(
  tx: Pick<MetaWrites, 'signingKeys'>,
  making: KeyMaking,
): Promise<KeyChange | null> {
  const keys = byAge(await tx.signingKeys.all());
  if (keys.length > 0) {
    const deleted = await deleteOverdue(tx, keys, making);
    return deleted.length === 0 ? null : { created: [], deleted };
  }
  const key = newKey(making, making.nowMs);
  await tx.signingKeys.insert(key);
  return { created: [key.id], deleted: [] };
}

/** Creates a new key, which signs from now on, and deletes expired ones. Returns what has changed. */
export async function rotateKeys(tx: Pick<MetaWrites, 'signingKeys'>, making: KeyMaking): Promise<KeyChange> {
  const keys = byAge(await tx.signingKeys.all());
  const newestMs = keys.at(-1)?.createdAtMs ?? Number.NEGATIVE_INFINITY;
  const key = newKey(making, Math.max(making.nowMs, newestMs + 1));
  await tx.signingKeys.insert(key);
  return { created: [key.id], deleted: await deleteOverdue(tx, keys, making) };
}

async function deleteOverdue(
  tx: Pick<MetaWrites, 'signingKeys'>,
  keys: readonly SigningKey[],
  making: KeyMaking,
): Promise<string[]> {
  const overdue = overdueKeys(keys, making).map(({ id }) => id);
  for (const id of overdue) await tx.signingKeys.delete(id);
  return overdue;
}

/** Keys that were followed by another one so long ago that none of their tokens can be valid; oldest first. */
export function overdueKeys(
  keys: readonly SigningKey[],
  { nowMs, tokenTtlS }: Pick<KeyMaking, 'nowMs' | 'tokenTtlS'>,
): SigningKey[] {
  return keys.filter((_key, i) => {
    const next = keys[i + 1];
    return next !== undefined && next.createdAtMs + tokenTtlS * 1000 + overlapMs < nowMs;
  });
}

function newKey({ nextId, random }: KeyMaking, createdAtMs: number): SigningKey {
  return { id: nextId(), secret: Buffer.from(random.bytes(32)).toString('hex'), createdAtMs };
}
