/** The flat form's data and data frames (Q1, Q4-Q8, Q13, Q14, L3). */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { Query } from '#domain/query/query';
import type { DataQuery } from '#domain/query/request';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import type { Item } from '#model/signal';
import type { ScanRequest } from '#storage/store';
import { ask, Plant, paths, print, problemsOf, queryOf } from './plant.ts';

suite('frames of items', () => {
  const plant = new Plant();
  let pump: Item;
  let tank: Item;
  let mode: Item;
  let idle: Item;

  before(async () => {
    pump = await plant.item({}, [
      ['2026-01-01T00:10:00Z', 1],
      ['2026-01-01T00:50:00Z', 3],
      ['2026-01-01T01:00:00Z', -5],
      ['2026-01-01T03:00:00Z', 8],
    ]);
    tank = await plant.item(
      {},
      [
        ['2026-01-01T00:10:00Z', 10],
        ['2026-01-01T02:00:00Z', 20],
      ],
      [
        ['2026-01-01T00:10:00Z', 11],
        ['2026-01-01T02:30:00.5Z', 21],
      ],
    );
    mode = await plant.item(
      {
        valueType: 'enum',
        enumValues: new Map([
          ['5', 'off'],
          ['0', 'on'],
        ]),
      },
      [
        ['2026-01-01T00:30:00Z', 0],
        ['2026-01-01T00:45:00Z', 3],
        ['2026-01-01T01:00:00Z', -1],
      ],
    );
    idle = await plant.item({}, []);
  });

  const day = (rollup: string | null, more: Partial<DataQuery> = {}) =>
    ask('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', rollup, more);
  const flat = async (items: Item[], data: DataQuery, limits = {}) =>
    (await plant.query(limits).selectData({ query: queryOf(items), data, paths })).frame;
  const dataFrame = async (items: Item[], data: DataQuery, limits = {}) =>
    (await plant.query(limits).dataFrame({ query: queryOf(items), data, paths })).frame;

  test('Q5 Q14 raw points: one row a time, null where a series has none, the signal created last wins', async () => {
    const reads = plant.series.reads;
    const { series } = await flat([pump, tank, idle], day(null));
    assert.deepEqual([...series.keys()], [pump.id, tank.id, idle.id]);
    assert.deepEqual(print(await flat([pump, tank, idle], day(null))), [
      '2026-01-01T00:10:00Z 1 11 -',
      '2026-01-01T00:50:00Z 3 - -',
      '2026-01-01T01:00:00Z -5 - -',
      '2026-01-01T02:00:00Z - 20 -',
      '2026-01-01T02:30:00.5Z - 21 -',
      '2026-01-01T03:00:00Z 8 - -',
    ]);
    assert.equal(plant.series.reads, reads + 2);
  });

  test('Q7 the flat form has sum, min, max, avg and count of every item, enum items too', async () => {
    const data = await flat([pump, mode], day('PT1H'));
    assert.deepEqual(
      [...data.series.keys()],
      [pump, mode].flatMap(({ id }) => ['sum', 'min', 'max', 'avg', 'count'].map((name) => `${id}_${name}`)),
    );
    assert.deepEqual(print(data), [
      '2026-01-01T00:00:00Z 4 1 3 2 2 3 0 3 1.5 2',
      '2026-01-01T01:00:00Z -5 -5 -5 -5 1 -1 -1 -1 -1 1',
      '2026-01-01T03:00:00Z 8 8 8 8 1 - - - - -',
    ]);
  });

  test('Q7 a data frame has count, min, max, sum and avg of numeric items and the states of enum items', async () => {
    const data = await dataFrame([pump, mode], day('PT1H'));
    assert.deepEqual(
      [...data.series.keys()],
      [
        ...['count', 'min', 'max', 'sum', 'avg'].map((name) => `${pump.id}_${name}`),
        ...[0, 3, 5].map((state) => `${mode.id}_state_${state}`),
      ],
    );
    assert.deepEqual(print(data), [
      '2026-01-01T00:00:00Z 2 1 3 4 2 900 900 0',
      '2026-01-01T01:00:00Z 1 -5 -5 -5 -5 - - -',
      '2026-01-01T03:00:00Z 1 8 8 8 8 - - -',
    ]);
  });

  test('Q4 with window there is one row, at the start', async () => {
    const data = ask('2026-01-01T00:10:00Z', '2026-01-01T01:00:00Z', 'window');
    assert.deepEqual(print(await flat([pump], data)), ['2026-01-01T00:10:00Z 4 1 3 2 2']);
  });

  test('Q4 a row begins at its bucket, also before the window, but only points inside count', async () => {
    const data = ask('2026-01-01T00:20:00Z', '2026-01-01T03:00:00Z', 'P1D');
    assert.deepEqual(print(await flat([pump], data)), ['2026-01-01T00:00:00Z -2 -5 3 -1 2']);
  });

  test('Q3 days follow the zone', async () => {
    const data = day('P1D', { timeZone: 'America/New_York' });
    assert.deepEqual(print(await flat([pump], data)), ['2025-12-31T05:00:00Z 7 -5 8 1.75 4']);
  });

  test('Q8 last keeps the newest values of each series; rows are their union', async () => {
    assert.deepEqual(print(await dataFrame([pump, tank], day(null, { last: 2 }))), [
      '2026-01-01T01:00:00Z -5 -',
      '2026-01-01T02:00:00Z - 20',
      '2026-01-01T02:30:00.5Z - 21',
      '2026-01-01T03:00:00Z 8 -',
    ]);
    const rolledUp = await dataFrame([pump], day('PT1H', { last: 1 }));
    assert.deepEqual(print(rolledUp), ['2026-01-01T03:00:00Z 1 8 8 8 8']);
    assert.equal((await dataFrame([pump], day(null, { last: -1 }))).timesUs.length, 4);
    assert.equal((await dataFrame([pump], day(null, { last: 100 }))).timesUs.length, 4);
  });

  test('Q13 outside points are the nearest before and after, of raw series only', async () => {
    const data = ask('2026-01-01T00:50:00Z', '2026-01-01T01:30:00Z', null, { outsidePoints: true });
    assert.deepEqual(print(await dataFrame([pump, tank], data)), [
      '2026-01-01T00:10:00Z 1 11',
      '2026-01-01T00:50:00Z 3 -',
      '2026-01-01T01:00:00Z -5 -',
      '2026-01-01T02:00:00Z - 20',
      '2026-01-01T03:00:00Z 8 -',
    ]);
    const rolledUp = await dataFrame([pump], { ...data, rollup: 'window' });
    assert.deepEqual(print(rolledUp), ['2026-01-01T00:50:00Z 2 -5 3 -2 -1']);
  });

  test('Q11 only the series asked for are returned and computed', async () => {
    const keys = [`${pump.id}_max`, `${mode.id}_state_3`, 'unknown'];
    const data = await dataFrame([pump, tank, mode], day('PT1H', { series: keys }));
    assert.deepEqual([...data.series.keys()], keys.slice(0, 2));
    assert.equal(plant.series.scanned?.sources.length, 2);
    assert.deepEqual(
      [...(await flat([pump, tank], day(null, { series: [tank.id] }))).series.keys()],
      [tank.id],
    );
  });

  test('Q1 an empty window answers every series without rows, and reads nothing', async () => {
    const reads = plant.series.reads;
    const data = ask('2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z', null);
    assert.deepEqual([...(await flat([pump, tank], data)).series.keys()], [pump.id, tank.id]);
    const rolledUp = await dataFrame([mode], { ...data, rollup: { kind: 'fixed', us: 1e6 } });
    assert.deepEqual([...rolledUp.series.keys()], [`${mode.id}_state_0`, `${mode.id}_state_5`]);
    assert.equal(rolledUp.timesUs.length, 0);
    assert.equal(plant.series.reads, reads);
  });

  test('Q1 no item is an empty frame', async () => {
    assert.equal((await flat([], day(null))).series.size, 0);
    assert.equal((await flat([], day('PT1H'))).timesUs.length, 0);
  });

  test('L3 the memory of raw points is taken before they are read, and more only where there are more', async () => {
    const plant = new Plant();
    const item = await plant.item({}, [
      ['2026-01-01T00:00:00Z', 1],
      ['2026-01-01T00:00:01Z', 2],
    ]);
    const { series, meta, clock } = plant;
    let heldBytes = 0;
    const asked: [held: number, valuesMax: number | undefined][] = [];
    const memory = {
      take: (bytes: number) => {
        heldBytes += bytes;
        return null;
      },
      tryTake: (bytes: number) => {
        heldBytes += bytes;
        return true;
      },
      note: () => assert.fail('nothing is taken when it exists already'),
      give(bytes: number) {
        heldBytes -= bytes;
      },
    };
    const store = Object.create(series, {
      scan: {
        value: (request: ScanRequest) => {
          asked.push([heldBytes, request.valuesMax]);
          // As a store that has 300,000 points.
          if ((request.valuesMax ?? 0) < 300_000) throw new AppError('invalid-params', 'more points');
          return series.scan(request);
        },
      },
    });
    const query = new Query({ meta, series: store, clock, limits: limitDefaults });
    const request = { query: queryOf([item]), data: day(null), paths };
    const { frame } = await query.dataFrame(request, { memory });
    assert.equal(frame.timesUs.length, 2);
    assert.deepEqual(asked, [
      [800_000, 50_000],
      [8_000_000, 500_000],
    ]);
    assert.equal(heldBytes, frame.bytes);
  });

  test('L3 a raw read that does not get memory for its rows at once gives up its points, and takes memory for all', async () => {
    const calls: [string, number][] = [];
    const memory = {
      take(bytes: number) {
        calls.push(['take', bytes]);
        return null;
      },
      tryTake: () => false,
      note: () => assert.fail('nothing is taken when it exists already'),
      give: (bytes: number) => void calls.push(['give', bytes]),
    };
    const request = { query: queryOf([pump, tank]), data: day(null), paths };
    const reads = plant.series.reads;
    const { frame } = await plant.query({ answerValuesMax: 12 }).dataFrame(request, { memory });
    assert.equal(plant.series.reads, reads + 2);
    assert.deepEqual(print(frame), print(await dataFrame([pump, tank], day(null))));
    // Seven points with their times merged, and at most 12 values.
    const allBytes = 7 * 32 + 12 * 8;
    assert.deepEqual(calls, [
      ['take', 12 * 16],
      ['give', 12 * 16],
      ['take', allBytes],
      ['give', allBytes - frame.bytes],
    ]);
  });

  test('L3 a raw answer of too many values is refused, with a rollup that fits; at the limit it is answered', async () => {
    const problems = await problemsOf(flat([pump, tank], day(null), { answerValuesMax: 11 }));
    assert.match(
      problems['data.rollup'][0],
      /6 rows × 2 series would be 12 values, at most 11 are allowed in one answer/,
    );
    assert.equal((await flat([pump, tank], day(null), { answerValuesMax: 12 })).timesUs.length, 6);
    const long = await problemsOf(flat([pump], day(null), { answerValuesMax: 3 }));
    assert.match(long['data.rollup'][0], /ask for fewer series/);
  });

  test('L3 Q7 a long window of states is computed in pieces: a state that only one of them has is 0 in the others', async () => {
    const plant = new Plant();
    const item = await plant.item({ valueType: 'enum', gapDetectionUs: 2e6 }, [
      ['2026-01-01T00:00:00Z', 7],
      ['2026-01-20T00:00:00Z', 5],
      ['2026-02-01T00:00:00Z', 1],
    ]);
    const data = ask('2026-01-01T00:00:00Z', '2026-02-10T00:00:00Z', 'PT1S');
    const { frame } = await plant.query().dataFrame({ query: queryOf([item]), data, paths });
    assert.ok(plant.series.reads > 1);
    assert.deepEqual(
      [...frame.series.keys()],
      [1, 5, 7].map((state) => `${item.id}_state_${state}`),
    );
    assert.deepEqual(print(frame), [
      '2026-01-01T00:00:00Z 0 0 1',
      '2026-01-01T00:00:01Z 0 0 1',
      '2026-01-20T00:00:00Z 0 1 0',
      '2026-01-20T00:00:01Z 0 1 0',
      '2026-02-01T00:00:00Z 1 0 0',
      '2026-02-01T00:00:01Z 1 0 0',
    ]);
  });

  test('L3 states that are seen count', async () => {
    const call = dataFrame([mode], day('PT1H'), { answerValuesMax: 2 });
    assert.match(
      (await problemsOf(call))['data.rollup'][0],
      /1 rows × 3 series would be 3 values, at most 2/,
    );
    await dataFrame([mode], day('PT1H'), { answerValuesMax: 3 });
  });

  test('Q1 a call that was given up ends with the reason', async () => {
    const reason = new Error('gone');
    const call = plant
      .query()
      .selectData(
        { query: queryOf([pump]), data: day('PT1H'), paths },
        { signal: AbortSignal.abort(reason) },
      );
    await assert.rejects(call, reason);
  });

  test('L2 the path and the remedy are named', async () => {
    const data = ask('2026-01-01T00:00:00Z', '2026-02-11T00:00:00Z', null);
    assert.deepEqual(await problemsOf(flat([pump], data)), {
      'data.filter.times': [
        'the window must be at most 40 days long without a rollup, got 41; rollup PT1M would allow it',
      ],
    });
  });
});
