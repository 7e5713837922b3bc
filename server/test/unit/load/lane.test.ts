/** Lanes and budgets: how many at a time, who is next, who is turned away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { Lane, type Leave } from '#load/lane';
import { Overload } from '#load/overload';
import { Slots } from '#load/slots';
import { NumberTables } from '#threads/number-table';

const never = () => new AbortController().signal;

/** Enters, also where there is nothing to wait for, as who awaits it sees it. */
async function enter(lane: Lane, who: string, signal = never): Promise<Leave> {
  return lane.enter(who, signal);
}

function laneOf(runningMax: number, waitingMax: number, ownRunningMax = runningMax): Lane {
  return new Lane('reads', () => ({ runningMax, waitingMax, ownRunningMax }), new NumberTables());
}

test('E3 a lane runs as many as it has places, and the next one when one is left', async () => {
  const lane = laneOf(2, 10);
  const [first] = await Promise.all([enter(lane, 'a', never), enter(lane, 'a', never)]);
  let isIn = false;
  const third = enter(lane, 'a', never).then((leave) => {
    isIn = true;
    return leave;
  });
  await nextTurn();
  assert.deepEqual([isIn, lane.runningCount, lane.waitingCount], [false, 2, 1]);
  first();
  await third;
  assert.deepEqual([isIn, lane.runningCount, lane.waitingCount], [true, 2, 0]);
});

test('E3 a thread does not keep for itself the place that it gives back while others wait', async () => {
  const tables = new NumberTables();
  const width = () => ({ runningMax: 1, waitingMax: 10, ownRunningMax: 1 });
  const mine = new Lane('reads', width, tables);
  const other = new Lane('reads', width, new NumberTables(null, tables.buffers));
  const leave = await enter(mine, 'flood');
  const order: string[] = [];
  const calls = [other, mine].map(async (lane) => {
    const done = await enter(lane, 'flood');
    order.push(lane === mine ? 'mine' : 'other');
    done();
  });
  leave();
  await Promise.all(calls);
  assert.deepEqual(order, ['other', 'mine']);
});

test('E3 one integration has its share of a lane, others have the remainder', async () => {
  const lane = laneOf(4, 10, 3);
  await Promise.all(Array.from({ length: 3 }, () => enter(lane, 'flood', never)));
  void enter(lane, 'flood', never);
  await nextTurn();
  assert.deepEqual([lane.runningCount, lane.waitingCount], [3, 1]);
  await enter(lane, 'calm', never);
  assert.equal(lane.runningCount, 4);
});

test('E3 integrations take turns: who has waited least often is next', async () => {
  const lane = laneOf(1, 10);
  const order: string[] = [];
  const leave = await enter(lane, 'x', never);
  const calls = ['flood', 'flood', 'flood', 'calm', 'flood', 'calm'].map(async (who) => {
    const done = await enter(lane, who, never);
    order.push(who);
    await nextTurn();
    done();
  });
  leave();
  await Promise.all(calls);
  assert.deepEqual(order, ['flood', 'calm', 'flood', 'calm', 'flood', 'flood']);
});

test('E3 when too many wait, the newest of who has most of them is turned away', async () => {
  const lane = laneOf(1, 3);
  await enter(lane, 'flood', never);
  const flood = Array.from({ length: 3 }, () => enter(lane, 'flood', never));
  const settled = flood.map((call) =>
    call.then(
      () => 'in',
      (error) => error,
    ),
  );
  await assert.rejects(enter(lane, 'flood', never), Overload);
  const calm = enter(lane, 'calm', never);
  calm.catch(() => {});
  const turnedAway = await settled[2];
  assert.ok(turnedAway instanceof Overload);
  assert.equal(turnedAway.message, 'Try again: the queue is full (3 reads waiting)');
  assert.equal(lane.waitingCount, 3);
});

test('E3 a call whose client has gone waits no longer', async () => {
  const lane = laneOf(1, 3);
  const leave = await enter(lane, 'a', never);
  const controller = new AbortController();
  const waiting = enter(lane, 'a', () => controller.signal);
  controller.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(lane.waitingCount, 0);
  leave();
  assert.equal(lane.runningCount, 0);
});

test('E3 whatever enters and leaves, a lane keeps its bounds and forgets no call', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('enter' as const), who: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('leave' as const), at: fc.nat(10) }),
    fc.record({ do: fc.constant('abort' as const), at: fc.nat(10) }),
  );
  const run = async (steps: ({ do: 'enter'; who: string } | { do: 'leave' | 'abort'; at: number })[]) => {
    const lane = laneOf(3, 4, 2);
    const inside: Leave[] = [];
    const controllers: AbortController[] = [];
    let open = 0;
    for (const each of steps) {
      if (each.do === 'enter') {
        const controller = new AbortController();
        controllers.push(controller);
        open++;
        enter(lane, each.who, () => controller.signal).then(
          (leave) => inside.push(leave),
          () => open--,
        );
      } else if (each.do === 'leave') {
        const [leave] = inside.splice(each.at % (inside.length || 1), 1);
        if (leave !== undefined) open--;
        leave?.();
      } else controllers[each.at]?.abort(new Error('gone'));
      await nextTurn();
      assert.ok(lane.runningCount <= 3 && lane.waitingCount <= 4);
      assert.equal(lane.runningCount, inside.length);
      assert.equal(lane.runningCount + lane.waitingCount, open);
    }
    while (inside.length > 0) {
      inside.shift()?.();
      await nextTurn();
    }
    assert.deepEqual([lane.runningCount, lane.waitingCount], [0, 0]);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), run), { numRuns: 200 });
});

test('E3b slots: a client has its share, and those with few find some beyond the limit', () => {
  const slots = new Slots(
    () => 100,
    () => 0.75,
    new NumberTables(),
  );
  const taken = (client: string, count: number) =>
    Array.from({ length: count }, () => slots.take(client)).filter(Boolean).length;
  assert.equal(taken('flood', 90), 75);
  assert.equal(taken('other', 90), 25);
  assert.equal(taken('calm', 90), 7);
  for (let i = 0; i < 75; i++) slots.give('flood');
  for (let i = 0; i < 25; i++) slots.give('other');
  assert.equal(slots.count, 7);
  assert.equal(taken('flood', 90), 75);
});
