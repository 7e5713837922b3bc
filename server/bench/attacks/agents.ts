/** Attacks by the protocols of agents and by Arrow: bodies in line protocol, of remote write, and streams of columns. */
import { gzipSync } from 'node:zlib';
import { Frame } from '#model/frame';
import { arrowType } from '#protocol/arrow/format';
import { streamPieces } from '#protocol/arrow/stream-writer';
import { type Attack, type AttackTarget, bodyBytesOf, filledBytes, integrationOf, postAs } from './attack.ts';

function lines(line: (index: number) => string) {
  return (target: AttackTarget) =>
    postAs(target, '/api/v2/write?precision=s', filledBytes(target, '', line, '', '\n'), '');
}

/** So many bytes of a request of remote write after decompression are allowed. */
const remoteBytesMax = 4 * 1024 * 1024;

function remoteWrite(target: AttackTarget, block: Buffer): Buffer {
  const types = 'Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n';
  return postAs(target, '/api/v1/write', block, types);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

/** A block of snappy that is `begin` repeated until it has so many bytes. */
function repeated(begin: Buffer, bytes: number): Buffer {
  const copy = [(63 << 2) | 2, begin.length, 0];
  const count = Math.floor((bytes - begin.length) / 64);
  const head = [...varint(begin.length + count * 64), (begin.length - 1) << 2];
  return Buffer.concat([
    Buffer.from(head),
    begin,
    Buffer.from(Array.from({ length: count }, () => copy).flat()),
  ]);
}

/** A block of snappy with a literal of one byte for each byte. */
function singleBytes(bytes: number): Buffer {
  const literals = Buffer.alloc(bytes * 2);
  for (let at = 1; at < literals.length; at += 2) literals[at] = 10;
  return Buffer.concat([Buffer.from(varint(bytes)), literals]);
}

/** A block of snappy without compression. */
function literal(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length - 1);
  return Buffer.concat([Buffer.from([...varint(bytes.length), 63 << 2]), length, bytes]);
}

/** A series of version 1.0 with one sample, and a name of its own. */
function newSeries(index: number): Buffer {
  const name = Buffer.from(`metric_${index}`);
  const pair = [0x0a, 8, ...Buffer.from('__name__'), 0x12, name.length, ...name];
  const sample = [0x12, 11, 0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x10, 1];
  return Buffer.from([0x0a, pair.length + 2 + sample.length, 0x0a, pair.length, ...pair, ...sample]);
}

function arrow(series: number, rows: number) {
  return (target: AttackTarget) => {
    const timesUs = Float64Array.from({ length: rows }, (_, row) => row * 1e6);
    const columns = Array.from({ length: series }, (_, k) => [`arrow/${k}`, new Float64Array(rows)] as const);
    const body = Buffer.concat([...streamPieces(new Frame(timesUs, new Map(columns)), new Map())]);
    const query = `method=integration.insert&integration=${integrationOf(target).id}`;
    return postAs(target, `/v1/rpc?${query}`, body, `X-API-Version: 1.2\r\nContent-Type: ${arrowType}\r\n`);
  };
}

/** Attack → how it is made. */
export const agentAttacks: Readonly<Record<string, Attack>> = {
  lines: { connections: 8, request: lines((k) => `m,tag=${k % 10} a=1,b=2 ${k}`) },
  'lines of new series': { connections: 8, request: lines((k) => `m,tag=${k} a=1 1`) },
  'wrong lines': { connections: 8, request: lines(() => 'x') },
  'a long line': {
    connections: 8,
    request: (target) =>
      postAs(
        target,
        '/api/v2/write',
        filledBytes(target, 'm ', (k) => `f${k}=1`, ''),
        '',
      ),
  },
  'many tags': {
    connections: 8,
    request: (target) =>
      postAs(
        target,
        '/api/v2/write',
        filledBytes(target, 'm,', (k) => `t${k}=1`, ' a=1'),
        '',
      ),
  },
  'compressed lines': {
    connections: 300,
    request: (target) =>
      postAs(
        target,
        '/api/v2/write',
        gzipSync(Buffer.alloc(bodyBytesOf(target), '\n'), { level: 1 }),
        'Content-Encoding: gzip\r\n',
      ),
  },
  'snappy bombs': {
    connections: 100,
    request: (target) => remoteWrite(target, repeated(Buffer.alloc(32, 0xff), remoteBytesMax)),
  },
  'snappy bytes': {
    connections: 20,
    request: (target) => remoteWrite(target, singleBytes(remoteBytesMax - 16)),
  },
  'empty remote series': {
    connections: 20,
    request: (target) => remoteWrite(target, repeated(Buffer.from('0a00'.repeat(16), 'hex'), remoteBytesMax)),
  },
  'new remote series': {
    connections: 8,
    request: (target) =>
      remoteWrite(target, literal(Buffer.concat(Array.from({ length: 80_000 }, (_, k) => newSeries(k))))),
  },
  'Arrow columns': { connections: 8, request: arrow(9000, 1) },
  'Arrow rows': { connections: 8, request: arrow(10, 90_000) },
};
