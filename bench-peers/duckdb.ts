/**
 * DuckDB as a service: the least HTTP that makes it comparable. An insert is committed, which syncs, before it is answered.
 *
 *     node duckdb.ts FILE      prints the address it listens at
 *     POST /insert             {"times": [RFC 3339 …], "series": {"<number>": [value …]}}
 *     POST /query              SQL; the answer is an array of columns
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BIGINT, DOUBLE, DuckDBDataChunk, DuckDBInstance, INTEGER } from '@duckdb/node-api';

/** Rows of a chunk at most; the engine's own vector size. */
const chunkRows = 2048;

const instance = await DuckDBInstance.create(process.argv[2], { threads: '2' });
const reading = await instance.connect();
await reading.run('create table point (signal integer, time bigint, value double)');
await reading.run('create table signal (number integer primary key, name varchar, grp varchar)');
const writing = await instance.connect();
const appender = await writing.createAppender('point');

interface Frame {
  times: string[];
  series: Record<string, number[]>;
}

function insert({ times, series }: Frame): void {
  const timesUs = times.map((text) => BigInt(Date.parse(text)) * 1000n);
  let rows: [number[], bigint[], number[]] = [[], [], []];
  for (const [number, values] of Object.entries(series)) {
    const signal = Number(number);
    for (let i = 0; i < values.length; i++) {
      rows[0].push(signal);
      rows[1].push(timesUs[i]);
      rows[2].push(values[i]);
      if (rows[0].length < chunkRows) continue;
      append(rows);
      rows = [[], [], []];
    }
  }
  if (rows[0].length > 0) append(rows);
  appender.flushSync();
}

function append(columns: [number[], bigint[], number[]]): void {
  const chunk = DuckDBDataChunk.create([INTEGER, BIGINT, DOUBLE], columns[0].length);
  chunk.setColumns(columns);
  appender.appendDataChunk(chunk);
}

async function answer(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString('utf8');
  if (request.url === '/query') {
    const result = await reading.runAndReadAll(body);
    return JSON.stringify(result.getColumnsJS(), (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
  }
  insert(JSON.parse(body) as Frame);
  return '{}';
}

const server = createServer((request, response) => {
  answer(request).then(
    (text) => response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text),
    (error) => response.writeHead(400).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
