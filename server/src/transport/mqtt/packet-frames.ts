/** Finds where the packets of a connection begin and end, without reading what is in them. */

/** Kinds of packets by their number (MQTT 3.1.1, table 2.1). */
export const packetKind = { connect: 1, publish: 3 } as const;

/** Called when the head of a packet has been read. */
export type OnPacket = (kind: number, bytes: number) => void;

/** Bytes of the length of a packet. */
const lengthBytesMax = 4;

/** Reads the heads of packets in chunks of any size. */
export class PacketFrames {
  readonly #onPacket: OnPacket;
  readonly #largeBytesMin: number;
  #kind = 0;
  #length = 0;
  /** Bytes of the length read so far; -1 between packets. */
  #lengthBytes = -1;
  /** Bytes of the packet that are still to come. */
  #left = 0;

  /** `onPacket` may throw; then {@link feed} does. Packets from `largeBytesMin` on are large; by default none is. */
  constructor(onPacket: OnPacket, largeBytesMin = Number.POSITIVE_INFINITY) {
    this.#onPacket = onPacket;
    this.#largeBytesMin = largeBytesMin;
  }

  /** Whether a packet has begun that has not ended. */
  get isWithin(): boolean {
    return this.#left > 0 || this.#lengthBytes >= 0;
  }

  /** The length of the large packet whose head has been read, while more of it is to come; else 0. */
  get largeBytes(): number {
    return this.#left > 0 && this.#length >= this.#largeBytesMin ? this.#length : 0;
  }

  /**
   * Reads the next bytes, until so many packets have ended in them, or to where what follows the head of a large packet begins, or
   * ends; how many bytes. Throws when a length is malformed.
   */
  feed(chunk: Buffer, packetsMax: number): number {
    let at = 0;
    let count = 0;
    const isLarge = this.largeBytes > 0;
    while (at < chunk.length && count < packetsMax) {
      if (this.largeBytes > 0 !== isLarge) break;
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, chunk.length - at);
        this.#left -= skipped;
        at += skipped;
      } else this.#readHead(chunk[at++]);
      if (!this.isWithin) count++;
    }
    return at;
  }

  #readHead(byte: number): void {
    if (this.#lengthBytes < 0) {
      this.#kind = byte >> 4;
      this.#length = 0;
      this.#lengthBytes = 0;
      return;
    }
    this.#length += (byte & 127) * 128 ** this.#lengthBytes++;
    if (byte < 128) {
      this.#lengthBytes = -1;
      this.#left = this.#length;
      this.#onPacket(this.#kind, this.#length);
    } else if (this.#lengthBytes === lengthBytesMax) throw new Error('the length of a packet is malformed');
  }
}
