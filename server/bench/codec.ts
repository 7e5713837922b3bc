/**
 * The codec alone: bytes a point and values a second of processor, so that what else the machine does is left out; on
 * recordings and on generated sets, beside raw, gzip and zstd of the same columns (times and values behind one another, 16
 * bytes a point).
 */
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Points } from '#model/frame';
import { decodeBlock, encodeBlock } from '#storage/codec/block';
import { cutBlocks as cutPages } from '#storage/sqlite/cut';
import { generatedSets } from './density.ts';
import { recordings } from './recordings.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';

/** One way of writing a block as bytes, and back. */
export interface Method {
  name: string;
  encode(points: Points): Uint8Array;
  decode(bytes: Uint8Array): Points | Uint8Array;
}

/** The codec, and the alternatives that it is compared with. */
export const methods: readonly Method[] = [
  {
    name: 'codec',
    encode: (points) => encodeBlock(points),
    decode: (bytes) => decodeBlock(bytes, 'of the benchmark'),
  },
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

/** Points a second of processor, over as many rounds as there is time for; at least one round, after one to warm up. */
function rate(count: number, seconds: number, round: () => void): number {
  round();
  const before = process.cpuUsage();
  let rounds = 0;
  let usedS = 0;
  do {
    round();
    rounds++;
    const { user, system } = process.cpuUsage(before);
    usedS = (user + system) / 1e6;
  } while (usedS < seconds);
  return (count * rounds) / usedS;
}

/** The guess of a store that knows nothing of a signal yet. */
const bytesPerPoint = 2;

/** Blocks as the store cuts them: so many points that the codec fills pages of the file. */
export function cutBlocks(points: Points): Points[] {
  let from = 0;
  return cutPages(points, bytesPerPoint).map(({ summary: { count } }) => {
    const to = from + count;
    const block = { timesUs: points.timesUs.slice(from, to), values: points.values.slice(from, to) };
    from = to;
    return block;
  });
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
