/** The bytes of another broker as packets. Of a message that is too large only the head is kept, so that it can be acknowledged. */
import mqttPacket, { type Packet, type Parser } from 'mqtt-packet';
import { PacketFrames, packetKind } from '../packet-frames.ts';

/** The versions of the protocol, by their number in a CONNECT: 3.1.1 and 5. */
export type MqttVersion = 4 | 5;

/** A message that was left out. */
export interface LargeMessage {
  topic: string;
  bytes: number;
  /** Null: with QoS 0 there is no acknowledgement. */
  messageId: number | null;
}

/** Options of {@link PacketIntake}. */
export interface PacketIntakeOptions {
  version: MqttVersion;
  /** Bytes of the largest message that is read. */
  messageBytesMax(): number;
  onPacket(packet: Packet): void;
  onTooLarge(message: LargeMessage): void;
}

/** The first bytes of a message that is too large: its topic and its number are among them. */
const headBytesMax = 64 * 1024 + 16;

/** Reads packets. */
export class PacketIntake {
  readonly #options: PacketIntakeOptions;
  readonly #parser: Parser;
  readonly #frames: PacketFrames;
  /** The bytes of a packet of which the length is not known yet, or that is too large. */
  #head: Buffer = Buffer.alloc(0);
  /** Of the packet that has begun; null: its length is not known yet. */
  #bytes: number | null = null;
  #isTooLarge = false;

  constructor(options: PacketIntakeOptions) {
    this.#options = options;
    this.#parser = mqttPacket.parser({ protocolVersion: options.version });
    this.#parser.on('packet', (packet: Packet) => options.onPacket(packet));
    this.#parser.on('error', (error: unknown) => {
      throw error;
    });
    this.#frames = new PacketFrames((kind, bytes) => {
      this.#bytes = bytes;
      this.#isTooLarge = kind === packetKind.publish && bytes > options.messageBytesMax() + headBytesMax;
    });
  }

  /** Reads what has arrived. Throws when it is not MQTT. */
  feed(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const end = at + this.#frames.feed(chunk.subarray(at), 1);
      this.#take(chunk.subarray(at, end));
      if (!this.#frames.isWithin) this.#endPacket();
      at = end;
    }
  }

  #take(bytes: Buffer): void {
    if (this.#bytes !== null && !this.#isTooLarge) {
      this.#parser.parse(this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]));
      this.#head = Buffer.alloc(0);
    } else if (this.#head.length < headBytesMax)
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, headBytesMax - this.#head.length)]);
  }

  #endPacket(): void {
    if (this.#isTooLarge) this.#options.onTooLarge(largeMessage(this.#head, this.#bytes ?? 0));
    this.#head = Buffer.alloc(0);
    this.#bytes = null;
    this.#isTooLarge = false;
  }
}

/** MQTT 3.1.1, 3.3: a byte of flags, the length in up to four, the topic, and the number where there is one. */
function largeMessage(head: Buffer, bytes: number): LargeMessage {
  let at = 1;
  while (head[at++] >= 128);
  const end = at + 2 + head.readUInt16BE(at);
  const hasId = (head[0] & 0b110) !== 0;
  const topic = head.toString('utf8', at + 2, end);
  return { topic, bytes, messageId: hasId ? head.readUInt16BE(end) : null };
}
