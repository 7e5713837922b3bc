/** Calls as they run, and as they were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '#model/error';
import { ProblemList } from '#model/problem-list';
import { Activity } from '#observe/activity';
import { Durations, summaryOf } from '#observe/durations';
import type { Call, Method } from '#protocol/method';
import type { CallOutcome } from '#protocol/outcome';
import { newTicket } from '../../support/load.ts';
import { FixedClock } from '../../support/world.ts';

function newCall(signal = new AbortController().signal): Call {
  const caller = { integration: 'plant', credential: 'one', grants: new Set<never>() };
  const ticket = newTicket(signal);
  return {
    ...{ caller, address: '192.0.2.1', version: '1.2', traceId: 'a'.repeat(32), ticket },
    get signal() {
      return this.cancellation?.under(signal) ?? signal;
    },
  };
}

function method(run: Method['run'], load: Method['load'] = 'read'): Method {
  const shape = { params: {}, result: {} } as unknown as Pick<Method, 'params' | 'result'>;
  return { name: 'service.evaluate', versions: ['1.2'], grant: null, load, summary: '', ...shape, run };
}

/** Fails as soon as its signal is aborted, as a read does. */
const untilAborted: Method['run'] = (call) =>
  new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)));

function open(limits = { slowCallMs: 100, slowCallsKept: 2 }) {
  const clock = new FixedClock();
  return new Activity({ clock, stopwatch: clock, limits });
}

test('a call is seen while it runs, with what it has decided, and no longer', async () => {
  const activity = open();
  let finish = () => {};
  const [watched] = activity.watch([
    method(async (call) => {
      call.plan = () => ({ sources: 7 });
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return 'done';
    }),
  ]);
  const call = newCall();
  const running = watched.run(call, {}, new ProblemList());
  const [seen] = await activity.running();
  assert.deepEqual(
    [seen.method, seen.caller, seen.isPerson, seen.address, seen.plan],
    ['service.evaluate', 'plant', false, '192.0.2.1', { sources: 7 }],
  );
  assert.deepEqual(call.plan?.(), { sources: 7 }, 'the log of slow calls sees it too');
  finish();
  assert.equal(await running, 'done');
  assert.deepEqual(await activity.running(), []);
});

test('a call that is cancelled ends with words for its caller', async () => {
  const activity = open();
  const [watched] = activity.watch([method(untilAborted)]);
  const running = watched.run(newCall(), {}, new ProblemList());
  const [{ id }] = await activity.running();
  assert.ok(await activity.cancel(id));
  await assert.rejects(
    running,
    (error) => error instanceof AppError && error.kind === 'try-again' && /cancelled/.test(error.message),
  );
  assert.equal(await activity.cancel(id), false);
});

test('a call that looks at its signal after it was cancelled ends, too', async () => {
  const activity = open();
  const [watched] = activity.watch([
    method(async (call) => {
      await new Promise((resolve) => setImmediate(resolve));
      call.signal.throwIfAborted();
    }),
  ]);
  const running = watched.run(newCall(), {}, new ProblemList());
  assert.ok(await activity.cancel((await activity.running())[0].id));
  await assert.rejects(running, AppError);
});

test('a client that leaves ends its call as before', async () => {
  const activity = open();
  const [watched] = activity.watch([method(untilAborted)]);
  const client = new AbortController();
  const running = watched.run(newCall(client.signal), {}, new ProblemList());
  client.abort(new Error('gone'));
  await assert.rejects(running, /gone/);
});

test('inserts pass by unseen', () => {
  const insert = method(async () => null, 'insert');
  assert.equal(open().watch([insert])[0], insert);
});

function outcome(durationMs: number, changes: Partial<CallOutcome> = {}): CallOutcome {
  const times = { startMs: 0, durationMs };
  return {
    call: newCall(),
    method: 'service.evaluate',
    load: 'read',
    idText: '1',
    code: 0,
    ...times,
    ...changes,
  };
}

test('slow calls are kept, the newest first, so many of them', async () => {
  const activity = open();
  for (const durationMs of [50, 100, 200, 300]) activity.onCall(outcome(durationMs));
  activity.onCall(outcome(900, { method: null, load: null, code: -32601 }));
  assert.deepEqual(
    (await activity.slow()).map(({ durationMs, code }) => [Math.round(durationMs), code]),
    [
      [300, 0],
      [200, 0],
    ],
  );
});

test('how long calls take is known by method and by load', async () => {
  const activity = open();
  assert.equal(await activity.durations('read'), null);
  for (let ms = 1; ms <= 20; ms++) activity.onCall(outcome(ms));
  const expected = { count: 20, medianMs: 10, p95Ms: 19, maxMs: 20 };
  assert.deepEqual(await activity.durations('read'), expected);
  assert.deepEqual(await activity.durations('service.evaluate'), expected);
});

test('of many durations the last ones count', () => {
  const durations = new Durations();
  for (let i = 0; i < 1000; i++) durations.note(1e6);
  for (let i = 0; i < 256; i++) durations.note(2);
  assert.deepEqual(summaryOf([durations.kept()]), { count: 1256, medianMs: 2, p95Ms: 2, maxMs: 2 });
});
