/** Tickets: whatever happens to requests, in whatever order, bounds hold, and in the end everything has been given back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { CallPlace } from '#load/call-place';
import type { Hold } from '#load/hold';
import { Load } from '#load/load';
import type { MemoryStage } from '#load/memory';
import type { Ticket } from '#load/ticket';
import { limitDefaults } from '#model/limits';

const mebibyte = 1024 * 1024;
const stages: readonly MemoryStage[] = ['body', 'inflated', 'parsed', 'read', 'answer'];
const limits = {
  ...limitDefaults,
  requestsMax: 4,
  requestMemoryBytesMax: 40 * mebibyte,
  memoryWaitingMax: 3,
  readsMax: 2,
  readsWaitingMax: 2,
  changesMax: 2,
  changesWaitingMax: 2,
};

/** One request, and what it has taken. */
interface Running {
  ticket: Ticket;
  abort: AbortController;
  holds: Hold[];
  places: CallPlace[];
}

const client = fc.constantFrom('a', 'b', 'c');
const bytes = fc.constantFrom(1000, mebibyte / 2, 3 * mebibyte, 50 * mebibyte);
const at = fc.nat(5);
const step = fc.oneof(
  fc.record({ do: fc.constant('open' as const), client }),
  fc.record({ do: fc.constant('identify' as const), at, client }),
  fc.record({ do: fc.constant('take' as const), at, stage: fc.constantFrom(...stages), bytes }),
  fc.record({ do: fc.constant('change' as const), at, bytes: fc.constantFrom(0, 10_000, mebibyte) }),
  fc.record({
    do: fc.constant('call' as const),
    at,
    kind: fc.constantFrom('read' as const, 'change' as const),
  }),
  fc.record({ do: fc.constant('read' as const), at, bytes }),
  fc.record({
    do: fc.constant('chore' as const),
    at,
    chore: fc.constantFrom('inflate' as const, 'parse' as const),
  }),
  fc.record({ do: fc.constant('endCall' as const), at }),
  fc.record({ do: fc.constant('abort' as const), at }),
  fc.record({ do: fc.constant('close' as const), at }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Refusals and aborts are outcomes like others. */
function settle(waiting: Promise<unknown> | null): void {
  waiting?.catch(() => {});
}

function open(load: Load, client: string): Running | null {
  const abort = new AbortController();
  try {
    const ticket = load.open(client, () => abort.signal);
    return { ticket, abort, holds: [], places: [] };
  } catch {
    return null;
  }
}

function perform(request: Running, step: Exclude<Step, { do: 'open' }>): void {
  const { ticket, abort, holds, places } = request;
  if (step.do === 'identify') {
    try {
      ticket.identify(step.client);
    } catch {}
  } else if (step.do === 'take') {
    const hold = ticket.hold(step.stage);
    holds.push(hold);
    settle(hold.take(step.bytes));
  } else if (step.do === 'change') holds.at(-1)?.change(step.bytes);
  else if (step.do === 'call')
    settle(Promise.resolve(ticket.enter(step.kind)).then((place) => places.push(place)));
  else if (step.do === 'read') settle(places.at(-1)?.memory.take(step.bytes) ?? null);
  else if (step.do === 'chore') settle(ticket.run(step.chore, () => nextTurn()));
  else if (step.do === 'endCall') ticket.endCall();
  else end(request, step.do === 'abort' ? abort : null);
}

/** A request ends: its client has disconnected or has its answer. Ending it twice is allowed. */
function end({ ticket, abort }: Running, aborts: AbortController | null): void {
  aborts?.abort(new Error('gone'));
  ticket.close();
  if (aborts === null) abort.abort(new Error('closed'));
}

test('E3b whatever requests do, bounds hold, and everything is given back once', async () => {
  const run = async (steps: readonly Step[]) => {
    const load = new Load(limits, { elapsedMs: () => 0 });
    const requests: Running[] = [];
    for (const step of steps) {
      if (step.do === 'open') {
        const request = open(load, step.client);
        if (request !== null) requests.push(request);
      } else {
        const request = requests[step.at];
        if (request !== undefined) perform(request, step);
      }
      await nextTurn();
      assert.ok(load.requestCount <= 5);
      for (const stage of stages) assert.ok(load.waitingCount(stage) <= 2 * limits.memoryWaitingMax);
      for (const { runningCount, waitingCount } of load.lanes)
        assert.ok(runningCount <= 2 && waitingCount <= 2);
    }
    for (const request of requests) end(request, null);
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    assert.equal(load.requestCount, 0);
    for (const stage of stages)
      assert.deepEqual([load.takenBytes(stage), load.waitingCount(stage)], [0, 0], stage);
    for (const lane of load.lanes)
      assert.deepEqual([lane.runningCount, lane.waitingCount], [0, 0], lane.lane);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run), { numRuns: 300 });
});
