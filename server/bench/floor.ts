/**
 * The floor: what Node and the disk allow at best. A server that appends raw request bodies to a file, syncs, and
 * answers; as many requests as have arrived share one sync. It has the latest points as arrays by series, from which
 * it could answer questions; it checks nothing, reads no time, never sorts, and forgets what is older. Run as a child process, so
 * that it competes for the cores with its client as the real service does.
 */
import { fdatasync, openSync, writev } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const file = openSync(process.argv[2], 'a', 0o600);
const answer = Buffer.from('{"jsonrpc":"2.0","id":"1","result":{}}');
let waiting: { bodies: Buffer[]; response: ServerResponse }[] = [];
let syncing = false;

function sync(): void {
  if (syncing || waiting.length === 0) return;
  const group = waiting;
  waiting = [];
  syncing = true;
  writev(
    file,
    group.flatMap(({ bodies }) => bodies),
    (writeError) => {
      if (writeError) throw writeError;
      fdatasync(file, (syncError) => {
        if (syncError) throw syncError;
        syncing = false;
        for (const { response } of group) {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
          response.end(answer);
        }
        sync();
      });
    },
  );
}

interface Insert {
  params: { data: { times: string[]; series: Record<string, (number | null)[]> } };
}

/** Requests whose points are kept, for each series. */
const keptMax = 50;
const kept = new Map<string, { times: string[]; values: (number | null)[] }[]>();

function keep({ params: { data } }: Insert): void {
  for (const [key, values] of Object.entries(data.series)) {
    const columns = kept.get(key) ?? [];
    kept.set(key, columns);
    columns.push({ times: data.times, values });
    if (columns.length > keptMax) columns.shift();
  }
}

const server = createServer((request, response) => {
  const bodies: Buffer[] = [];
  request.on('data', (chunk: Buffer) => bodies.push(chunk));
  request.on('end', () => {
    keep(JSON.parse(Buffer.concat(bodies).toString('utf8')));
    waiting.push({ bodies, response });
    sync();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/rpc\n`);
});
