/** Whatever a person's browser sends to the console, the service answers in its own words: no 5xx, no internal error. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { adaAt, Browser } from '../support/browser.ts';
import { readJson } from '../support/http.ts';
import { goodPassword } from '../support/people.ts';
import { type ServiceUnderTest, startService } from '../support/service.ts';

let service: ServiceUnderTest;
let ada: Browser;
let methods: { name: string; params: { name: string }[] }[];
before(async () => {
  service = await startService();
  ada = await adaAt(service);
  const document = await readJson(await fetch(`${service.url}/openrpc.json?version=1.2`));
  methods = document.methods.filter(({ name }: { name: string }) => name.startsWith('console.'));
});
after(() => service.close());

const id = fc.constantFrom('cbpmaq6rpn52969vfl00', '');
const value = fc.oneof(
  id.map((one) => (one === '' ? service.integration : one)),
  fc.constantFrom(
    'admin',
    'viewer',
    'basic-auth',
    'service',
    'PT1H',
    'P1M',
    '2026-03-01T00:00:00Z',
    '__proto__',
  ),
  fc.integer({ min: -2, max: 2000 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }),
);

test('W5 any values under the names of the parameters of any method of the console', async () => {
  const property = fc.asyncProperty(
    fc.nat(),
    fc.array(value, { minLength: 4, maxLength: 4 }),
    async (n, values) => {
      const { name, params } = methods[n % methods.length];
      const given = Object.fromEntries(params.map((param, i) => [param.name, values[i]]));
      const { error } = await ada.call(name, given);
      assert.notEqual(error?.code, -32603, JSON.stringify(service.log.lines.at(-1)));
      if (error?.code === -32602) assert.ok(error.data.params !== undefined, `${name}: ${error.message}`);
    },
  );
  await fc.assert(property, { numRuns: 500 });
  assert.equal((await ada.session()).status, 'signed-in');
});

test('A5b any values in the fields of signing in and setting up', async () => {
  const empty = await startService();
  try {
    const fields = fc.dictionary(
      fc.constantFrom('code', 'name', 'password', 'instanceName', 'color', 'timeZone', 'demo', '__proto__'),
      fc.oneof(value, fc.constant(goodPassword), fc.constant(empty.signIns.setupCode())),
    );
    const path = fc.constantFrom('console/session', 'console/setup');
    const property = fc.asyncProperty(path, fields, async (path, body) => {
      const { status } = await new Browser(empty.url).send('POST', path, body);
      assert.ok([200, 400, 401, 409, 429].includes(status), String(status));
    });
    await fc.assert(property, { numRuns: 300 });
  } finally {
    await empty.close();
  }
});

test('A5b any cookie and any CSRF token', async () => {
  const printable = fc
    .string({ maxLength: 100 })
    .filter((text) => /^[\x20-\x7e]*$/.test(text) && text === text.trim());
  const property = fc.asyncProperty(printable, printable, async (cookie, csrf) => {
    const headers = { cookie: `${ada.cookie.split('=')[0]}=${cookie}; ${cookie}`, 'x-csrf-token': csrf };
    const call = { jsonrpc: '2.0', id: 1, method: 'rpc.discover' };
    const { status } = await new Browser(service.url).send('POST', 'v1/rpc', call, headers);
    assert.equal(status, 401);
  });
  await fc.assert(property, { numRuns: 200 });
});
