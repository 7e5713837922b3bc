/**
 * The frames of a WebSocket (RFC 6455, section 5) as they arrive: what they carry is passed on as it comes, so that a frame of any
 * length takes no memory.
 */

/** Kinds of frames by their number. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Reasons for closing. */
export const closeCode = { normal: 1000, protocol: 1002, notBinary: 1003 } as const;

const controlBytesMax = 125;
const headBytesMin = 2;
const maskBytes = 4;

/** What a client sent is not what may be sent here. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What frames mean. */
export interface FrameEvents {
  /** A part of a binary message. */
  onData(bytes: Buffer): void;
  /** A control frame that has arrived whole. */
  onControl(kind: number, payload: Buffer): void;
}

/** A frame whose head has been read. */
interface Frame {
  kind: number;
  mask: Buffer;
  /** Bytes of its payload that have been read, and that are still to come. */
  read: number;
  left: number;
}

/** Reads the frames of a client in chunks of any size. */
export class FrameReader {
  readonly #events: FrameEvents;
  /** The part of a head that has arrived. */
  #head: Buffer = Buffer.alloc(0);
  #frame: Frame | null = null;
  #control: Buffer[] = [];
  /** Whether a message has begun whose last frame has not come. */
  #isWithinMessage = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  /** Reads the next bytes. Throws `FrameError`. */
  feed(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0)
      rest = this.#frame === null ? this.#readHead(rest) : this.#readPayload(rest, this.#frame);
  }

  #readHead(chunk: Buffer): Buffer {
    const head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    if (head.length >= headBytesMin) checkBegin(head);
    const bytes = headBytes(head);
    if (head.length < bytes) {
      this.#head = head;
      return chunk.subarray(chunk.length);
    }
    this.#head = Buffer.alloc(0);
    this.#begin(head, bytes);
    return head.subarray(bytes);
  }

  #begin(head: Buffer, bytes: number): void {
    const kind = head[0] & 0x0f;
    const isLast = (head[0] & 0x80) !== 0;
    const left = payloadBytes(head);
    if (!Number.isSafeInteger(left)) throw violation('a frame that is too long');
    if (kind < opcode.close) this.#beginPart(kind, isLast);
    else if (!isLast || left > controlBytesMax)
      throw violation('a control frame that is divided or too long');
    this.#frame = { kind, mask: Buffer.from(head.subarray(bytes - maskBytes, bytes)), read: 0, left };
    if (left === 0) this.#end(kind);
  }

  #beginPart(kind: number, isLast: boolean): void {
    if (kind === opcode.text) throw new FrameError(closeCode.notBinary, 'a text message');
    if (kind > opcode.binary) throw violation('an unknown kind of frame');
    if ((kind === opcode.continuation) !== this.#isWithinMessage) throw violation('a frame out of order');
    this.#isWithinMessage = !isLast;
  }

  #readPayload(chunk: Buffer, frame: Frame): Buffer {
    const part = chunk.subarray(0, frame.left);
    const plain = unmasked(part, frame);
    frame.read += part.length;
    frame.left -= part.length;
    if (frame.kind < opcode.close) this.#events.onData(plain);
    else this.#control.push(plain);
    if (frame.left === 0) this.#end(frame.kind);
    return chunk.subarray(part.length);
  }

  #end(kind: number): void {
    this.#frame = null;
    if (kind < opcode.close) return;
    const payload = Buffer.concat(this.#control);
    this.#control = [];
    this.#events.onControl(kind, payload);
  }
}

/** How long the head is that begins with these bytes. */
function headBytes(head: Buffer): number {
  if (head.length < headBytesMin) return headBytesMin;
  const length = head[1] & 0x7f;
  return headBytesMin + (length === 127 ? 8 : length === 126 ? 2 : 0) + maskBytes;
}

function payloadBytes(head: Buffer): number {
  const length = head[1] & 0x7f;
  if (length === 126) return head.readUInt16BE(headBytesMin);
  return length === 127 ? Number(head.readBigUInt64BE(headBytesMin)) : length;
}

/** Looks at the first two bytes. */
function checkBegin(head: Buffer): void {
  if ((head[0] & 0x70) !== 0) throw violation('an extension that was not agreed on');
  if ((head[1] & 0x80) === 0) throw violation('a frame without a mask');
  if ((head[0] & 0x0f) > opcode.pong) throw violation('an unknown kind of frame');
}

function unmasked(part: Buffer, { mask, read }: Frame): Buffer {
  const plain = Buffer.allocUnsafe(part.length);
  for (let i = 0; i < part.length; i++) plain[i] = part[i] ^ mask[(read + i) & 3];
  return plain;
}

function violation(what: string): FrameError {
  return new FrameError(closeCode.protocol, what);
}

/** The head of a frame that a server sends. */
export function serverHead(kind: number, bytes: number): Buffer {
  const first = 0x80 | kind;
  if (bytes <= controlBytesMax) return Buffer.of(first, bytes);
  if (bytes < 65_536) {
    const head = Buffer.of(first, 126, 0, 0);
    head.writeUInt16BE(bytes, headBytesMin);
    return head;
  }
  const head = Buffer.alloc(headBytesMin + 8);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(bytes), headBytesMin);
  return head;
}

/** A whole frame that closes the connection. */
export function closeFrame(code: number): Buffer {
  return Buffer.concat([serverHead(opcode.close, 2), Buffer.of(code >> 8, code & 0xff)]);
}
