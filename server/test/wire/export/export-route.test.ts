/** `GET /v1/export`: files of items and signals, over real HTTP. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { adaAt } from '../../support/browser.ts';
import { newIntegration, type ServiceUnderTest, serviceOfFile } from '../../support/service.ts';

const service = await serviceOfFile();
let flow: string;
let mode: string;
let flowSignal: string;

/** Two items: a flow with values that are easily lost, and a mode with named states. */
before(async () => {
  const { integration } = service;
  const signalsByInput = {
    flow: { name: 'Flow, "main"', engUnit: 'm³/h' },
    mode: { name: '=Mode', valueType: 'enum', enumValues: { '0': 'off', '1': 'on', '7': 'never' } },
  };
  const saved = await service.call('integration.saveSignals', { integration, signalsByInput });
  const ids = Object.values(saved.result.signalsByInput as Record<string, { id: string }>).map(
    ({ id }) => id,
  );
  flowSignal = ids[0];
  const itemsBySignal = Object.fromEntries(ids.map((id, i) => [id, Object.values(signalsByInput)[i]]));
  const published = await service.call(
    'admin.publishSignals',
    { integration, itemsBySignal },
    { version: '1.2' },
  );
  [flow, mode] = ids.map((id) => published.result.itemsBySignal[id].id as string);
  const times = [
    '1700-01-01T00:00:00.000001Z',
    '2026-02-28T23:30:00Z',
    '2026-03-01T00:00:00Z',
    '2026-03-01T00:10:00Z',
  ];
  const series = { flow: [5e-324, -0, 2 ** 53, 1.5], mode: [null, 1, null, 0] };
  await service.call('integration.insert', { integration, data: { times, series } });
});

async function get(query: string, headers: Record<string, string> = {}): Promise<Response> {
  const { url, authorization } = service;
  return fetch(`${url}/v1/export?${query}`, { headers: { authorization, ...headers } });
}

async function text(query: string): Promise<string> {
  const response = await get(query);
  const body = await response.text();
  assert.equal(response.status, 200, body);
  return body;
}

/** The lines of a file, without the line ends. */
async function lines(query: string): Promise<string[]> {
  return (await text(query)).split(/\r?\n/).slice(0, -1);
}

test('X2, X3 the long form has a row for each point, by ID, then by time', async () => {
  const response = await get(`format=csv&items=${mode},${flow}`);
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="items.csv"');
  const rows = {
    [flow]: [
      `1700-01-01T00:00:00.000001Z,${flow},5e-324`,
      `2026-02-28T23:30:00Z,${flow},0`,
      `2026-03-01T00:00:00Z,${flow},9007199254740992`,
      `2026-03-01T00:10:00Z,${flow},1.5`,
    ],
    [mode]: [`2026-02-28T23:30:00Z,${mode},1`, `2026-03-01T00:10:00Z,${mode},0`],
  };
  const expected = ['time,item,value', ...[flow, mode].sort().flatMap((id) => rows[id]), ''];
  assert.deepEqual((await response.text()).split('\r\n'), expected);
});

test('X2, X3 the wide form has columns in the order asked, titles, a zone and a decimal comma', async () => {
  const form = 'format=csv&form=wide&titles=name&timeZone=Europe/Berlin&separator=semicolon&decimal=comma';
  assert.deepEqual(await lines(`${form}&items=${mode},${flow}&from=2026-02-28T00:00:00Z`), [
    'time;"\'=Mode";"Flow, ""main"" [m³/h]"',
    '2026-03-01T00:30:00+01:00;1;0',
    '2026-03-01T01:00:00+01:00;;9007199254740992',
    '2026-03-01T01:10:00+01:00;0;1,5',
  ]);
});

test('X4 JSON lines, long and wide, of signals and items; the window is half-open', async () => {
  const window = 'from=2026-02-28T23:30:00Z&to=2026-03-01T00:10:00Z';
  assert.deepEqual(
    (await lines(`format=jsonl&signals=${flowSignal}&${window}`)).map((line) => JSON.parse(line)),
    [
      { time: '2026-02-28T23:30:00Z', signal: flowSignal, value: 0 },
      { time: '2026-03-01T00:00:00Z', signal: flowSignal, value: 9007199254740992 },
    ],
  );
  assert.deepEqual(
    (await lines(`format=jsonl&form=wide&items=${flow},${mode}&${window}`)).map((line) => JSON.parse(line)),
    [
      { time: '2026-02-28T23:30:00Z', [flow]: 0, [mode]: 1 },
      { time: '2026-03-01T00:00:00Z', [flow]: 9007199254740992 },
    ],
  );
});

test('X1 a filter selects items; an item without a match is not there', async () => {
  const filter = encodeURIComponent(JSON.stringify({ engUnit: 'm³/h' }));
  const rows = await lines(`format=csv&items=*&filter=${filter}`);
  assert.equal(rows.length, 5);
  assert.ok(rows.slice(1).every((row) => row.includes(flow)));
  assert.equal((await lines('format=csv&signals=*')).length, 7);
  assert.deepEqual(
    await lines(`format=csv&form=wide&items=*&filter=${encodeURIComponent('{"name":"no such"}')}`),
    ['time'],
  );
});

test('X2a rollups follow the calendar of the zone; enums have the seconds in each state', async () => {
  const query = `format=csv&rollup=P1D&timeZone=Europe/Berlin&from=2026-02-27T00:00:00Z&items=${flow},${mode}`;
  assert.deepEqual(await lines(`${query}&form=wide`), [
    `time,${flow}_avg,${mode}_state_0,${mode}_state_1,${mode}_state_7`,
    '2026-03-01T00:00:00+01:00,3002399751580331.5,42600,2400,0',
  ]);
  const long = await lines(
    `format=jsonl&rollup=P1D&statistics=min,count&from=2026-02-27T00:00:00Z&items=${flow}`,
  );
  assert.deepEqual(
    long.map((line) => JSON.parse(line)),
    [
      { time: '2026-02-28T00:00:00Z', item: flow, statistic: 'min', value: 0 },
      { time: '2026-02-28T00:00:00Z', item: flow, statistic: 'count', value: 1 },
      { time: '2026-03-01T00:00:00Z', item: flow, statistic: 'min', value: 1.5 },
      { time: '2026-03-01T00:00:00Z', item: flow, statistic: 'count', value: 2 },
    ],
  );
  const whole = await lines(
    `format=csv&form=wide&rollup=window&from=2026-02-01T00:00:00Z&items=${flow}&statistics=last`,
  );
  assert.deepEqual(whole, [`time,${flow}_last`, '2026-02-01T00:00:00Z,1.5']);
});

test('X5 parts that were cut have together the rows of the whole export', async () => {
  for (const query of [
    `format=csv&items=${flow},${mode}`,
    `format=csv&form=wide&items=${flow},${mode}`,
    `format=jsonl&items=*`,
    `format=csv&form=wide&rollup=PT10M&from=2026-02-28T00:00:00Z&items=${flow}`,
    `format=csv&rollup=PT30M&from=2026-02-28T00:00:00Z&items=*`,
  ]) {
    const hasHead = query.includes('csv');
    const whole = await lines(query);
    const joined: string[] = hasHead ? [whole[0]] : [];
    let next = '';
    for (let parts = 0; parts < 200; parts++) {
      const part = await lines(`${query}&limit=2${next === '' ? '' : `&after=${next}`}`);
      const position = /^(?:# next=(.*)|\{"next":"(.*)"\})$/.exec(part.at(-1) ?? '');
      joined.push(...part.slice(hasHead ? 1 : 0, position ? -1 : undefined));
      next = position?.[1] ?? position?.[2] ?? '';
      if (next === '') break;
    }
    assert.deepEqual(joined, whole, query);
  }
});

test('X6 a file is compressed, or the answer on the way', async () => {
  const query = `format=jsonl&items=${flow}`;
  const plain = await text(query);
  const gzip = await get(`${query}&compression=gzip`);
  assert.equal(gzip.headers.get('content-disposition'), 'attachment; filename="items.jsonl.gz"');
  assert.equal(gzip.headers.get('content-encoding'), null);
  assert.equal(gunzipSync(await gzip.bytes()).toString(), plain);
  const zstd = await get(`${query}&compression=zstd`);
  assert.equal(zstdDecompressSync(await zstd.bytes()).toString(), plain);
  const onTheWay = await get(query, { 'accept-encoding': 'gzip' });
  assert.equal(onTheWay.headers.get('content-encoding'), 'gzip');
  assert.equal(await onTheWay.text(), plain);
});

test('X1 every wrong parameter is reported, by its name', async () => {
  const wrong =
    'form=tall&from=yesterday&items=x&signals=y&rollup=P&statistics=mean&limit=0&after=x&unknown=1';
  const response = await get(`${wrong}&firstDayOfWeek=8&compression=br&decimal=comma`);
  const body = (await response.json()) as { status: number; params: Record<string, string[]> };
  assert.equal(body.status, 400);
  const named = Object.keys(body.params).sort();
  const expected =
    'after compression decimal firstDayOfWeek form format from limit rollup signals statistics unknown';
  assert.deepEqual(named, expected.split(' '));
  const unknown = await get('format=csv&items=cbpmaq6rpn52969vfl00');
  assert.match(await unknown.text(), /no item has the ID/);
  const signal = await get(`format=csv&form=wide&items=${flowSignal}`);
  assert.match(await signal.text(), new RegExp(`is a signal; its item is ${flow}`));
  const zone = await get(`format=csv&items=${flow}&timeZone=Moon`);
  assert.match(await zone.text(), /timeZone: must be a TZ database name/);
  const many = await get(`format=csv&items=${flow}&rollup=PT0.000001S&to=2026-03-01T00:00:00Z`);
  assert.match(await many.text(), /choose wider buckets/);
});

test('X1 items need the grant service, signals the grant admin; without credentials it is 401', async () => {
  const reader = await newIntegration(service.identity, ['service']);
  const writer = await newIntegration(service.identity, []);
  const status = async ({ authorization }: Pick<ServiceUnderTest, 'authorization'>, query: string) =>
    (await get(query, { authorization })).status;
  assert.equal(await status(reader, `format=csv&items=${flow}`), 200);
  assert.equal(await status(reader, `format=csv&signals=${flowSignal}`), 403);
  assert.equal(await status(writer, `format=csv&items=${flow}`), 403);
  assert.equal((await fetch(`${service.url}/v1/export?format=csv`)).status, 401);
  assert.equal((await fetch(`${service.url}/v1/export`, { method: 'PUT' })).status, 405);
});

test('X1 HEAD answers with the headers alone', async () => {
  const { url, authorization } = service;
  const response = await fetch(`${url}/v1/export?format=csv&items=*`, {
    method: 'HEAD',
    headers: { authorization },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
});

test('X1b a form has the same parameters; with a session it needs the CSRF token of that session', async () => {
  const post = (body: string | URLSearchParams, headers: Record<string, string>) =>
    fetch(`${service.url}/v1/export`, { method: 'POST', headers, body });
  const { authorization } = service;
  const query = `format=csv&items=${flow}`;
  const form = (more = '') => new URLSearchParams(`${query}${more}`);
  assert.equal(await (await post(form(), { authorization })).text(), await text(query));
  const ada = await adaAt(service);
  const signed = await post(form(`&csrfToken=${ada.csrfToken}`), { cookie: ada.cookie });
  assert.equal(await signed.text(), await text(query));
  assert.equal((await post(form(`&csrfToken=${ada.csrfToken}x`), { cookie: ada.cookie })).status, 403);
  assert.equal((await post(form(), { cookie: ada.cookie })).status, 403);
  const foreign = { cookie: ada.cookie, 'sec-fetch-site': 'same-site' };
  assert.equal((await post(form(`&csrfToken=${ada.csrfToken}`), foreign)).status, 403);
  assert.equal((await post(form(), {})).status, 401);
  assert.equal((await post('{}', { authorization, 'content-type': 'application/json' })).status, 415);
  assert.equal((await post('x'.repeat(128 * 1024 + 1), { authorization })).status, 415);
  const long = new URLSearchParams({ format: 'csv', items: 'x'.repeat(128 * 1024) });
  assert.equal((await post(long, { authorization })).status, 413);
});
