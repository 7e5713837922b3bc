/** Content codings (E3): gzip, br and zstd. Decompression of requests is bounded; answers are compressed at fast levels. */

import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { freeMemory } from '#model/free-memory';
import { type RunStep, runSteps } from '#model/steps';
import { joinInSteps } from '#protocol/join-in-steps';
import { HttpProblem } from './problem.ts';

/** A supported content coding. */
export type Encoding = 'gzip' | 'br' | 'zstd';

/** Smaller answers are not compressed. */
export const encodingBytesMin = 1024;

/** Supported codings, in order of preference for answers: fastest first. */
const encodings: readonly Encoding[] = ['zstd', 'br', 'gzip'];

const zstdOptions = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };
const brotliOptions = {
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 },
};
const gzipOptions = { level: 1 };

/** A text stands for its UTF-8. */
type Bytes = string | Buffer;

const compressors = {
  gzip: (bytes: Bytes) => promisify<Bytes, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, gzipOptions),
  br: (bytes: Bytes) =>
    promisify<Bytes, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, brotliOptions),
  zstd: (bytes: Bytes) => promisify<Bytes, zlib.ZstdOptions, Buffer>(zlib.zstdCompress)(bytes, zstdOptions),
} satisfies Record<Encoding, (bytes: Bytes) => Promise<Buffer>>;

const decompressors = {
  gzip: zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
} satisfies Record<Encoding, (options: { chunkSize: number }) => Transform>;

/** The coding of an answer by the header Accept-Encoding (RFC 9110 §12.5.3); null: uncompressed. */
export function encodingFor(
  header: string | undefined,
  offered: readonly Encoding[] = encodings,
): Encoding | null {
  if (header === undefined) return null;
  const qualities = new Map(header.toLowerCase().split(',').map(readQuality));
  const qualityOf = (name: string) => qualities.get(name) ?? qualities.get('*') ?? 0;
  const best = offered.reduce((best, name) => (qualityOf(name) > qualityOf(best) ? name : best));
  return qualityOf(best) > 0 ? best : null;
}

/** One entry of a header such as Accept: its value without parameters, and its quality. */
export function readQuality(entry: string): [name: string, quality: number] {
  const [name, ...parameters] = entry.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}

/** Compresses a whole answer, on another thread. */
export function encodeAll(encoding: Encoding, bytes: Bytes): Promise<Buffer> {
  return compressors[encoding](bytes);
}

/** Maximum memory of a compressor, bytes. */
export const encoderBytes = 1024 * 1024;

/** Compresses an answer piece by piece. */
export function newEncoder(encoding: Encoding): Transform {
  if (encoding === 'gzip') return zlib.createGzip(gzipOptions);
  return encoding === 'br' ? zlib.createBrotliCompress(brotliOptions) : zlib.createZstdCompress(zstdOptions);
}

/** The coding of a request's body by its header Content-Encoding; null: uncompressed. 415 lists the supported codings. */
export function encodingOf(header: string | undefined): Encoding | null {
  const name = header?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return null;
  const encoding = encodings.find((known) => known === name || (known === 'gzip' && name === 'x-gzip'));
  if (encoding !== undefined) return encoding;
  const accepted = encodings.join(', ');
  throw new HttpProblem(415, `Content-Encoding must be one of ${accepted}`, { 'accept-encoding': accepted });
}

/** Maximum compression ratio of gzip. */
const gzipRatioMax = 1032;

/** Maximum decompressed size of a body of this size, when more than `bytesMax` is rejected. */
export function inflatedBytesMax(encoding: Encoding, bytes: number, bytesMax: number): number {
  return encoding === 'gzip' ? Math.min(bytesMax, bytes * gzipRatioMax) : bytesMax;
}

/** Size of decompressed pieces; smaller ones would interrupt the event loop hundreds of times for each body. */
const chunkSize = 128 * 1024;

/**
 * Decompresses a request's body on another thread, and joins its pieces in steps. 413 when it exceeds `bytesMax` bytes, 400 when it is
 * corrupt; rejects as `runStep` does.
 */
export async function decodeAll(
  encoding: Encoding,
  bytes: Buffer,
  bytesMax: number,
  runStep: RunStep,
): Promise<Buffer> {
  const decoder = decompressors[encoding]({ chunkSize });
  const pieces: Buffer[] = [];
  let length = 0;
  decoder.end(bytes);
  try {
    for await (const piece of decoder) {
      length += piece.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      pieces.push(piece);
    }
  } catch (cause) {
    throw cause instanceof HttpProblem ? cause : new HttpProblem(400, `The body is not valid ${encoding}`);
  }
  try {
    return await runSteps(joinInSteps(pieces), runStep);
  } finally {
    for (const piece of pieces) freeMemory(piece);
  }
}

/** The problem of a body over the limit. */
export function tooLarge(bytesMax: number): HttpProblem {
  return new HttpProblem(413, `The body must be at most ${bytesMax} bytes, after decompression`);
}
