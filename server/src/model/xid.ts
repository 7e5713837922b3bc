/** Resource IDs: xids, 12 bytes (4 time, 5 random, 3 counter) in lower-case base32hex, 20 characters (R1). Not secrets. */
import type { Clock, Random } from './environment.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** The form of every resource ID. */
export const idPattern = /^[a-v0-9]{20}$/;

/** Writes 12 bytes as 20 base32hex characters; the last one carries a single bit of them. */
export function printXid(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += alphabet[(bits >> bitCount) & 31];
    }
  }
  return bitCount > 0 ? text + alphabet[(bits << (5 - bitCount)) & 31] : text;
}

/** Makes IDs that ascend within a process: the random part and the counter's start are chosen once. */
export class XidSource {
  /** Names the source itself, as different from others as its IDs are. */
  readonly name: string;
  readonly #clock: Clock;
  readonly #machine: Uint8Array;
  #counter: number;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#machine = random.bytes(5);
    const [a, b, c] = random.bytes(3);
    this.#counter = (a << 16) | (b << 8) | c;
    this.name = this.#print(this.#counter);
  }

  /** A new ID, different from every other of this source (up to 16.7 million a second). */
  next(): string {
    const counter = this.#counter;
    this.#counter = (counter + 1) & 0xffffff;
    return this.#print(counter);
  }

  #print(counter: number): string {
    const seconds = Math.floor(this.#clock.nowUs() / 1e6);
    const bytes = new Uint8Array(12);
    new DataView(bytes.buffer).setUint32(0, seconds);
    bytes.set(this.#machine, 4);
    bytes.set([counter >> 16, (counter >> 8) & 255, counter & 255], 9);
    return printXid(bytes);
  }
}
