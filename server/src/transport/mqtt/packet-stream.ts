/**
 * The bytes of one connection on their way to the broker: packets have a maximum size, memory for large ones is taken before they
 * are read, and while too many messages are under way nothing is read, so that TCP holds the client back.
 */
import { Duplex } from 'node:stream';
import type { PacedQueue } from './paced-queue.ts';
import { PacketFrames, packetKind } from './packet-frames.ts';
import { type MessageShare, type MessagesUnderWay, messagesMax } from './under-way.ts';

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
  /** Runs a step when it is the client's turn on the event loop. Rejects as it throws. */
  step(work: () => void): Promise<void>;
  /** Takes memory for a large packet, if necessary after waiting; what it resolves with gives it back. */
  reserve(bytes: number): Promise<() => void>;
  /** The client has authenticated. */
  onKnown(): void;
  underWay: MessagesUnderWay;
  /** When connections end. */
  ends: Pick<PacedQueue, 'add'>;
  /** When connections write. */
  writes: Pick<PacedQueue, 'add'>;
}

/** Packets other than messages: topics of a SUBSCRIBE; the will and the password of a CONNECT. */
const otherBytesMax = 64 * 1024;
const connectBytesMax = 256 * 1024;

/** What a topic and the head of a message may take besides its payload. */
const topicBytesMax = 64 * 1024 + 8;

/** Memory for a larger packet is taken first, and it is given to the broker as a whole. */
const smallBytesMax = 64 * 1024;

/** Packets that the broker is given at once: it reads and begins all of them in about a millisecond. */
const packetsAtOnce = 64;

/** A connection that is ending is cut after this time, ms. */
const lingerMs = 5000;

const nothing = Buffer.alloc(0);

/** The stream that the broker reads. */
export class PacketStream extends Duplex {
  readonly address: string;
  readonly #wire: Wire;
  readonly #options: PacketStreamOptions;
  readonly #frames: PacketFrames;
  #isFirst = true;
  #underWay = 0;
  /** What it has under way, together with the other connections of its integration; null until it is authenticated. */
  #share: MessageShare | null = null;
  #isReserving = false;
  #wantsMore = false;
  /** Bytes that have arrived and that the broker has not been given; while there are any, nothing is read. */
  #rest: Buffer = nothing;
  /** What has arrived of a large packet behind its head; null: none has begun. */
  #large: Buffer | null = null;
  #largeAt = 0;
  #hasStep = false;
  #isGone = false;
  #giveBack: (() => void) | null = null;
  /** Does the write that waits for its turn. */
  #writeNow: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(wire: Wire, options: PacketStreamOptions) {
    // No more than it is given at once, since it reads all that there is.
    super({ readableHighWaterMark: 1 });
    this.address = options.address;
    this.#wire = wire;
    this.#options = options;
    this.#frames = new PacketFrames((kind, bytes) => this.#onPacket(kind, bytes), smallBytesMax + 1);
    wire.on('data', (chunk: Buffer) => this.#onData(chunk));
    wire.on('end', () => options.ends.add(() => this.#onGone()));
    wire.on('error', () => options.ends.add(() => this.destroy()));
    wire.on('close', () => options.ends.add(() => this.#onGone()));
    wire.pause();
  }

  /** Bytes that the client has not taken yet. */
  get unsentBytes(): number {
    return this.writableLength + this.#wire.writableLength;
  }

  /** Its client has authenticated. */
  noteKnown(integration: string): void {
    this.#share = this.#options.underWay.join(integration, () => this.#flow());
    this.#share.add(this.#underWay);
    this.#options.onKnown();
  }

  /** A message has been dealt with. */
  settle(): void {
    this.weigh(-1);
  }

  /** What is under way counts for so many messages more, or fewer. */
  weigh(change: number): void {
    this.#count(change);
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

  /** Called while the broker reads: what follows comes in a step of its own. */
  override _read(): void {
    this.#wantsMore = true;
    process.nextTick(() => this.#flow());
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#writeSoon(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#writeSoon(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  /** Packets that the broker sends until the connection's turn comes are the next write: a write to a socket costs more than a packet. */
  #writeSoon(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.#writeNow = () => {
      this.#writeNow = null;
      this.#wire.write(bytes, done);
    };
    this.#options.writes.add(() => this.#writeNow?.());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#wire.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#writeNow?.();
    this.#stopTimer();
    this.#release();
    this.#share?.leave();
    this.#share = null;
    if (this.#wire.destroySoon === undefined) this.#wire.end();
    else this.#wire.destroySoon();
    const force = setTimeout(() => this.#wire.destroy(), lingerMs).unref();
    this.#wire.once('close', () => clearTimeout(force));
    done(error);
  }

  #onData(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#flow();
  }

  /** What has arrived before is given to the broker: it may be a message that needs no answer, or the DISCONNECT without which there is a will. */
  #onGone(): void {
    this.#isGone = true;
    this.#flow();
  }

  /** Gives the broker the next packets, which it reads at once, if it does not wait for earlier ones. */
  #giveSlice(): void {
    this.#hasStep = false;
    if (this.destroyed || this.#isHeld) return;
    const { largeBytes } = this.#frames;
    const end = this.#frames.feed(this.#rest, packetsAtOnce);
    const slice = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    if (largeBytes === 0) this.#give(slice);
    else this.#gather(slice, largeBytes);
    this.#flow();
  }

  #give(bytes: Buffer): void {
    this.#wantsMore = this.push(bytes);
    this.emit('readable');
  }

  /** A large packet is given as one piece: the broker would join its pieces at one go. */
  #gather(slice: Buffer, bytes: number): void {
    this.#large ??= Buffer.allocUnsafeSlow(bytes);
    slice.copy(this.#large, this.#largeAt);
    this.#largeAt += slice.length;
    if (this.#largeAt < bytes) return;
    const whole = this.#large;
    this.#large = null;
    this.#largeAt = 0;
    this.#give(whole);
  }

  #onPacket(kind: number, bytes: number): void {
    if (this.#isFirst !== (kind === packetKind.connect)) throw new Error('CONNECT comes first, and once');
    this.#isFirst = false;
    this.#stopTimer();
    if (bytes > this.#bytesMax(kind)) throw new Error('a packet is too large');
    if (kind === packetKind.publish) this.#count(1);
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

  get #isHeld(): boolean {
    return this.#isReserving || (this.#share?.mustWait() ?? this.#underWay >= messagesMax);
  }

  #count(change: number): void {
    this.#underWay += change;
    this.#share?.add(change);
  }

  /** Reads on, or not. */
  #flow(): void {
    const goesOn = this.#wantsMore && !this.#isHeld && !this.destroyed;
    const hasRest = this.#rest.length > 0;
    // The time of a packet runs while its client could send the rest of it.
    if (goesOn && this.#frames.isWithin) this.#startTimer();
    else this.#stopTimer();
    if (this.#isGone && !hasRest) setImmediate(() => this.destroy());
    if (goesOn && !hasRest && !this.#isGone) this.#wire.resume();
    else this.#wire.pause();
    if (goesOn && hasRest) this.#takeStep();
  }

  #takeStep(): void {
    if (this.#hasStep) return;
    this.#hasStep = true;
    this.#options.step(() => this.#giveSlice()).catch(() => this.cut());
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.cut(), this.#options.packetMsMax).unref();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
