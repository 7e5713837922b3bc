/** `GET /v1/export?format=parquet`: files that another library reads, value for value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { serviceOfFile } from '../../support/service.ts';

const service = await serviceOfFile();

/** Reads a file, its rows with times in µs, and its metadata. */
async function read(query: string) {
  const { url, authorization } = service;
  const response = await fetch(`${url}/v1/export?format=parquet&${query}`, { headers: { authorization } });
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
  assert.equal(response.headers.get('content-type'), 'application/vnd.apache.parquet');
  const file = await response.arrayBuffer();
  const microseconds = (us: bigint) => us;
  const parsers = { timestampFromMicroseconds: microseconds };
  const rows = await parquetReadObjects({ file, parsers });
  const metadata = new Map(
    parquetMetadata(file).key_value_metadata?.map(({ key, value }) => [key, value ?? '']),
  );
  return { rows, metadata };
}

test('X9 Parquet, long and wide, cut and whole, has every bit of times and values, and names and units', async () => {
  const { integration } = service;
  const signalsByInput = { a: { name: 'Flow', engUnit: 'm³/h' }, b: { name: 'Level' } };
  const saved = await service.call('integration.saveSignals', { integration, signalsByInput });
  const [a, b] = ['a', 'b'].map((input) => saved.result.signalsByInput[input].id as string);
  const stored = await service.meta.signals.byId([a, b]);
  const numberOf = (id: string) => stored.find((signal) => signal.id === id)?.number ?? 0;
  const timesUs = Float64Array.of(-(2 ** 53), -1, 0, 1772359200000001, 2 ** 53);
  const ofA = [-0, 5e-324, 2 ** 53, Number.MAX_VALUE, 0.1];
  await service.series.append({ timesUs, signals: [numberOf(a)], values: Float64Array.from(ofA) });
  await service.series.append({
    timesUs: Float64Array.of(0),
    signals: [numberOf(b)],
    values: Float64Array.of(7),
  });
  const long = await read(`signals=${a}`);
  assert.deepEqual(
    long.rows,
    ofA.map((value, i) => ({ time: BigInt(timesUs[i]), signal: a, value })),
  );
  assert.ok(Object.is(long.rows[0].value, -0));
  assert.deepEqual(JSON.parse(long.metadata.get('tidemark.series') ?? ''), [
    { key: a, id: a, name: 'Flow', unit: 'm³/h', statistic: null },
  ]);
  const wide = await read(`form=wide&signals=${a},${b}`);
  assert.deepEqual(
    wide.rows,
    ofA.map((value, i) => ({ time: BigInt(timesUs[i]), [a]: value, [b]: i === 2 ? 7 : null })),
  );
  const cut = await read(`signals=${a}&limit=2`);
  assert.equal(cut.metadata.get('tidemark.next'), `${a}~-1`);
  const rest = await read(`signals=${a}&after=${a}~-1`);
  assert.deepEqual([...cut.rows, ...rest.rows], long.rows);
  assert.equal(rest.metadata.has('tidemark.next'), false);
  const daily = await read(`signals=${b}&rollup=P1D&statistics=min,count`);
  assert.deepEqual(daily.rows, [
    { time: 0n, signal: b, statistic: 'min', value: 7 },
    { time: 0n, signal: b, statistic: 'count', value: 1 },
  ]);
  assert.deepEqual((await read(`signals=${a}&from=2200-01-01T00:00:00Z&to=2200-01-02T00:00:00Z`)).rows, []);
});
