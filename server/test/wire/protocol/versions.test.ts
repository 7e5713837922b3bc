/** API versions, and the names of the namespace that reads data. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HttpUnderTest, readJson, startHttp } from '../../support/http.ts';
import { testMethods } from './methods.ts';

let http: HttpUnderTest;
before(async () => {
  http = await startHttp({ methods: testMethods });
});
after(() => http.close());

const body = '{"jsonrpc":"2.0","id":1,"method":"service.echo"}';

test('W6 each version answers under its name, other names of it under its own, none as 1.1', async () => {
  const names: [string | undefined, string][] = [
    [undefined, '1.1'],
    ['1.0', '1.0'],
    ['1.1beta1', '1.1beta1'],
    ['1.1beta2', '1.1beta2'],
    ['1.1', '1.1'],
    ['1.1rc1', '1.1'],
    ['1.2alpha1', '1.2'],
    ['1.2beta1', '1.2'],
    ['1.2', '1.2'],
  ];
  for (const [version, expected] of names) {
    const response = await http.post(body, { version });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-api-version'), expected);
  }
});

test('W6 an unknown version is HTTP 400 and names the supported ones', async () => {
  for (const version of ['2.0', '1.3', '', '1', 'constructor', '__proto__', '1.1BETA1']) {
    const response = await http.post(body, { version });
    assert.equal(response.status, 400, version);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.match((await readJson(response)).detail, /1\.0, 1\.1beta1, 1\.1beta2, 1\.1, 1\.2$/);
  }
});

test('W9 a method that a version lacks is not found, and the message says where it is', async () => {
  const { error } = await http.call('admin.late');
  assert.equal(error?.code, -32601);
  assert.equal(error?.message, 'Method not found: "admin.late" in version 1.1; X-API-Version 1.2 has it');
  assert.equal((await http.call('admin.late', {}, { version: '1.2' })).result, 'late');
});

test('W9 every version has rpc.discover, which needs no grant', async () => {
  for (const version of ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2']) {
    const { result } = await http.call('rpc.discover', undefined, { version });
    assert.equal(result.info.version, version);
  }
});

test('W8 the namespace is named by configuration; documents use the primary name', async () => {
  const renamed = await startHttp({ methods: testMethods, namespaces: ['plant', 'clarify'] });
  try {
    assert.equal((await renamed.call('plant.echo')).result.limit, 20);
    assert.equal((await renamed.call('Clarify.Echo')).result.limit, 20);
    assert.equal((await renamed.call('service.echo')).error?.code, -32601);
    const { result } = await renamed.call('rpc.discover');
    const echo = result.methods.find((method: { name: string }) => method.name === 'plant.echo');
    assert.deepEqual(echo['x-synonyms'], ['clarify.echo', 'plant.items.echo', 'clarify.items.echo']);
  } finally {
    await renamed.close();
  }
});

test('W9 /openrpc.json is the document of a version, without credentials', async () => {
  for (const [path, version] of [
    ['', '1.1'],
    ['?version=1.2', '1.2'],
    ['?version=1.1rc1', '1.1'],
  ]) {
    const response = await fetch(`${http.url}/openrpc.json${path}`);
    assert.equal(response.status, 200);
    assert.equal((await readJson(response)).info.version, version);
    assert.equal(response.headers.get('x-api-version'), version);
  }
  const byHeader = await fetch(`${http.url}/openrpc.json`, { headers: { 'x-api-version': '1.0' } });
  assert.equal((await readJson(byHeader)).info.version, '1.0');
  assert.equal((await fetch(`${http.url}/openrpc.json?version=9`)).status, 400);
});
