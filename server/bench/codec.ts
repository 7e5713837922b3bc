/**
 * The codec alone: bytes a point and values a second, on recordings and on generated sets, beside gzip and zstd of the same
 * columns (times and values behind one another, 16 bytes a point).
 */
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Points } from '#model/frame';
import { decodeBlock, encodeBlock } from '#storage/codec/block';
import { generatedSets } from './density.ts';
import { recordings } from './recordings.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';

/** Points of a block, as the store cuts them. */
const blockPoints = 4096;

/** One way of writing a block as bytes, and back. */
export interface Method {
  name: string;
  encode(points: Points): Uint8Array;
  decode(bytes: Uint8Array): Points | Uint8Array;
}

/** The codec, and what there is beside it. */
export const methods: readonly Method[] = [
  { name: 'codec', encode: encodeBlock, decode: (bytes) => decodeBlock(bytes, 'of the benchmark') },
  { name: 'raw', encode: rawColumns, decode: (bytes) => bytes.slice() },
  { name: 'gzip', encode: (points) => gzipSync(rawColumns(points)), decode: (bytes) => gunzipSync(bytes) },
  {
    name: 'zstd',
    encode: (points) => zstdCompressSync(rawColumns(points)),
    decode: (bytes) => zstdDecompressSync(bytes),
  },
];

/** Measures all methods on all data. */
export function measureCodec(run: Run): Figure[] {
  const generated = generatedSets.map(({ name, make }) => ({ name, columns: [make(40_960, 7)] }));
  return [...recordings(), ...generated].flatMap(({ name, columns }) => {
    const blocks = columns.flatMap(cutBlocks).slice(0, run.isTiny ? 2 : undefined);
    return methods.flatMap((method) => run.print(measureMethod(name, method, blocks, run.seconds / 10)));
  });
}

/** Size and speed of one method; throws when what the codec wrote does not come back bit by bit. */
export function measureMethod(
  name: string,
  method: Method,
  blocks: readonly Points[],
  seconds: number,
): Figure[] {
  const count = blocks.reduce((sum, { values }) => sum + values.length, 0);
  const encoded = blocks.map(method.encode);
  if (method.name === 'codec') for (const [i, bytes] of encoded.entries()) checkBlock(bytes, blocks[i]);
  const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
  const encodeRate = rate(count, seconds, () => blocks.forEach(method.encode));
  const decodeRate = rate(count, seconds, () => encoded.forEach(method.decode));
  const title = `${method.name}: ${name}`;
  return [
    { name: title, value: bytes / count, unit: 'bytes/point', note: `${blocks.length} blocks` },
    { name: `${title}, write`, value: encodeRate, unit: 'values/s' },
    { name: `${title}, read`, value: decodeRate, unit: 'values/s' },
  ];
}

/** Points a second, over as many rounds as there is time for; at least one round, after one to warm up. */
function rate(count: number, seconds: number, round: () => void): number {
  round();
  const startMs = performance.now();
  let rounds = 0;
  do {
    round();
    rounds++;
  } while (performance.now() - startMs < seconds * 1000);
  return (count * rounds * 1000) / (performance.now() - startMs);
}

/** Blocks as the store cuts them. */
export function cutBlocks({ timesUs, values }: Points): Points[] {
  return Array.from({ length: Math.ceil(values.length / blockPoints) }, (_, i) => ({
    timesUs: timesUs.slice(i * blockPoints, (i + 1) * blockPoints),
    values: values.slice(i * blockPoints, (i + 1) * blockPoints),
  }));
}

function rawColumns({ timesUs, values }: Points): Uint8Array {
  const out = new Float64Array(timesUs.length * 2);
  out.set(timesUs);
  out.set(values, timesUs.length);
  return new Uint8Array(out.buffer);
}

function checkBlock(bytes: Uint8Array, points: Points): void {
  const back = Buffer.from(rawColumns(decodeBlock(bytes, 'of the benchmark')));
  if (!back.equals(rawColumns(points))) throw new Error('a block came back differently');
}
