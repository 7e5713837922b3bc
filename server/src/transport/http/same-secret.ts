/** Compares secrets without telling by its time where they differ. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same; in constant time, independent of the lengths. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** As {@link isSameSecret}, but faster: where the length of the secret need not be hidden. */
export function isSameOfLength(given: string | undefined, secret: string): boolean {
  if (given?.length !== secret.length) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
