/** Faults of calls on the wire: what they say, and what they never say. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type AnswerBody,
  fixedAuthenticator,
  type HttpUnderTest,
  readJson,
  startHttp,
} from '../../support/http.ts';
import { testMethods } from './methods.ts';

let http: HttpUnderTest;
before(async () => {
  http = await startHttp({ methods: testMethods });
});
after(() => http.close());

test('E4 a defect of the service is an internal error with a trace id, under which the log has the details', async () => {
  const { error } = await http.call('integration.fail', { how: 'bug' });
  assert.deepEqual(error, { code: -32603, message: 'Internal error', data: { trace: error?.data.trace } });
  const line = http.log.lines.find(({ fields }) => fields?.trace === error?.data.trace);
  assert.equal(line?.level, 'error');
  assert.match(String(line?.fields?.error), /SELECT secret[\s\S]*methods\.ts/);
});

test('E2 an error of the world says what it means to say, its detail goes to the log', async () => {
  const { error } = await http.call('integration.fail', { how: 'conflict' });
  assert.deepEqual(error, {
    code: -32009,
    message: 'Conflict: try once more',
    data: { trace: error?.data.trace },
  });
  const line = http.log.lines.find(({ fields }) => fields?.trace === error?.data.trace);
  assert.equal(line?.fields?.detail, 'row 7');
});

test('E2 invalid resources are listed', async () => {
  const { error } = await http.call('integration.fail', { how: 'invalid' });
  assert.equal(error?.code, -32001);
  assert.deepEqual(Object.keys(error?.data ?? {}), ['trace', 'invalidResources']);
});

test('E2 the trace id of an error is that of the answer', async () => {
  const response = await http.post('{"jsonrpc":"2.0","id":1,"method":"x"}');
  const { error } = await readJson(response);
  assert.equal(response.headers.get('traceparent')?.split('-')[1], error.data.trace);
  assert.match(error.data.trace, /^[0-9a-f]{32}$/);
});

test('A3 a namespace that is not granted is -32003, whatever the parameters are', async () => {
  const poor = await startHttp({ methods: testMethods, authenticator: fixedAuthenticator(['integration']) });
  try {
    for (const params of [{}, { limit: 'x' }]) {
      const { error } = await poor.call('service.echo', params);
      assert.deepEqual([error?.code, error?.message], [-32003, 'Operation not permitted']);
    }
    assert.equal((await poor.call('admin.late', {}, { version: '1.2' })).error?.code, -32003);
    assert.equal(
      (await poor.call('integration.need', { integration: 'x', map: {} })).result.integration,
      'x',
    );
    assert.ok((await poor.call('rpc.discover')).result);
  } finally {
    await poor.close();
  }
});

test('E1 a call that takes too long is given up: try again', async () => {
  const hasty = await startHttp({ methods: testMethods, limits: { requestTimeoutMs: 100 } });
  try {
    const { error } = await hasty.call('service.slowly', { ms: 60_000 });
    assert.equal(error?.code, -32015);
    const slow = { jsonrpc: '2.0', id: 1, method: 'service.slowly', params: { ms: 70 } };
    const batch = await readJson(await hasty.post(JSON.stringify([slow, slow, slow])));
    const codes = batch.map((answer: AnswerBody) => answer.error?.code ?? answer.result);
    assert.deepEqual(codes, ['done', -32015, -32015]);
  } finally {
    await hasty.close();
  }
});
