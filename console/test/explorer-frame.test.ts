/** Frames of the service as rows: put together, searched, and written as files. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseAnswer, transferable } from '../src/features/explorer/answer.ts';
import { countPoints, needsCount } from '../src/features/explorer/every-point.ts';
import { type FileColumn, printCsv, printJson } from '../src/features/explorer/file.ts';
import { fileColumns } from '../src/features/explorer/file-columns.ts';
import {
  type Column,
  concatColumns,
  countValues,
  findGaps,
  findLonely,
  lastPoints,
  mergeColumns,
  nearestRow,
  printTime,
  readColumns,
  timeMs,
} from '../src/features/explorer/frame.ts';
import type { Request } from '../src/features/explorer/request.ts';
import { fileName } from '../src/parts/file-name.ts';
import { loadedOf } from './support/charts.ts';
import { enumOf, frameOf, itemOf } from './support/items.ts';
import { randomOf } from './support/random.ts';
import { at, day } from './support/times.ts';

suite('timestamps of frames', () => {
  test('microseconds survive being read and written', () => {
    const random = randomOf(1);
    for (let i = 0; i < 2000; i++) {
      const us = Math.floor(random() * 4e15) - 1e15;
      const seconds = Math.floor(us / 1e6);
      const fraction = us - seconds * 1e6;
      const decimals = String(fraction).padStart(6, '0').replace(/0+$/, '');
      const text = `${new Date(seconds * 1000).toISOString().slice(0, 19)}${decimals && `.${decimals}`}Z`;
      assert.equal(printTime(timeMs(text)), text);
    }
  });

  test('a time with an offset, and one with more than six decimals, are read', () => {
    assert.equal(timeMs('2026-01-01T01:00:00+01:00'), at('2026-01-01T00:00:00Z'));
    assert.equal(timeMs('2026-01-01T00:00:00.000250Z') - at('2026-01-01T00:00:00Z'), 0.25);
    assert.equal(timeMs('1969-12-31T23:59:59.5Z'), -500);
  });
});

suite('frames put together', () => {
  test('any split of columns and rows into frames gives the same rows', () => {
    const random = randomOf(2);
    for (let round = 0; round < 50; round++) {
      const times = ascending(random, 30);
      const series = Object.fromEntries(
        ['a', 'b', 'c'].map((key) => [
          key,
          times.map(() => (random() < 0.3 ? null : Math.floor(random() * 9))),
        ]),
      );
      const whole = mergeColumns([readColumns(frameOf(times, series))]);
      const byKey = mergeColumns(
        Object.entries(series).map(([key, values]) => {
          const kept = times.map((_, row) => row).filter((row) => values[row] !== null);
          const some = kept.map((row) => times[row]!);
          return readColumns(frameOf(some, { [key]: kept.map((row) => values[row]!) }));
        }),
      );
      const cut = Math.floor(random() * times.length);
      const byTime = mergeColumns([
        concatColumns(
          [
            [0, cut],
            [cut, times.length],
          ].map(([from, to]) =>
            readColumns(
              frameOf(
                times.slice(from, to),
                Object.fromEntries(
                  Object.entries(series).map(([key, values]) => [key, values.slice(from, to)]),
                ),
              ),
            ),
          ),
        ),
      ]);
      for (const rows of [byKey, byTime])
        for (const [row, ms] of Array.from(whole.timesMs).entries())
          for (const key of Object.keys(series)) {
            const place = Array.from(rows.timesMs).indexOf(ms);
            assert.equal(rows.columns.get(key)?.[place], whole.columns.get(key)![row], `${key} at ${ms}`);
          }
    }
  });

  test('a series that only one of the windows has is without values in the others', () => {
    const parts = [frameOf([0], { a: [1] }), frameOf([1], { b: [2] }), frameOf([2], { a: [3] })];
    const { timesMs, series } = concatColumns(parts.map(readColumns));
    assert.deepEqual([...timesMs], [0, 1000, 2000]);
    const columns = Object.fromEntries(series.map(({ key, values, isFull }) => [key, [[...values], isFull]]));
    assert.deepEqual(columns, {
      a: [[1, Number.NaN, 3], false],
      b: [[Number.NaN, 2, Number.NaN], false],
    });
  });

  test('a full column is numbers as they came, one with holes has undefined in them', () => {
    const rows = mergeColumns([readColumns(frameOf([0, 1], { full: [1, 2], holes: [null, 0] }))]);
    assert.ok(rows.columns.get('full') instanceof Float64Array);
    assert.deepEqual(rows.columns.get('holes'), [undefined, 0]);
  });

  test('of a key in two frames the later one counts', () => {
    const rows = mergeColumns([
      readColumns(frameOf([0, 1], { a: [1, 1] })),
      readColumns(frameOf([1], { a: [2] })),
    ]);
    assert.deepEqual(rows.columns.get('a'), [undefined, 2]);
  });

  test('no frames give no rows', () => {
    const rows = mergeColumns([]);
    assert.equal(rows.timesMs.length, 0);
    assert.equal(rows.columns.size, 0);
  });

  test('an answer moves to another thread with all its columns', () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        result: { meta: { total: 1 }, data: frameOf([0, 1], { a: [1, null] }) },
      }),
    );
    const answer = parseAnswer(bytes.buffer);
    const moved = structuredClone(answer, { transfer: transferable(answer) });
    assert.equal(answer.result!.data.timesMs.length, 0, 'what was moved is not copied');
    assert.deepEqual([...moved.result!.data.series[0]!.values], [1, Number.NaN]);
    assert.deepEqual(transferable({ error: { code: 1 } }), []);
  });
});

suite('rows searched', () => {
  test('the nearest row is the nearest', () => {
    const random = randomOf(3);
    for (let round = 0; round < 300; round++) {
      const times = ascending(random, 1 + Math.floor(random() * 20));
      const atMs = random() * 120 - 10;
      const found = Math.abs(times[nearestRow(times, atMs)]! - atMs);
      assert.equal(found, Math.min(...times.map((each) => Math.abs(each - atMs))));
    }
  });

  test('gaps lie between values that are further apart than allowed, and nowhere else', () => {
    const random = randomOf(4);
    for (let round = 0; round < 200; round++) {
      const times = ascending(random, 25);
      const column: Column = times.map(() => (random() < 0.4 ? undefined : 1));
      const gapMs = random() * 20;
      const rows = times.map((_, row) => row).filter((row) => column[row] !== undefined);
      const expected = rows
        .slice(1)
        .flatMap((row, i) => (times[row]! - times[rows[i]!]! > gapMs ? [[rows[i], row]] : []));
      const gaps = findGaps(times, column, gapMs);
      assert.deepEqual(gaps, expected);
      const lonely = rows.filter((row, i) => {
        const isCut = (a: number | undefined, b: number | undefined) =>
          a === undefined || b === undefined || gaps.some(([from, to]) => from === a && to === b);
        return isCut(rows[i - 1], row) && isCut(row, rows[i + 1]);
      });
      assert.deepEqual(findLonely(column, gaps), lonely);
    }
  });

  test('a bucket of a day or a month may be longer than usual without a gap', () => {
    const october = [at('2026-10-24T22:00:00Z'), at('2026-10-25T23:00:00Z')];
    assert.deepEqual(findGaps(october, [1, 1], 0, day), []);
    const months = [at('2026-01-01'), at('2026-02-01')];
    assert.deepEqual(findGaps(months, [1, 1], 0, 30.4 * day), []);
    assert.deepEqual(findGaps([0, 2 * day], [1, 1], 0, day), [[0, 1]]);
  });

  test('a column without values has no gaps, no lonely rows, and counts none', () => {
    assert.deepEqual(findGaps([0, 1], [undefined, undefined], 0), []);
    assert.deepEqual(findLonely([undefined], []), []);
    assert.equal(countValues([undefined, 0, 1]), 2);
    assert.equal(countValues([]), 0);
  });

  test('the newest point within a window is found for each series', () => {
    const columns = readColumns(
      frameOf([10, 20, 30], { a: [1, 2, 3], b: [4, null, null], c: [null, null, 5] }),
    );
    const last = lastPoints(columns, { fromMs: 10_000, toMs: 30_000 });
    assert.deepEqual(
      [...last],
      [
        ['a', { ms: 20_000, value: 2 }],
        ['b', { ms: 10_000, value: 4 }],
      ],
    );
  });
});

suite('files', () => {
  const rows = mergeColumns([
    readColumns(frameOf([0, 0.5, 3600], { a: [1.5, null, -2e-9], s: [0, 1, null] })),
  ]);
  const columns: FileColumn[] = [
    { key: 'a', title: 'Flow [m³/h]' },
    { key: 's', title: 'State, of "pump"', text: (state) => ['off', '=on'][state]! },
  ];

  test('CSV is read back as it was, with its quotes', () => {
    const lines = parseCsv(printCsv(rows, columns, 'UTC'));
    assert.deepEqual(lines, [
      ['time', 'Flow [m³/h]', 'State, of "pump"'],
      ['1970-01-01T00:00:00Z', '1.5', 'off'],
      ['1970-01-01T00:00:00.5Z', '', "'=on"],
      ['1970-01-01T01:00:00Z', '-2e-9', ''],
    ]);
  });

  test('times of CSV are the same instants in every zone', () => {
    for (const zone of ['Asia/Kathmandu', 'America/St_Johns', 'Europe/Oslo']) {
      const times = parseCsv(printCsv(rows, columns, zone))
        .slice(1)
        .map(([time]) => Date.parse(time!));
      assert.deepEqual(times, Array.from(rows.timesMs), zone);
    }
  });

  test('JSON has times, values with null, and titles; a column that is not there is null', () => {
    const json = JSON.parse(printJson(rows, [...columns, { key: 'gone', title: 'Gone' }]));
    assert.deepEqual(json.times, ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.5Z', '1970-01-01T01:00:00Z']);
    assert.deepEqual(json.series, { a: [1.5, null, -2e-9], s: [0, 1, null], gone: [null, null, null] });
    assert.deepEqual(json.titles, { a: 'Flow [m³/h]', s: 'State, of "pump"', gone: 'Gone' });
  });

  test('names of files are of plain letters and not too long', () => {
    assert.equal(
      fileName('Tank 1: level (größe)', 'csv'),
      'tank-1-level-gro-e.csv'.replace('gro-e', 'gro-e'),
    );
    assert.equal(fileName('///', 'png'), 'data.png');
    assert.equal(fileName('x'.repeat(300), 'json').length, 85);
  });

  test('columns of buckets have every statistic that was loaded, in order, and counts have no unit', () => {
    const item = itemOf('n', { name: 'Flow', engUnit: 'bar' });
    const loaded = loadedOf({ n_count: [1], n_max: [2], n_avg: [1], n_min: [0] });
    assert.deepEqual(fileColumns([item], loaded), [
      { key: 'n_avg', title: 'Flow average [bar]' },
      { key: 'n_min', title: 'Flow minimum [bar]' },
      { key: 'n_max', title: 'Flow maximum [bar]' },
      { key: 'n_count', title: 'Flow count' },
    ]);
  });

  test('columns of states are in the order of their numbers, and have seconds', () => {
    const item = enumOf('s', { 2: 'fault', 10: 'on' });
    const loaded = loadedOf({ s_state_10: [1], s_state_2: [2], s_state_3: [0], s_count: [4] });
    const titles = fileColumns([item], loaded).map(({ title }) => title);
    assert.deepEqual(titles, ['Item s count', 'Item s: fault [s]', 'Item s: state 3 [s]', 'Item s: on [s]']);
  });

  test('columns of points have the texts of states, and what is compared has columns of its own', () => {
    const items = [itemOf('n', { name: 'Flow', engUnit: 'bar' }), enumOf('s')];
    const loaded = {
      ...loadedOf({ n: [1], s: [1], 'previous:n': [2], 'previous:s': [0] }),
      rollup: null,
      compares: 'week',
    } as const;
    const found = fileColumns(items, loaded);
    assert.deepEqual(
      found.map(({ title }) => title),
      ['Flow [bar]', 'Flow, a week earlier [bar]', 'Item s', 'Item s, a week earlier'],
    );
    assert.deepEqual(
      found.map(({ text }) => text?.(1)),
      [undefined, undefined, 'on', 'on'],
    );
  });
});

suite('every point', () => {
  test('points are counted before they are read where they are many, or the window is long', () => {
    const item = itemOf('a', { sampleInterval: 'PT1S' });
    assert.equal(needsCount([item], { fromMs: 0, toMs: day }), false);
    assert.equal(needsCount([item], { fromMs: 0, toMs: 6 * day }), true, 'more than half a million');
    assert.equal(needsCount([itemOf('b', { sampleInterval: 'PT1H' })], { fromMs: 0, toMs: 41 * day }), true);
    assert.equal(
      needsCount([itemOf('b')], { fromMs: 0, toMs: 6 * day }),
      true,
      'one a second where none is declared',
    );
  });

  test('the points of all months are summed, and windows without any are not read', async () => {
    const span = { fromMs: at('2026-01-01'), toMs: at('2026-07-01') };
    const asked: Request[] = [];
    const load = async (request: Request) => {
      asked.push(request);
      return readColumns(
        frameOf([at('2026-01-01') / 1000, at('2026-06-01') / 1000], { a_count: [10, 5], a_avg: [1, 1] }),
      );
    };
    const plan = await countPoints([itemOf('a')], span, 'UTC', load);
    assert.equal(plan.points, 15);
    assert.equal(asked.length, 1);
    assert.ok(plan.slices.every(({ fromMs, toMs }) => toMs > fromMs));
    assert.equal(plan.slices.at(-1)!.toMs, span.toMs, 'a month reaches into the slice after its start');
    assert.ok(!plan.slices.some(({ fromMs, toMs }) => fromMs > at('2026-02-15') && toMs < at('2026-06-01')));
  });
});

/** Whole numbers in ascending order, each once. */
function ascending(random: () => number, count: number): number[] {
  const all = new Set(Array.from({ length: count }, () => Math.floor(random() * 100)));
  return [...all].sort((a, b) => a - b);
}

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const lines = text.split('\r\n').slice(0, -1);
  return lines.map((line) =>
    [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, field]) =>
      field!.startsWith('"') ? field!.slice(1, -1).replaceAll('""', '"') : field!,
    ),
  );
}
