/** Bytes of a connection on their way to the HTTP parser: what is parsed at once, what waits, and that nothing is lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { feedInSlices } from '#transport/http/feed';
import { RawClient } from '../../support/raw-client.ts';

/** A server whose connections are fed; turns come when `goOn` is called. */
interface Fed {
  client: RawClient;
  /** Paths of the requests that were parsed. */
  paths: string[];
  /** Gives the next step its turn, once it waits for it. */
  goOn(): Promise<void>;
  /** The same, if one waits already. */
  tryGoOn(): void;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

async function withFed(
  isPipelining: () => boolean,
  serve: Serve,
  run: (fed: Fed) => Promise<void>,
  isPrompt = () => true,
) {
  const paths: string[] = [];
  const steps: (() => void)[] = [];
  const step = async (work: () => void) => void steps.push(work);
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    paths.push(request.url ?? '');
    serve(request, response);
  });
  const context = { isPipelining, isPrompt, runNow: (work: () => void) => work(), step };
  server.on('connection', (socket: Socket) => feedInSlices(socket, context));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = await RawClient.open((server.address() as AddressInfo).port);
  const tryGoOn = () => steps.shift()?.();
  const goOn = async () => {
    await until(() => steps.length > 0);
    tryGoOn();
  };
  try {
    await run({ client, paths, goOn, tryGoOn });
  } finally {
    client.cut();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 100_000 && !isSo(); i++) await nextIteration();
  assert.ok(isSo());
}

/** A request of 64 bytes or more, so that it is a slice. */
function get(index: number): string {
  return `GET /${index} HTTP/1.1\r\nhost: x\r\nx-filler: ${'x'.repeat(40)}\r\n\r\n`;
}

test('E3b of pipelined requests one slice is parsed in a turn, and all of them in the end', async () => {
  const responses: ServerResponse[] = [];
  const hold: Serve = (_, response) => void responses.push(response);
  await withFed(
    () => responses.length > 0,
    hold,
    async ({ client, paths, goOn }) => {
      const texts = Array.from({ length: 700 }, (_, index) => get(index));
      client.send(texts.join(''));
      await until(() => paths.length > 0);
      for (let count = 1; count < texts.length; count++) {
        assert.equal(paths.length, count);
        await goOn();
        assert.equal(paths.length, count + 1);
      }
      assert.deepEqual(
        paths,
        Array.from(texts, (_, index) => `/${index}`),
      );
    },
  );
});

test('E3b of the shortest requests four are parsed in a turn at most', async () => {
  let count = 0;
  await withFed(
    () => count > 0,
    () => void count++,
    async ({ client, paths, goOn }) => {
      client.send('GET / HTTP/1.1\r\n\r\n'.repeat(3000));
      await until(() => paths.length > 0);
      for (let before = 0; before < paths.length; ) {
        assert.ok(paths.length - before <= 4);
        before = paths.length;
        if (before < 3000) await goOn();
      }
      assert.equal(paths.length, 3000);
    },
  );
});

test('E3b bytes that arrive when there is no time left in an iteration wait for a turn, and none is lost', async () => {
  const body = 'x'.repeat(300_000);
  const received: string[] = [];
  let turnCount = 0;
  await withFed(
    () => false,
    async (request, response) => {
      let text = '';
      for await (const piece of request.setEncoding('latin1')) text += piece;
      received.push(text);
      response.end();
    },
    async ({ client, paths, goOn }) => {
      client.send(`POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}${get(2)}`);
      for (; received.length < 2; turnCount++) {
        if (turnCount === 0) assert.deepEqual(paths, []);
        await goOn();
        await nextIteration();
      }
      assert.deepEqual(paths, ['/a', '/2']);
      assert.ok(received.includes(body));
    },
    () => false,
  );
  assert.ok(turnCount > 3);
});

test('W1 bodies that look like heads arrive whole, also when they are read slowly', async () => {
  const body = `${'\r\n\r\n'.repeat(100_000)}${get(1)}`.repeat(2);
  const received: string[] = [];
  const readSlowly: Serve = async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('latin1')) {
      text += piece;
      await nextIteration();
    }
    received.push(text);
    response.end();
  };
  await withFed(
    () => false,
    readSlowly,
    async ({ client, paths }) => {
      client.send(`POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}${get(2)}`);
      await until(() => received.length === 2);
      assert.deepEqual(paths, ['/a', '/2']);
      assert.ok(received.includes(body));
    },
  );
});

test('E3b memory of bytes that were parsed is freed at once, also of those that waited, and bodies that wait stay whole', async () => {
  for (const isPrompt of [true, false]) {
    const body = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index * 7));
    const reads: Buffer[] = [];
    const received: Buffer[] = [];
    const readLate: Serve = async (request, response) => {
      request.socket.prependListener('data', (bytes: Buffer) => reads.push(bytes));
      const pieces: Buffer[] = [];
      for await (const piece of request) {
        await nextIteration();
        pieces.push(piece);
      }
      received.push(Buffer.concat(pieces));
      response.end();
    };
    await withFed(
      () => false,
      readLate,
      async ({ client, tryGoOn }) => {
        client.send(`POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
        client.send(body.toString('latin1'));
        await until(() => {
          tryGoOn();
          return received.length > 0;
        });
        assert.deepEqual(received, [body]);
        assert.ok(reads.some(({ buffer }) => (buffer as ArrayBuffer).detached));
        const kept = reads.filter(({ length, buffer }) => length > 8 * 1024 && length === buffer.byteLength);
        assert.ok(kept.length <= 1, `${kept.length} of ${reads.length} reads`);
      },
      () => isPrompt,
    );
  }
});

test('W7 what follows bytes that are not HTTP is not looked at', async () => {
  await withFed(
    () => false,
    (_, response) => response.end(),
    async ({ client, paths }) => {
      client.send(`${'not HTTP'.repeat(9)}\r\n\r\n${get(1).repeat(9)}`);
      const text = await client.untilClosed();
      assert.equal(text.match(/ 400 Bad Request/g)?.length, 1);
      assert.deepEqual(paths, []);
    },
  );
});
