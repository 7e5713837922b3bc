/** service.evaluate's reading side (Q9-Q12, F). */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { ProblemList } from '#model/problem-list';
import type { Item } from '#model/signal';
import { ask, evaluation, group, of, Plant, paths, print, problemsOf } from './plant.ts';

suite('evaluate', () => {
  const plant = new Plant();
  let level: Item;
  let flow: Item;
  let mode: Item;
  let idle: Item;

  before(async () => {
    level = await plant.item({}, [
      ['2026-01-01T00:30:00Z', 1],
      ['2026-01-01T01:10:00Z', 2],
      ['2026-01-01T01:20:00Z', 4],
      ['2026-01-01T03:00:00Z', 10],
      ['2026-01-01T04:59:59.999999Z', 20],
      ['2026-01-01T05:00:00Z', 99],
    ]);
    flow = await plant.item({ gapDetectionUs: 3_600_000_000 }, [
      ['2026-01-01T01:00:00Z', 100],
      ['2026-01-01T02:00:00Z', 200],
    ]);
    mode = await plant.item({ valueType: 'enum' }, [
      ['2025-12-31T23:00:00Z', 7],
      ['2026-01-01T01:15:00Z', 8],
      ['2026-01-01T01:30:00Z', 7],
      ['2026-01-01T02:00:00Z', 1.5],
      ['2026-01-01T03:00:00Z', 7],
    ]);
    idle = await plant.item({}, []);
  });

  const hours = (more = {}) => ask('2026-01-01T01:00:00Z', '2026-01-01T05:00:00Z', 'PT1H', more);
  const run = async (...args: Parameters<typeof evaluation>) =>
    print((await plant.query().evaluate(evaluation(...args))).frame);

  test('Q6 aggregates an item in one read, the end exclusive', async () => {
    const reads = plant.series.reads;
    const rows = await run(hours(), [
      of(level, 'mean'),
      of(level, 'n', { aggregation: 'count' }),
      of(flow, 'f', { aggregation: 'sum' }),
    ]);
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 3 2 100',
      '2026-01-01T02:00:00Z - - 200',
      '2026-01-01T03:00:00Z 10 1 -',
      '2026-01-01T04:00:00Z 20 1 -',
    ]);
    assert.equal(plant.series.reads, reads + 1);
  });

  test('Q9 lag 1 is the value of the bucket before, lead 1 of the one after; both are read from outside the window', async () => {
    const rows = await run(hours(), [
      of(level, 'now', { aggregation: 'max' }),
      of(level, 'lagged', { aggregation: 'max', lag: 1 }),
      of(level, 'led', { aggregation: 'max', lead: 1 }),
      of(level, 'back', { aggregation: 'max', lead: 3, lag: 2 }),
    ]);
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 4 1 - -',
      '2026-01-01T02:00:00Z - 4 10 10',
      '2026-01-01T03:00:00Z 10 - 20 20',
      '2026-01-01T04:00:00Z 20 10 99 99',
    ]);
  });

  test('Q4 Q9 in a first bucket that begins before the window only points inside count, also when the one before is read', async () => {
    const data = ask('2026-01-01T01:15:00Z', '2026-01-01T04:30:00Z', 'PT1H');
    const rows = await run(data, [
      of(level, 'now', { aggregation: 'sum' }),
      of(level, 'lagged', { aggregation: 'sum', lag: 1 }),
      of(level, 'led', { aggregation: 'sum', lead: 1 }),
    ]);
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 4 1 -',
      '2026-01-01T02:00:00Z - 4 10',
      '2026-01-01T03:00:00Z 10 - -',
      '2026-01-01T04:00:00Z - 10 99',
    ]);
  });

  test('R3 Q9 a thousand years before and after the window are read as far as timestamps reach', async () => {
    const data = ask('2025-06-01T00:00:00Z', '2026-06-01T00:00:00Z', 'P1Y', { timeZone: 'Europe/Berlin' });
    const shifts = [{ lag: 1000 }, { lead: 1000 }, { lead: 1 }];
    const rows = await run(data, [
      of(level, 'n', { aggregation: 'count' }),
      ...shifts.map((shift, i) => of(mode, `m${i}`, { aggregation: 'count', ...shift })),
    ]);
    assert.deepEqual(rows, ['2024-12-31T23:00:00Z - - - 5', '2025-12-31T23:00:00Z 6 - - -']);
    const windows = plant.series.scanned?.sources.map(({ window }) => window.endUs - window.startUs) ?? [];
    assert.equal(Math.max(...windows), 2 ** 54);
  });

  test('Q10 the state that holds at the start comes from before the window; a value that is no state ends it', async () => {
    const rows = await run(hours(), [
      of(mode, 's7', { aggregation: 'state-seconds', state: 7 }),
      of(mode, 'p7', { aggregation: 'state-percent', state: 7 }),
      of(mode, 'r8', { aggregation: 'state-rate', state: 8 }),
      of(mode, 's9', { aggregation: 'state-seconds', state: 9 }),
    ]);
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 2700 75 0.25 0',
      '2026-01-01T03:00:00Z 3600 100 0 0',
      '2026-01-01T04:00:00Z 3600 100 0 0',
    ]);
  });

  test('Q10 with window the rate is of the whole window', async () => {
    const data = ask('2026-01-01T01:00:00Z', '2026-01-01T05:00:00Z', 'window');
    const rows = await run(data, [
      of(mode, 'r7', { aggregation: 'state-rate', state: 7 }),
      of(level, 'n', { aggregation: 'count' }),
    ]);
    assert.deepEqual(rows, ['2026-01-01T01:00:00Z 0.6875 4']);
  });

  test('Q12 a group aggregates each item in time, then across, nulls skipped', async () => {
    const items = {
      filter: { op: 'in', path: { field: 'id' }, values: [level.id, flow.id, idle.id] },
      sort: [],
      limit: 51,
      skip: 0,
      total: false,
    } as const;
    const groups = (['sum', 'count', 'min', 'max', 'avg'] as const)
      .map((groupAggregation) =>
        group(groupAggregation, { query: items, groupAggregation, aggregation: 'max' }),
      )
      .map((one, i) => ({ ...one, alias: `g${i}` }));
    const rows = await run(hours(), [], [], groups);
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 104 2 4 100 52',
      '2026-01-01T02:00:00Z 200 1 200 200 200',
      '2026-01-01T03:00:00Z 10 1 10 10 10',
      '2026-01-01T04:00:00Z 20 1 20 20 20',
    ]);
  });

  test('Q12 a group without items has no values', async () => {
    const nothing = {
      filter: { op: 'or', filters: [] },
      sort: [],
      limit: 51,
      skip: 0,
      total: false,
    } as const;
    const { frame, items } = await plant
      .query()
      .evaluate(evaluation(hours(), [], [], [group('g', { query: nothing })]));
    assert.deepEqual([...frame.series.keys()], ['g']);
    assert.equal(frame.timesUs.length, 0);
    assert.deepEqual(items, []);
  });

  test('F4 F5 calculations see items, earlier calculations, and buckets without data', async () => {
    const rows = await run(
      hours(),
      [of(level, 'l'), of(flow, 'f')],
      ['both=coalesce(l, 0) + f', 'twice=both * 2', 't=bucket_seconds'],
    );
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 3 100 103 206 3600',
      '2026-01-01T02:00:00Z - 200 200 400 3600',
      '2026-01-01T03:00:00Z 10 - - - 3600',
      '2026-01-01T04:00:00Z 20 - - - 3600',
    ]);
  });

  test('F4 gapfill reads before the window and carries at most gapDetection', async () => {
    const data = ask('2026-01-01T02:00:00Z', '2026-01-01T05:00:00Z', 'PT1H');
    const rows = await run(
      data,
      [of(level, 'l'), of(flow, 'f')],
      ['fl=gapfill(l)', 'ff=gapfill(f)', 'before=lag(l)'],
    );
    assert.deepEqual(rows, [
      '2026-01-01T02:00:00Z - 200 3 200 3',
      '2026-01-01T03:00:00Z 10 - 10 200 -',
      '2026-01-01T04:00:00Z 20 - 20 - 10',
    ]);
  });

  test('Q11 data.filter.series.$in chooses what is returned, in the order asked; the rest is not read', async () => {
    const rows = await run(
      hours({ series: ['c', 'l'] }),
      [of(flow, 'f'), of(level, 'l')],
      ['c=l + 1', 'd=f'],
    );
    assert.deepEqual(rows, [
      '2026-01-01T01:00:00Z 3 4',
      '2026-01-01T03:00:00Z 10 11',
      '2026-01-01T04:00:00Z 20 21',
    ]);
    assert.equal(plant.series.scanned?.sources.length, 1);
  });

  test('Q5 rows without a returned value are left out; nothing returned is nothing', async () => {
    assert.deepEqual(await run(hours({ series: ['f'] }), [of(flow, 'f'), of(level, 'l')]), [
      '2026-01-01T01:00:00Z 100',
      '2026-01-01T02:00:00Z 200',
    ]);
    assert.deepEqual(await run(hours({ series: [] }), [of(flow, 'f')]), []);
  });

  test('Q1 an empty window answers every series without rows', async () => {
    const data = ask('2026-01-01T05:00:00Z', '2026-01-01T01:00:00Z', 'PT1H');
    const { frame } = await plant.query().evaluate(evaluation(data, [of(level, 'l')], ['c=lag(l)']));
    assert.deepEqual([...frame.series.keys()], ['l', 'c']);
    assert.equal(frame.timesUs.length, 0);
  });

  test('Q11 referenced items come along once each, by ID', async () => {
    const { items } = await plant
      .query()
      .evaluate(evaluation(hours(), [of(mode, 'm'), of(level, 'a'), of(level, 'b')]));
    assert.deepEqual(
      items.map(({ id }) => id),
      [level.id, mode.id],
    );
  });

  const wrong: [string, () => ReturnType<typeof evaluation>, Record<string, RegExp>][] = [
    [
      'Q11 an item that does not exist',
      () => evaluation(hours(), [of(level, 'a'), of('0'.repeat(20), 'b')]),
      { 'items.1.id': /no item has the ID/ },
    ],
    [
      'Q11 a repeated alias',
      () => evaluation(hours(), [of(level, 'a')], ['a=1']),
      { 'calculations.0.alias': /items\.0 has the alias "a" too/ },
    ],
    ['Q11 an alias of wrong form', () => evaluation(hours(), [of(level, '1a')]), { 'items.0.alias': /must/ }],
    [
      'Q11 an alias that is a variable',
      () => evaluation(hours(), [of(level, 'time_seconds')]),
      { 'items.0.alias': /time_seconds/ },
    ],
    [
      'Q11 an unknown alias in $in',
      () => evaluation(hours({ series: ['a', 'x'] }), [of(level, 'a')]),
      { 'data.filter.series.$in.1': /unknown alias "x"/ },
    ],
    [
      'Q9 a lag out of range',
      () => evaluation(hours(), [of(level, 'a', { lag: 1001 })]),
      { 'items.0.lag': /from -1000 to 1000, got 1001/ },
    ],
    [
      'Q9 lead minus lag out of range',
      () => evaluation(hours(), [of(level, 'a', { lead: 600, lag: -401 })]),
      { 'items.0.lag': /lead minus lag must be from -1000 to 1000, got 1001/ },
    ],
    [
      'Q9 a lead with window',
      () => evaluation(hours({ rollup: 'window' }), [of(level, 'a', { lead: 1 })]),
      { 'items.0.lead': /must be 0 with rollup "window".*got 1/ },
    ],
    [
      'Q10 a state is missing',
      () => evaluation(hours(), [of(mode, 'a', { aggregation: 'state-rate' })]),
      { 'items.0.state': /^required$/ },
    ],
    [
      'Q10 a state is out of range',
      () => evaluation(hours(), [], [], [group('g', { aggregation: 'state-rate', state: 10_000 })]),
      { 'groups.0.state': /from 0 to 9999, got 10000/ },
    ],
    [
      'F6 a formula is wrong',
      () => evaluation(hours(), [of(level, 'a')], ['b=a', 'c=b + c9']),
      { 'calculations.1.formula': /at 5: unknown name "c9"/ },
    ],
    [
      'L1 too many calculations',
      () =>
        evaluation(
          hours(),
          [],
          Array.from({ length: 101 }, (_, i) => `c${i}=1`),
        ),
      { calculations: /at most 100 entries, got 101/ },
    ],
    [
      'Q3 an unknown zone',
      () => evaluation(hours({ timeZone: 'Mars/Phobos' }), []),
      { 'data.timeZone': /TZ database name .* got "Mars\/Phobos"/ },
    ],
    [
      'Q2 a day of week',
      () => evaluation(hours({ firstDayOfWeek: 8 }), []),
      { 'data.firstDayOfWeek': /got 8/ },
    ],
    [
      'Q4 a width of zero',
      () => evaluation(hours({ rollup: { kind: 'fixed', us: 0 } }), []),
      { 'data.rollup': /longer than zero/ },
    ],
    [
      'L2 a long window',
      () => evaluation(ask('2024-01-01T00:00:00Z', '2025-02-05T00:00:01Z', 'PT1M'), []),
      { [paths.window]: /at most 400 days .* with rollup PT1M, got 401.*; rollup PT24H would allow it/ },
    ],
  ];
  for (const [title, request, expected] of wrong) {
    test(`${title} is refused with its path`, async () => {
      const reads = plant.series.reads;
      const problems = await problemsOf(plant.query().evaluate(request()));
      assert.deepEqual(Object.keys(problems), Object.keys(expected));
      for (const [path, pattern] of Object.entries(expected))
        assert.match(problems[path].join('; '), pattern);
      assert.equal(plant.series.reads, reads);
    });
  }

  test('E2 everything that is wrong with a request is reported together, also what its caller has found', async () => {
    const data = ask('2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'PT1H', { firstDayOfWeek: 9 });
    const items = [of(level, '1a'), of('0'.repeat(20), 'b', { lag: 2000 })];
    const request = evaluation(data, items, ['c=nothing + 1', 'd=movavg(b, 0)'], [group('c')]);
    const problems = new ProblemList();
    problems.add(['include', 0], 'must be "item", got "x"');
    const calls = plant.query().evaluate(request, { problems });
    assert.deepEqual(Object.keys(await problemsOf(calls)), [
      'include.0',
      'items.0.alias',
      'calculations.0.alias',
      'items.1.lag',
      'data.firstDayOfWeek',
      'data.filter.times',
      'calculations.0.formula',
      'calculations.1.formula',
    ]);
  });

  test('E2 too many buckets are reported with what is wrong with formulas', async () => {
    const data = ask('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'PT0.0001S');
    const call = plant.query().evaluate(evaluation(data, [of(level, 'a')], ['c=a +']));
    assert.deepEqual(Object.keys(await problemsOf(call)), ['data.rollup', 'calculations.0.formula']);
  });

  test('E2 Q12 unknown items and a group that is too large are reported together', async () => {
    const request = evaluation(hours(), [of('0'.repeat(20), 'a')], [], [group('g'), group('h')]);
    const problems = await problemsOf(plant.query({ itemsLimitMax: 3 }).evaluate(request));
    assert.deepEqual(Object.keys(problems), ['groups.0', 'items.0.id']);
  });

  test('Q12 all items and groups together reference at most so many items', async () => {
    const request = evaluation(
      hours(),
      [of(level, 'a'), of(flow, 'b')],
      [],
      [group('g', { aggregation: 'count' })],
    );
    const call = plant.query({ itemsLimitMax: 3 }).evaluate(request);
    assert.deepEqual(await problemsOf(call), {
      'groups.0': ['all items and groups together must reference at most 3 items, got 4'],
    });
    await plant.query({ itemsLimitMax: 4 }).evaluate(request);
    const items = plant
      .query({ itemsLimitMax: 1 })
      .evaluate(evaluation(hours(), [of(level, 'a'), of(flow, 'b')]));
    assert.deepEqual(Object.keys(await problemsOf(items)), ['items']);
  });

  test('L3 L3a a long window is computed in pieces, and nothing shows where they meet', async () => {
    const plant = new Plant();
    // 40 days of seconds are 3,456,000 buckets: several pieces.
    const startS = Date.parse('2026-01-01T00:00:00Z') / 1000;
    const seconds = [
      0, 1, 444_443, 444_444, 444_445, 499_999, 500_000, 571_428, 999_999, 1_999_999, 3_455_998,
    ];
    const item = await plant.item(
      { valueType: 'enum' },
      seconds.map((s, i): [number, number] => [startS + s, i]),
    );
    const data = ask('2026-01-01T00:00:00.5Z', '2026-02-10T00:00:00Z', 'PT1S');
    const asked = [
      of(item, 'a'),
      of(item, 'b', { lag: 1 }),
      of(item, 'c', { lead: 2 }),
      of(item, 's', { aggregation: 'state-seconds', state: 3 }),
    ];
    const formulas = ['m=movsum(a, 3)', 'd=time_seconds*a', 'n=isnull(a) ? null : coalesce(lag(a, 2), -1)'];
    const keys = ['a', 'b', 'c', 'm', 'd', 'n'];
    const { frame } = await plant.query().evaluate(evaluation({ ...data, series: keys }, asked, formulas));
    const reads = plant.series.reads;
    assert.ok(reads > 1, `${reads} reads`);
    const rows = new Map(print(frame).map((line) => [line.slice(0, 20), line.slice(21)]));
    const at = (s: number) => rows.get(new Date((startS + s) * 1000).toISOString().replace('.000Z', 'Z'));
    const time = (s: number) => String((startS + s) * 1);
    // The point at 0 s lies before the window.
    assert.equal(at(0), undefined);
    assert.equal(at(1), `1 - - 1 ${time(1)} -1`);
    assert.equal(at(444_441), '- - 2 - - -');
    assert.equal(at(444_443), `2 - 4 2 ${(startS + 444_443) * 2} -1`);
    assert.equal(at(444_445), `4 3 - 9 ${(startS + 444_445) * 4} 2`);
    assert.equal(at(444_446), '- 4 - 7 - -');
    assert.equal(at(500_001), '- 6 - 11 - -');
    assert.equal(at(3_455_999), '- 10 - 10 - -');
    const own = seconds.slice(1).flatMap((s) => [s - 2, s, s + 1, s + 2]);
    assert.deepEqual(
      [...rows.keys()],
      [...new Set(own)]
        .filter((s) => s >= 0 && s < 3_456_000)
        .sort((a, b) => a - b)
        .map((s) => new Date((startS + s) * 1000).toISOString().replace('.000Z', 'Z')),
    );
  });

  test('L3 too much work is refused before it is done and a rollup that fits is named; at the limit it is done', async () => {
    const data = ask('2026-01-01T00:00:00Z', '2026-01-01T10:00:00Z', 'PT1S');
    const reads = plant.series.reads;
    const call = plant.query({ bucketColumnsMax: 35_999 }).evaluate(evaluation(data, [of(level, 'a')]));
    const problems = await problemsOf(call);
    assert.match(
      problems['data.rollup'][0],
      /36000 buckets × 1 columns .* at most 35999 .* rollup PT5S would fit/,
    );
    assert.equal(plant.series.reads, reads);
    await plant.query({ bucketColumnsMax: 36_000 }).evaluate(evaluation(data, [of(level, 'a')]));
  });
});
