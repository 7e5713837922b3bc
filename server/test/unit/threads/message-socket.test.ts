/** Messages over a pair of sockets, which take them in pieces. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { MessageSender, openSocketPair, receiveMessages } from '#threads/message-socket';

interface Pair {
  sender: MessageSender;
  received: unknown[];
  /** Resolves when no message will come any more. */
  ended: Promise<void>;
  close(): void;
}

/** Null where the runtime cannot make sockets. */
function openPair(
  t: TestContext,
  lost: () => void = () => assert.fail('the other end is closed'),
): Pair | null {
  const descriptors = openSocketPair();
  if (descriptors === null) {
    assert.ok(process.platform !== 'linux' || process.getBuiltinModule('node:ffi') === undefined);
    t.diagnostic('no sockets here');
    return null;
  }
  const received: unknown[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const { close } = receiveMessages(descriptors[0], {
    receive: (message) => received.push(message),
    ended: resolve,
  });
  return { sender: new MessageSender(descriptors[1], lost), received, ended, close };
}

test('messages of all sizes come whole and in order, then the end', async (t) => {
  const pair = openPair(t);
  if (pair === null) return;
  const { sender, received, ended } = pair;
  const sizes = [0, 1, 100, 65_480, 65_499, 65_500, 65_501, 65_530, 131_000, 3_000_000, 5, 1_000_000];
  const sent: unknown[] = [];
  for (let round = 0; round < 40; round++) {
    for (const size of round === 0 ? sizes : [round, 65_536 - round, 30 * round]) {
      const message = {
        id: sent.length,
        bytes: Buffer.alloc(size, round).toString('latin1'),
        table: [null, 1.5, 2n],
      };
      sent.push(message);
      sender.send(message);
    }
  }
  sender.end();
  await ended;
  assert.deepEqual(received, sent);
});

test('columns are copies, each in a buffer of its own', async (t) => {
  const pair = openPair(t);
  if (pair === null) return;
  const { sender, received, ended } = pair;
  const column = Float64Array.from({ length: 1000 }, (_, i) => i / 3);
  const text = new Uint8Array([1, 2, 3]);
  sender.send({ columns: new Map([['avg', column]]), text });
  sender.send({ columns: new Map([['avg', column.subarray(0, 10)]]), text });
  column.fill(0);
  sender.end();
  await ended;
  const [first, second] = received as { columns: Map<string, Float64Array>; text: Uint8Array }[];
  const expected = Float64Array.from({ length: 1000 }, (_, i) => i / 3);
  assert.deepEqual(first.columns.get('avg'), expected);
  assert.deepEqual(second.columns.get('avg'), expected.subarray(0, 10));
  assert.equal(first.columns.get('avg')!.buffer.byteLength, 8000);
  assert.deepEqual([...first.text], [1, 2, 3]);
});

test('what is sent to an end that is closed is lost, and the sender is told so', async (t) => {
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const pair = openPair(t, resolve);
  if (pair === null) return;
  const { sender, received, ended, close } = pair;
  close();
  await ended;
  sender.send('a');
  await lost;
  sender.send('b');
  sender.end();
  assert.deepEqual(received, []);
});

test('the end of a thread is the end of its messages', async (t) => {
  const descriptors = openSocketPair();
  if (descriptors === null) return t.diagnostic('no sockets here');
  const program = new URL('./sending-thread.ts', import.meta.url);
  const worker = new Worker(program, { workerData: descriptors[1] });
  const received: unknown[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  receiveMessages(descriptors[0], { receive: (message) => received.push(message), ended: resolve });
  await once(worker, 'exit');
  await ended;
  assert.deepEqual(received, ['first', 'last']);
});
