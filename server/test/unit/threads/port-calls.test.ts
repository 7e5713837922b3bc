/** Calls over a port whose other end has gone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { PortCalls } from '#threads/port-calls';

test('a call is rejected when the other end closes, and so is every later one', async () => {
  const { port1, port2 } = new MessageChannel();
  const calls = new PortCalls(port1, {});
  const other = new PortCalls(port2, {
    echo: (detail: string) => detail,
    never: () => new Promise(() => {}),
  });
  assert.equal(await calls.call('echo', 'a'), 'a');
  const waiting = calls.call('never');
  const closed = once(port1, 'close');
  other.close();
  await assert.rejects(waiting, /the other thread has ended/);
  await closed;
  await assert.rejects(calls.call('echo', 'b'), /the other thread has ended/);
});
