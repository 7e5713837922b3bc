/** Secrets of credentials: random, stored as their SHA-256 only, compared in constant time (A4). */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Random } from '#model/environment';

/** 256 bits: nothing to guess, so one fast hash is enough. */
const secretBytes = 32;

/** A new secret: 43 characters of base64url, safe in a Basic header, a form and a file. */
export function newSecret(random: Random): string {
  return Buffer.from(random.bytes(secretBytes)).toString('base64url');
}

/** The SHA-256 of a secret. */
export function digestOf(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** The same in lower-case hex, as it is stored. */
export function printDigest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Compared with if there is no stored digest, so that an unknown name takes as long as a wrong secret. */
const emptyDigest = new Uint8Array(32);

/** Whether two digests are the same, in constant time; against an absent one it is false, in the same time. */
export function sameDigest(stored: Uint8Array | undefined, given: Uint8Array): boolean {
  return timingSafeEqual(stored ?? emptyDigest, given) && stored !== undefined;
}
