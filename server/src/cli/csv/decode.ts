/** Bytes of a text file → text: finds out what encoding it has. */
import { CommandError } from '../usage.ts';

/** The encodings that are read; `windows-1252` is Latin-1 with its usual additions. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;

/** An encoding that is read. */
export type Encoding = (typeof encodings)[number];

/** Decodes a file in pieces. While no byte beyond ASCII has come, UTF-8 and windows-1252 are the same text. */
export class TextFileDecoder {
  #encoding: Encoding | null;
  #decoder: TextDecoder | null = null;
  /** Bytes that were decoded before this piece. */
  #offset = 0;
  readonly #isGiven: boolean;

  /** `encoding` null: find it. */
  constructor(encoding: Encoding | null) {
    this.#encoding = encoding;
    this.#isGiven = encoding !== null;
  }

  /** The encoding as far as it is known: null while the text is ASCII. */
  get encoding(): Encoding | null {
    return this.#encoding;
  }

  /** The text of the next piece. Throws {@link CommandError} where the bytes are not of the encoding. */
  decode(bytes: Buffer): string {
    if (this.#encoding === null) this.#encoding = this.#offset === 0 ? encodingAtStart(bytes) : null;
    if (this.#encoding === null && !isAscii(bytes))
      this.#encoding = isUtf8Start(bytes) ? 'utf-8' : 'windows-1252';
    const text = this.#encoding === null ? bytes.toString('latin1') : this.#run(bytes, true);
    this.#offset += bytes.length;
    return text;
  }

  /** What is left at the end of the file. */
  end(): string {
    return this.#encoding === null ? '' : this.#run(Buffer.alloc(0), false);
  }

  #run(bytes: Buffer, stream: boolean): string {
    this.#decoder ??= new TextDecoder(this.#encoding as Encoding, { fatal: true });
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      const hint = this.#isGiven ? '' : '; name the encoding with --encoding';
      throw new CommandError(
        `the file is not valid ${this.#encoding} text, in the piece of ${bytes.length} bytes after byte ${this.#offset}${hint}`,
      );
    }
  }
}

/** By the byte order mark, or by the zero bytes that UTF-16 has in every ASCII character. */
function encodingAtStart(bytes: Buffer): Encoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes.length < 2) return null;
  if (bytes[0] !== 0 && bytes[1] === 0) return 'utf-16le';
  return bytes[0] === 0 && bytes[1] !== 0 ? 'utf-16be' : null;
}

function isAscii(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > 127) return false;
  return true;
}

/** Whether bytes are UTF-8, but for a character that is cut off at the end. */
function isUtf8Start(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
