/** Whatever the query of an export is, the answer is a file or says what is wrong: never a 5xx. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { serviceOfFile } from '../support/service.ts';
import { prepareCalls } from '../support/valid-calls.ts';

const service = await serviceOfFile();
let ids: string[];

before(async () => {
  await prepareCalls(service);
  const { result } = await service.call('service.selectItems', { query: {} }, { version: '1.2' });
  ids = result.data.map(({ id }: { id: string }) => id);
});

const valid: Record<string, readonly string[]> = {
  format: ['csv', 'jsonl', 'parquet'],
  metadata: ['true', 'false'],
  form: ['long', 'wide'],
  from: ['2026-03-01T10:00:00Z', '1772359200', '0001-01-01T00:00:00Z', '-9999999999'],
  to: ['2026-03-01T10:00:30Z', '1772359200', '9999-12-31T00:00:00Z'],
  items: ['*'],
  signals: ['*'],
  filter: ['{}', '{"name":"Temperature"}', '{"$or":[]}', '[]', '{"name":{"$regex":"("}}'],
  rollup: ['PT1M', 'P1M', 'window', 'PT0S', 'P1D', '-PT1H', 'PT0.000001S'],
  statistics: ['avg,min', 'p95', 'mean'],
  timeZone: ['UTC', 'Europe/Berlin', 'Asia/Kolkata', '+01:00'],
  firstDayOfWeek: ['1', '7', '0'],
  after: ['~0', 'cbpmaq6rpn52969vfl00~1772359200000000', '~-9007199254740992', '~9007199254740992'],
  limit: ['1', '2', '9007199254740992'],
  compression: ['none', 'gzip', 'zstd'],
  separator: ['comma', 'semicolon', 'tab'],
  decimal: ['point', 'comma'],
  titles: ['id', 'name'],
};

/** A value of a parameter that means something, or any text. */
function valueFor(name: string) {
  const known = fc.constantFrom(...(Object.hasOwn(valid, name) ? valid[name] : ['']));
  return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });
}

const pair = fc
  .constantFrom(...Object.keys(valid), '__proto__', 'x')
  .chain((name) => valueFor(name).map((value): [string, string] => [name, value]));

test('X1, X1b any parameters are answered with a file, or with what is wrong', async () => {
  const { url, authorization } = service;
  await fc.assert(
    fc.asyncProperty(
      fc.array(pair, { maxLength: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (pairs, isComplete, isForm) => {
        const query = new URLSearchParams(pairs);
        if (isComplete) {
          query.set('format', query.get('format') ?? 'csv');
          if (!query.has('signals')) query.set('items', ids.join(','));
        }
        const response = isForm
          ? await fetch(`${url}/v1/export`, { method: 'POST', headers: { authorization }, body: query })
          : await fetch(`${url}/v1/export?${query}`, { headers: { authorization } });
        const body = await response.text();
        assert.ok(response.status === 200 || response.status === 400, `${response.status} ${query} ${body}`);
        if (response.status === 400) assert.match(body, /"params":\{".+/, String(query));
      },
    ),
    { numRuns: 300 },
  );
  assert.deepEqual(
    service.log.lines.filter(({ level }) => level === 'error'),
    [],
  );
});
