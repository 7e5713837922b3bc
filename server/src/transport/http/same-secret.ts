/** Compares secrets without telling by its time where they differ. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same; in constant time, independent of the lengths. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
