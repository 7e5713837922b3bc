/** Failed calls as people see them: no word of what was sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidParams } from '#model/error';
import { failureOfCall, failureOfRequest } from '#observe/failures';
import { type Fault, toFault } from '#protocol/fault';
import type { Call } from '#protocol/method';
import type { CallOutcome } from '#protocol/outcome';
import { newTicket } from '../../support/load.ts';

const trace = 'a'.repeat(32);

function outcome(fault?: Fault, person?: Call['caller']['person']): CallOutcome {
  const caller = { integration: person ? '' : 'plant', credential: 'one', grants: new Set<never>(), person };
  const signal = new AbortController().signal;
  const ticket = newTicket(signal);
  const call = { caller, address: '192.0.2.1', version: '1.2', traceId: trace, signal, ticket } as const;
  const rest = { load: null, idText: '1', startMs: 0, durationMs: 0 };
  return { call, method: 'integration.insert', code: fault?.code ?? 0, fault, ...rest };
}

test('E2 a failure names the first invalid parameter and what it must be, without the value', () => {
  const error = invalidParams({
    'data.times.3': ['must be a timestamp, got "s3cret"'],
    'data.series.x': ['must be a number'],
  });
  assert.deepEqual(failureOfCall(outcome(toFault(error, trace))), {
    integration: 'plant',
    method: 'integration.insert',
    code: -32602,
    message: 'Invalid params',
    path: 'data.times.3',
    problem: 'must be a timestamp',
    address: '192.0.2.1',
    traceId: trace,
  });
});

test('messages that quote the request are replaced by that of their code, and long ones are shortened', () => {
  const quoting = { code: -32601, message: 'Method not found: "s3cret"', data: { trace } };
  assert.equal(failureOfCall(outcome(quoting))?.message, 'Method not found');
  const long = { code: -32009, message: 'x'.repeat(999), data: { trace } };
  assert.equal(failureOfCall(outcome(long))?.message.length, 200);
  const lines = toFault(invalidParams({ a: ['must be b, got "c\nd", got e'] }), trace);
  assert.equal(failureOfCall(outcome(lines))?.problem, 'must be b');
});

test('successes, and errors of people, are no failures of an integration', () => {
  assert.equal(failureOfCall(outcome()), null);
  const fault = { code: -32602, message: 'Invalid params', data: { trace } };
  const ada = { id: 'p', name: 'Ada', role: 'admin', session: 's' } as const;
  assert.equal(failureOfCall(outcome(fault, ada)), null);
});

test('E3 a body that is too large is a failure without a call; statuses that calls report are not reported twice', () => {
  const request = {
    route: '/v1/rpc',
    method: 'POST',
    durationMs: 1,
    bytesIn: 1,
    bytesOut: 1,
    address: '192.0.2.1',
    traceId: trace,
  };
  const of = (status: number, caller: string | null, isPerson = false, hasCall = false) =>
    failureOfRequest({ ...request, status, caller, isPerson, hasCall });
  assert.deepEqual([of(413, 'plant')?.code, of(413, 'plant')?.message], [413, 'The body is too large']);
  for (const status of [200, 401, 429, 503, 500]) assert.equal(of(status, 'plant'), null);
  assert.equal(of(413, null), null);
  assert.equal(of(413, 'ada', true), null);
  assert.equal(of(400, 'plant', false, true), null);
});
