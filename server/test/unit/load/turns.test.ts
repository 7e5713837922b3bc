/** Turns on the event loop: clients alternate by the time they use, and the loop goes on between slices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '#load/turns';
import { runSteps, type Steps } from '#model/steps';

/** Turns whose clock goes on only while a step runs. */
function open() {
  let nowMs = 0;
  const turns = new Turns({ elapsedMs: () => nowMs });
  const order: string[] = [];
  const go = (ms: number) => {
    nowMs += ms;
  };
  const take = (client: string, ms: number) =>
    turns.run(client, () => {
      go(ms);
      order.push(client);
    });
  return { turns, order, take, go };
}

test('E3b a step runs at once while there is time', async () => {
  const { order, take } = open();
  const first = take('a', 1);
  assert.deepEqual(order, ['a']);
  await first;
});

test('E3b however many steps of one client wait, the step of another is next but one', async () => {
  const { order, take } = open();
  await Promise.all([...Array.from({ length: 8 }, () => take('flood', 20)), take('calm', 1)]);
  assert.deepEqual(order.slice(0, 3), ['flood', 'calm', 'flood']);
  assert.equal(order.length, 9);
});

test('E3b clients share the time, not the number of steps', async () => {
  const { order, take } = open();
  await take('first', 4);
  await Promise.all([
    ...Array.from({ length: 4 }, () => take('long', 4)),
    ...Array.from({ length: 12 }, () => take('short', 1)),
  ]);
  const short = order.slice(0, order.lastIndexOf('short')).filter((client) => client === 'long').length;
  assert.ok(short >= 2 && short <= 3, order.join());
});

test('E3b a step ends after two milliseconds, however little its work was estimated to be', async () => {
  const { turns, go } = open();
  function* work(): Steps<void> {
    for (let part = 0; part < 4; part++) {
      go(1);
      yield 1;
    }
  }
  let count = 0;
  await runSteps(work(), (step) => {
    count++;
    return turns.run('a', step);
  });
  assert.equal(count, 3);
});

test('E3b between two slices of a few milliseconds the event loop goes on', async () => {
  const { order, take } = open();
  const all = Array.from({ length: 8 }, () => take('a', 2));
  const seen: number[] = [];
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    seen.push(order.length);
  }
  await Promise.all(all);
  assert.ok(
    seen.every((count, i) => count <= 2 * (i + 2)),
    seen.join(),
  );
});

test('E3b a client that uses little does not wait for the next slice where others do', async () => {
  const { order, take } = open();
  await take('large', 20);
  await nextTurn();
  const large = [take('large', 4), take('large', 1)];
  const small = take('small', 1);
  assert.deepEqual(order, ['large', 'large', 'small']);
  await Promise.all([...large, small]);
});

test('E3b what follows from a step counts as its time, and comes before the next step', async () => {
  let nowMs = 0;
  const turns = new Turns({ elapsedMs: () => nowMs });
  const order: string[] = [];
  const work = async (name: string) => {
    await turns.run('a', () => order.push(name));
    nowMs += 20;
    order.push(`${name} goes on`);
  };
  await work('first');
  assert.equal(turns.isPrompt('b'), false);
  await Promise.all([work('second'), work('third')]);
  assert.deepEqual(order.slice(2), ['second', 'second goes on', 'third', 'third goes on']);
});

test('a step that throws rejects, and the next one runs', async () => {
  const { turns } = open();
  const failing = turns.run('a', () => {
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal(await turns.run('a', () => 1), 1);
});
