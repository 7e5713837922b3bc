/** Data frames as Arrow streams, from columns into the service and back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RecordBatchReader } from 'apache-arrow';
import { type ServiceUnderTest, startService } from '../../server/test/support/service.ts';
import { readArrow, writeArrow } from '../src/arrow.ts';
import { Client, ServiceError } from '../src/client.ts';
import type { Columns } from '../src/frame.ts';
import { FastEnvironment, startScript } from './support.ts';

let service: ServiceUnderTest;
let client: Client;
before(async () => {
  service = await startService();
  const clientSecret = Buffer.from(service.authorization.slice(6), 'base64').toString().split(':')[1];
  const credentials = { type: 'basic-auth', clientId: service.integration, clientSecret } as const;
  client = new Client({ apiUrl: `${service.url}/v1/`, credentials });
});
after(() => service.close());

const columns: Columns = {
  timesUs: Float64Array.of(1772359200000000, 1772359200000001, 1772362800000000),
  series: new Map([
    ['b', Float64Array.of(1.5, Number.NaN, -3)],
    ['10', Float64Array.of(1, 2, 3)],
  ]),
};

test('W5c columns become a stream with times first, and are the same when they are read', () => {
  const stream = writeArrow(columns);
  const [batch] = RecordBatchReader.from(stream);
  assert.deepEqual(
    batch.schema.fields.map(({ name, type }) => `${name} ${type}`),
    ['time Timestamp<MICROSECOND, UTC>', 'b Float64', '10 Float64'],
  );
  assert.deepEqual(readArrow(stream), columns);
});

test('W5b, W5e columns are inserted and read back as streams', async () => {
  const { integration } = service;
  const { signalsByInput } = await client.insertArrow(integration, writeArrow(columns));
  assert.deepEqual(Object.keys(signalsByInput).sort(), ['10', 'b']);
  const { itemsBySignal } = await client.call('admin.publishSignals', {
    integration,
    itemsBySignal: Object.fromEntries(Object.values(signalsByInput).map(({ id }) => [id, { visible: true }])),
  });
  const stream = await client.callForArrow('service.dataFrame', {
    data: { filter: { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } } },
  });
  const itemOf = (key: string) => itemsBySignal[signalsByInput[key].id].id;
  const { timesUs, series } = readArrow(stream);
  assert.deepEqual(timesUs, columns.timesUs);
  for (const [key, values] of columns.series) assert.deepEqual(series.get(itemOf(key)), values);
});

test('W5e faults are errors, and so is a result without a data frame', async () => {
  const refused = client.callForArrow('service.dataFrame', { data: { rollup: 'x' } });
  await assert.rejects(refused, (error) => error instanceof ServiceError && error.code === -32602);
  const cut = client.insertArrow(service.integration, writeArrow(columns).slice(0, -8));
  await assert.rejects(cut, (error) => error instanceof ServiceError && 'data' in error.params);
  const items = client.callForArrow('service.selectItems', {});
  await assert.rejects(items, /the result has no data frame that can be an Arrow stream/);
});

test('W5b a stream whose answer was lost is sent again', async () => {
  const answer = { jsonrpc: '2.0', id: 1, result: { signalsByInput: {} } };
  const script = await startScript((_, count) => (count === 1 ? { cut: 'before' } : { body: answer }));
  const credentials = { type: 'basic-auth', clientId: 'a', clientSecret: 'b' } as const;
  const patient = new Client({ apiUrl: script.apiUrl, credentials, environment: new FastEnvironment() });
  assert.deepEqual(await patient.insertArrow('c', writeArrow(columns)), { signalsByInput: {} });
  await script.close();
  for (const { path, headers } of script.seen) {
    assert.equal(path, '/v1/rpc?method=integration.insert&integration=c');
    assert.equal(headers['content-type'], 'application/vnd.apache.arrow.stream');
  }
  assert.equal(script.seen.length, 2);
});
