/** The bytes of a file or of standard input, decompressed where they are gzip or zstd. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { CommandError, UsageError } from '../usage.ts';

/** A file that is read once, from its first byte to its last. */
export class ByteSource {
  /** The file's size; null when it is a pipe. */
  readonly bytesTotal: number | null;
  /** Bytes that have been read from the file, as they are there: compressed. */
  bytesRead = 0;
  readonly #stream: Readable;

  private constructor(stream: Readable, bytesTotal: number | null) {
    this.#stream = stream;
    this.bytesTotal = bytesTotal;
  }

  /** Opens a file, or standard input for `-`. Throws {@link UsageError} when it cannot be read. */
  static async open(path: string): Promise<ByteSource> {
    const bytesTotal = path === '-' ? null : await sizeOf(path);
    return new ByteSource(path === '-' ? process.stdin : createReadStream(path), bytesTotal);
  }

  /** The pieces of the content; to be called once. Throws {@link CommandError} where compressed data are damaged. */
  async *chunks(): AsyncGenerator<Buffer> {
    const raw = this.#raw();
    const first = await raw.next();
    if (first.done) return;
    const inflate = inflaterOf(first.value);
    if (inflate === null) {
      yield first.value;
      yield* raw;
    } else yield* inflated(first.value, raw, inflate);
  }

  async *#raw(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#stream.destroy();
  }
}

interface Inflater {
  name: string;
  stream: Transform;
}

function inflaterOf(bytes: Buffer): Inflater | null {
  if (bytes.length >= 2 && bytes.readUInt16BE(0) === 0x1f8b) return { name: 'gzip', stream: createGunzip() };
  if (bytes.length >= 4 && bytes.readUInt32BE(0) === 0x28b52ffd)
    return { name: 'zstd', stream: createZstdDecompress() };
  return null;
}

async function* inflated(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  { name, stream }: Inflater,
): AsyncGenerator<Buffer> {
  async function* all() {
    yield first;
    yield* rest;
  }
  const fed = pipeline(Readable.from(all(), { objectMode: true }), stream);
  fed.catch(() => {}); // The iteration below throws the same error.
  try {
    yield* stream as AsyncIterable<Buffer>;
    await fed;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^(Z_|ZSTD_|ERR_.*ZSTD)/.test(code)) throw error;
    throw new CommandError(`the file is not valid ${name} data: ${message}`);
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  if (found.isDirectory()) throw new UsageError(`cannot read ${path}: it is a directory`);
  return found.size;
}
