/**
 * The bytes of one connection on their way to the broker: packets have a maximum size, memory for large ones is taken before they
 * are read, and while too many messages are under way nothing is read, so that TCP holds the client back.
 */
import { Duplex } from 'node:stream';
import { PacketFrames, packetKind } from './packet-frames.ts';

/** A connection: a socket, or a WebSocket's stream. */
export interface Wire extends Duplex {
  /** Ends it when what was written has been sent. */
  destroySoon?(): void;
}

/** Options of {@link PacketStream}. */
export interface PacketStreamOptions {
  /** The address of the client. */
  address: string;
  /** Bytes of the largest message; read when one begins. */
  messageBytesMax(): number;
  /** How long the rest of a packet may take, ms. */
  packetMsMax: number;
  /** Takes memory for a large packet, if necessary after waiting; what it resolves with gives it back. */
  reserve(bytes: number): Promise<() => void>;
  /** The client has authenticated. */
  onKnown(): void;
}

/** Packets other than messages: topics of a SUBSCRIBE; the will and the password of a CONNECT. */
const otherBytesMax = 64 * 1024;
const connectBytesMax = 256 * 1024;

/** What a topic and the head of a message may take besides its payload. */
const topicBytesMax = 64 * 1024 + 8;

/** Memory for a larger packet is taken first. */
const smallBytesMax = 64 * 1024;

/** Messages of one connection that may be under way. */
const underWayMax = 2000;

/** A connection that is ending is cut after this time, ms. */
const lingerMs = 5000;

/** The stream that the broker reads. */
export class PacketStream extends Duplex {
  readonly address: string;
  readonly #wire: Wire;
  readonly #options: PacketStreamOptions;
  readonly #frames: PacketFrames;
  #isFirst = true;
  #underWay = 0;
  #isReserving = false;
  #wantsMore = false;
  #giveBack: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(wire: Wire, options: PacketStreamOptions) {
    super({ readableHighWaterMark: smallBytesMax });
    this.address = options.address;
    this.#wire = wire;
    this.#options = options;
    this.#frames = new PacketFrames((kind, bytes) => this.#onPacket(kind, bytes));
    wire.on('data', (chunk: Buffer) => this.#onData(chunk));
    wire.on('end', () => this.push(null));
    wire.on('error', () => this.destroy());
    wire.on('close', () => this.destroy());
    wire.pause();
  }

  /** Bytes that the client has not taken yet. */
  get unsentBytes(): number {
    return this.writableLength + this.#wire.writableLength;
  }

  /** Its client has authenticated. */
  noteKnown(): void {
    this.#options.onKnown();
  }

  /** A message has been dealt with. */
  settle(): void {
    this.#underWay--;
    if (this.#underWay === 0) this.#release();
    this.#flow();
  }

  /** Ends the connection at once, without sending the rest. */
  cut(): void {
    this.#wire.destroy();
    this.destroy();
  }

  /** All that has arrived: aedes reads once, and waits for the next event, where newer runtimes give one chunk after the other. */
  override read(size?: number | null): Buffer | null {
    if (size != null) return super.read(size);
    const parts: Buffer[] = [];
    for (let part = super.read(); part !== null; part = super.read()) parts.push(part);
    return parts.length > 1 ? Buffer.concat(parts) : (parts[0] ?? null);
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#flow();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#wire.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#wire.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#wire.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stopTimer();
    this.#release();
    if (this.#wire.destroySoon === undefined) this.#wire.end();
    else this.#wire.destroySoon();
    const force = setTimeout(() => this.#wire.destroy(), lingerMs).unref();
    this.#wire.once('close', () => clearTimeout(force));
    done(error);
  }

  #onData(chunk: Buffer): void {
    try {
      this.#frames.feed(chunk);
    } catch {
      this.cut();
      return;
    }
    this.#wantsMore = this.push(chunk);
    this.#flow();
  }

  #onPacket(kind: number, bytes: number): void {
    if (this.#isFirst !== (kind === packetKind.connect)) throw new Error('CONNECT comes first, and once');
    this.#isFirst = false;
    this.#stopTimer();
    if (bytes > this.#bytesMax(kind)) throw new Error('a packet is too large');
    if (kind === packetKind.publish) this.#underWay++;
    if (bytes > smallBytesMax) this.#reserve(bytes);
  }

  #bytesMax(kind: number): number {
    if (kind === packetKind.publish) return this.#options.messageBytesMax() + topicBytesMax;
    return kind === packetKind.connect ? connectBytesMax : otherBytesMax;
  }

  #reserve(bytes: number): void {
    this.#isReserving = true;
    const before = this.#giveBack;
    this.#options.reserve(bytes).then(
      (giveBack) => {
        this.#isReserving = false;
        this.#giveBack = () => {
          before?.();
          giveBack();
        };
        if (this.destroyed) this.#release();
        else this.#flow();
      },
      () => this.cut(),
    );
  }

  #release(): void {
    this.#giveBack?.();
    this.#giveBack = null;
  }

  /** Reads on, or not. */
  #flow(): void {
    const isHeld = this.#isReserving || this.#underWay >= underWayMax;
    const reads = this.#wantsMore && !isHeld && !this.destroyed;
    if (reads) this.#wire.resume();
    else this.#wire.pause();
    // The time of a packet runs while its client could send the rest of it.
    if (reads && this.#frames.isWithin) this.#startTimer();
    else this.#stopTimer();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.cut(), this.#options.packetMsMax).unref();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
