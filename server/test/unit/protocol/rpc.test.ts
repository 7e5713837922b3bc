/** Calls that wait for their account (L4), batches whose request ends while a call runs (W3), and bytes that are released early. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Type from 'typebox';
import { unmetered } from '#load/account';
import type { Grant } from '#model/caller';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import type { CallAnswer } from '#protocol/answer';
import { type Call, defineMethod } from '#protocol/method';
import { Rpc } from '#protocol/rpc';
import { testIntegration } from '../../support/http.ts';
import { newTicket } from '../../support/load.ts';
import { FixedClock, KeptLog } from '../../support/world.ts';

const info = { title: '', programVersion: '', rpcUrl: '', namespaces: ['service'] };

/** A service with one method. */
function rpcOf(method: ReturnType<typeof defineMethod>): Rpc {
  const [log, stopwatch] = [new KeptLog(), new FixedClock()];
  return new Rpc({ methods: [method], info, limits: limitDefaults, log, stopwatch });
}

test('L4 a call runs when its account has answered, which may take a while, and not when it refuses', async () => {
  let runCount = 0;
  const method = defineMethod({
    ...{ name: 'a.b', versions: ['1.2'], grant: null, summary: '', load: 'insert' },
    ...{ params: Type.Object({}), result: Type.Integer(), run: async () => ++runCount },
  });
  const rpc = rpcOf(method);
  const answers: PromiseWithResolvers<null>[] = [];
  const invoke = () => {
    const ticket = newTicket();
    const answer = Promise.withResolvers<null>();
    answers.push(answer);
    ticket.identify(testIntegration, { ...unmetered, admit: () => answer.promise });
    const caller = { integration: testIntegration, credential: '', grants: new Set<Grant>() };
    const { signal } = new AbortController();
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'a.b' }));
    return rpc.answer(body, { caller, address: '', version: '1.2', traceId: '', signal, ticket });
  };
  const [admitted, refused] = [invoke(), invoke()];
  await nextTurn();
  assert.equal(runCount, 0);
  answers[0].resolve(null);
  assert.match(JSON.stringify(await admitted), /result/);
  answers[1].reject(new AppError('try-again', 'Too many calls'));
  assert.match(JSON.stringify(await refused), /Too many calls/);
  assert.equal(runCount, 1);
});

test('W3 of a batch whose time limit is reached, no further call is begun, and each is answered', async () => {
  const controller = new AbortController();
  let begunCount = 0;
  const method = defineMethod({
    ...{ name: 'a.b', versions: ['1.2'], grant: null, summary: '', load: 'insert' },
    ...{ params: Type.Object({}), result: Type.Integer() },
    async run() {
      controller.abort(new Error('time is up'));
      return ++begunCount;
    },
  });
  const rpc = rpcOf(method);
  const call: Call = {
    ...{ caller: { integration: testIntegration, credential: '', grants: new Set() }, address: '' },
    ...{ version: '1.2', traceId: '', signal: controller.signal, ticket: newTicket(controller.signal) },
  };
  const calls = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'a.b' }));
  const answers: CallAnswer[] = [];
  for await (const answer of (await rpc.answer(
    Buffer.from(JSON.stringify(calls)),
    call,
  )) as AsyncIterable<CallAnswer>)
    answers.push(answer);
  assert.equal(begunCount, 1);
  const codes = answers.slice(0, 3).map((parts) => /"code":(-\d+)/.exec(parts.join(''))?.[1]);
  assert.deepEqual(codes, [undefined, '-32015', '-32015']);
});

for (const [size, count] of [
  ['small', 3],
  ['large', 50_000],
] as const)
  test(`W1 the bytes of a ${size} request may be released when the call begins`, async () => {
    const method = defineMethod({
      ...{ name: 'a.b', versions: ['1.2'], grant: null, summary: '', load: 'insert' },
      ...{ params: Type.Object({ list: Type.Array(Type.Integer()) }), result: Type.Integer() },
      run: async (_, { list }) => list.reduce((sum, one) => sum + one, 0),
    });
    const params = { list: Array.from({ length: count }, (_, i) => i) };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'a.b', params }));
    const caller = { integration: testIntegration, credential: '', grants: new Set<Grant>() };
    const { signal } = new AbortController();
    const call: Call = { caller, address: '', version: '1.2', traceId: '', signal, ticket: newTicket() };
    const answer = JSON.stringify(await rpcOf(method).answer(body, call, () => void body.fill(0)));
    assert.equal(body[0], 0);
    for (const part of ['mine', `${(count * (count - 1)) / 2}`]) assert.ok(answer.includes(part), answer);
  });
