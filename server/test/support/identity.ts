/** An identity service on a memory store, with what it is made of. */
import { Identity, type IdentityOptions } from '#domain/identity/identity';
import { XidSource } from '#model/xid';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { FixedClock, KeptLog, SeededRandom } from './world.ts';

/** The API's address in its tokens. */
export const apiUrl = 'https://tide.example/v1/';

/** How long its tokens are valid, s. */
export const tokenTtlS = 7200;

/** What the identity service of a test is made of; each part may be used for others. */
export interface IdentityParts extends IdentityOptions {
  meta: MemoryMetaStore;
  clock: FixedClock;
}

/** Opens one whose random values have this seed. */
export async function openIdentity(seed: number): Promise<{ identity: Identity; parts: IdentityParts }> {
  const meta = new MemoryMetaStore();
  const clock = new FixedClock();
  const random = new SeededRandom(seed);
  const ids = new XidSource(clock, random);
  const parts = { meta, clock, random, ids, log: new KeptLog(), limits: { tokenTtlS }, apiUrl };
  return { identity: await Identity.open(parts), parts };
}
