/** Parquet files as DuckDB reads them, which is a reader of another origin than the one that writes: values, names, units, times. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ParquetFile } from '#cli/points/parquet-file';
import { temporaryDirectory } from '../cli/process.ts';
import { serviceOfFile } from '../support/service.ts';

const service = await serviceOfFile();

/** Rows as arrays; integers of 64 bits are bigint. */
type Ask = (sql: string) => Promise<unknown[][]>;

/** An empty DuckDB in this process; null: it is not installed, and the test ends with the reason. */
async function openDuckDb(t: TestContext): Promise<Ask | null> {
  const module = new URL('../../../bench-peers/node_modules/@duckdb/node-api/lib/index.js', import.meta.url);
  if (!existsSync(module)) {
    const reason = 'DuckDB is not installed: npm install --no-save --prefix bench-peers';
    assert.notEqual(process.env.MACHINE_TOOLS, 'required', reason);
    t.skip(reason);
    return null;
  }
  const { DuckDBInstance } = await import(pathToFileURL(module.pathname).href);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  t.after(() => connection.closeSync());
  return async (sql) => (await connection.runAndReadAll(sql)).getRowsJS();
}

const timesUs = [-(2 ** 53), -1, 0, 1, 1_772_359_200_000_001, 2 ** 53];
const values = [-0, 5e-324, -5e-324, 2 ** 53, 0.1 + 0.2, -Number.MAX_VALUE];

test('X9, X9a DuckDB reads every bit of values and times, and the names and units', async (t) => {
  const ask = await openDuckDb(t);
  if (ask === null) return;
  const { integration } = service;
  const signalsByInput = { a: { name: 'Flow', engUnit: 'm³/h' }, b: { name: 'Level' } };
  const saved = await service.call('integration.saveSignals', { integration, signalsByInput });
  const [a, b] = ['a', 'b'].map((input) => saved.result.signalsByInput[input].id as string);
  const numbers = new Map((await service.meta.signals.byId([a, b])).map(({ id, number }) => [id, number]));
  for (const [id, count] of [
    [a, timesUs.length],
    [b, 1],
  ] as const) {
    const batch = { timesUs: Float64Array.from(timesUs.slice(0, count)), signals: [numbers.get(id) ?? 0] };
    await service.series.append({ ...batch, values: Float64Array.from(values.slice(0, count)) });
  }
  const directory = await temporaryDirectory(t);
  const save = async (name: string, query: string) => {
    const { url, authorization } = service;
    const answer = await fetch(`${url}/v1/export?format=parquet&${query}`, { headers: { authorization } });
    const path = join(directory, name);
    await writeFile(path, new Uint8Array(await answer.arrayBuffer()));
    return `'${path}'`;
  };
  const long = await save('long.parquet', `signals=${a}`);
  assert.deepEqual(await ask(`select typeof(time), typeof(signal), typeof(value) from ${long} limit 1`), [
    ['TIMESTAMP WITH TIME ZONE', 'VARCHAR', 'DOUBLE'],
  ]);
  const rows = await ask(`select epoch_us(time), signal, value from ${long} order by time`);
  assert.deepEqual(
    rows,
    timesUs.map((us, i) => [BigInt(us), a, values[i]]),
  );
  assert.ok(Object.is(rows[0][2], -0) && Object.is(rows[2][2], -5e-324));
  const series = (await ask(
    `select decode(value) from parquet_kv_metadata(${long}) where decode(key) = 'tidemark.series'`,
  )) as string[][];
  assert.deepEqual(JSON.parse(series[0][0]), [
    { key: a, id: a, name: 'Flow', unit: 'm³/h', statistic: null },
  ]);
  const wide = await save('wide.parquet', `form=wide&signals=${a},${b}`);
  assert.deepEqual(
    await ask(`select epoch_us(time), "${a}", "${b}" from ${wide} order by time`),
    timesUs.map((us, i) => [BigInt(us), values[i], i === 0 ? -0 : null]),
  );
  const all = await save('all.parquet', 'signals=*&metadata=true');
  assert.deepEqual(
    await ask(
      `select signal, description->>'$.attributes.name', description->>'$.attributes.engUnit' from ${all} where time is null order by 2`,
    ),
    [
      [a, 'Flow', 'm³/h'],
      [b, 'Level', ''],
    ],
  );
  assert.deepEqual(await ask(`select count(*), count(value) from ${all} where description is null`), [
    [7n, 7n],
  ]);
});

test('X10 what DuckDB writes is read, whatever its compression and encoding', async (t) => {
  const ask = await openDuckDb(t);
  if (ask === null) return;
  const directory = await temporaryDirectory(t);
  const rows = 5000;
  for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli']) {
    const path = join(directory, `${codec}.parquet`);
    await ask(
      `copy (select make_timestamptz(i * 1000001) as time, 'pump ' || (i % 3) as signal,
        case when i % 7 = 0 then null else i / 8 end as value, make_timestamp(i) as local, (i * 3)::integer as whole
        from range(${rows}) as t(i)) to '${path}' (format parquet, compression ${codec}, row_group_size 2048)`,
    );
    const file = await ParquetFile.open(path);
    try {
      const kinds = file.columns.map(({ name, kind }) => `${name} ${kind}`);
      assert.deepEqual(kinds, [
        'time time',
        'signal text',
        'value number',
        'local local-time',
        'whole number',
      ]);
      let row = 0;
      for await (const { firstRow, rowCount, values } of file.parts([
        'time',
        'signal',
        'value',
        'local',
        'whole',
      ])) {
        assert.equal(firstRow, row + 1);
        for (let i = 0; i < rowCount; i++, row++) {
          const read = ['time', 'signal', 'value', 'local', 'whole'].map(
            (name) => values.get(name)?.[i] ?? null,
          );
          const value = row % 7 === 0 ? null : row / 8;
          assert.deepEqual(
            read,
            [row * 1000001, `pump ${row % 3}`, value, row, row * 3],
            `${codec}, row ${row}`,
          );
        }
      }
      assert.equal(row, rows);
    } finally {
      await file[Symbol.asyncDispose]();
    }
  }
});
