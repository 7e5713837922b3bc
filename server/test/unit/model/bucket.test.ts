/** Buckets where clocks are changed, days left out, weeks begun on other days (Q2-Q4). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  type BucketRule,
  bucketIndexAt,
  bucketRuns,
  countBucketsMax,
  cutBuckets,
  cutInSteps,
  withEdges,
  withoutEdges,
} from '#model/bucket';
import { parseDuration } from '#model/duration';
import { AppError } from '#model/error';
import { parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';

interface Case {
  title: string;
  width: string;
  zone?: string;
  /** `from before`. */
  window: string;
  more?: Partial<BucketRule>;
  edges: string[];
}

function cut({ width, zone = 'UTC', window, more = {} }: Omit<Case, 'title' | 'edges'>) {
  const [startUs, endUs] = window.split(' ').map(parseInstant);
  const rule: BucketRule = {
    width: width === 'window' ? width : parseDuration(width),
    timeZone: zone,
    firstDayOfWeek: 1,
    originUs: null,
    ...more,
  };
  return cutBuckets(rule, { startUs, endUs });
}

const cases: Case[] = [
  {
    title: 'Q3 a day that spans the autumn change has 25 hours, one that spans the spring change 23',
    width: 'P1D',
    zone: 'Europe/Berlin',
    window: '2024-10-26T22:00:00Z 2024-10-28T23:00:00Z',
    edges: ['2024-10-26T22:00:00Z', '2024-10-27T23:00:00Z', '2024-10-28T23:00:00Z'],
  },
  {
    title: 'Q3 PT24H is P1D',
    width: 'PT24H',
    zone: 'Europe/Berlin',
    window: '2024-03-31T00:00:00Z 2024-03-31T12:00:00Z',
    edges: ['2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z'],
  },
  {
    title: 'Q3 PT6H starts at 00, 06, 12, 18 local time',
    width: 'PT6H',
    zone: 'America/New_York',
    window: '2024-03-10T06:00:00Z 2024-03-11T04:00:00Z',
    edges: [
      '2024-03-10T05:00:00Z',
      '2024-03-10T10:00:00Z',
      '2024-03-10T16:00:00Z',
      '2024-03-10T22:00:00Z',
      '2024-03-11T04:00:00Z',
    ],
  },
  {
    title: 'Q3 PT2H: the local start 02:00 that does not exist moves forward to 03:00',
    width: 'PT2H',
    zone: 'Europe/Berlin',
    window: '2024-03-30T23:00:00Z 2024-03-31T04:00:00Z',
    edges: ['2024-03-30T23:00:00Z', '2024-03-31T01:00:00Z', '2024-03-31T02:00:00Z', '2024-03-31T04:00:00Z'],
  },
  {
    title: 'Q3 PT2H: of the local start 02:00 that occurs twice the first is meant',
    width: 'PT2H',
    zone: 'Europe/Berlin',
    window: '2024-10-26T22:00:00Z 2024-10-27T05:00:00Z',
    edges: ['2024-10-26T22:00:00Z', '2024-10-27T00:00:00Z', '2024-10-27T03:00:00Z', '2024-10-27T05:00:00Z'],
  },
  {
    title: 'Q3 PT1H is elapsed time, twice 02:00 in autumn',
    width: 'PT1H',
    zone: 'Europe/Berlin',
    window: '2024-10-26T23:30:00Z 2024-10-27T02:00:00Z',
    edges: ['2024-10-26T23:00:00Z', '2024-10-27T00:00:00Z', '2024-10-27T01:00:00Z', '2024-10-27T02:00:00Z'],
  },
  {
    title: 'Q3 PT90M follows the local clock from the origin',
    width: 'PT90M',
    window: '2000-01-03T00:00:00Z 2000-01-03T04:00:00Z',
    edges: ['2000-01-03T00:00:00Z', '2000-01-03T01:30:00Z', '2000-01-03T03:00:00Z', '2000-01-03T04:30:00Z'],
  },
  {
    title: 'Q3 a day that does not exist has no bucket',
    width: 'P1D',
    zone: 'Pacific/Apia',
    window: '2011-12-29T00:00:00Z 2011-12-31T12:00:00Z',
    edges: [
      '2011-12-28T10:00:00Z',
      '2011-12-29T10:00:00Z',
      '2011-12-30T10:00:00Z',
      '2011-12-31T10:00:00Z',
      '2012-01-01T10:00:00Z',
    ],
  },
  {
    title: 'Q3 nor do its quarters',
    width: 'PT6H',
    zone: 'Pacific/Apia',
    window: '2011-12-30T04:00:00Z 2011-12-30T16:00:00Z',
    edges: ['2011-12-30T04:00:00Z', '2011-12-30T10:00:00Z', '2011-12-30T16:00:00Z'],
  },
  {
    title: 'Q3 a midnight that does not exist moves forward',
    width: 'P1D',
    zone: 'America/Sao_Paulo',
    window: '2018-11-03T12:00:00Z 2018-11-05T02:00:00Z',
    edges: ['2018-11-03T03:00:00Z', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
  },
  {
    title: 'Q3 of a midnight that occurs twice the first is meant',
    width: 'P1D',
    zone: 'America/Havana',
    window: '2024-11-02T12:00:00Z 2024-11-04T05:00:00Z',
    edges: ['2024-11-02T04:00:00Z', '2024-11-03T04:00:00Z', '2024-11-04T05:00:00Z'],
  },
  {
    title: 'Q3 half an hour of summer time',
    width: 'P1D',
    zone: 'Australia/Lord_Howe',
    window: '2024-04-05T13:00:00Z 2024-04-07T13:30:00Z',
    edges: ['2024-04-05T13:00:00Z', '2024-04-06T13:00:00Z', '2024-04-07T13:30:00Z'],
  },
  {
    title: 'Q2 short buckets are aligned to local midnight where the offset is no whole hour',
    width: 'PT1H',
    zone: 'Asia/Kolkata',
    window: '2024-01-01T00:00:00Z 2024-01-01T01:00:00Z',
    edges: ['2023-12-31T23:30:00Z', '2024-01-01T00:30:00Z', '2024-01-01T01:30:00Z'],
  },
  {
    title: 'Q2 weeks begin on Monday',
    width: 'P1W',
    window: '2024-01-03T00:00:00Z 2024-01-08T00:00:00Z',
    edges: ['2024-01-01T00:00:00Z', '2024-01-08T00:00:00Z'],
  },
  {
    title: 'Q2 weeks begin on Sunday when that is the first day',
    width: 'P1W',
    window: '2024-01-03T00:00:00Z 2024-01-08T00:00:00Z',
    more: { firstDayOfWeek: 7 },
    edges: ['2023-12-31T00:00:00Z', '2024-01-07T00:00:00Z', '2024-01-14T00:00:00Z'],
  },
  {
    title: 'Q2 two days are counted from the first day of week in 2000',
    width: 'P2D',
    window: '2000-01-02T00:00:00Z 2000-01-05T00:00:00Z',
    edges: ['2000-01-01T00:00:00Z', '2000-01-03T00:00:00Z', '2000-01-05T00:00:00Z'],
  },
  {
    title: 'Q2 an origin overrides the first day of week',
    width: 'P1W',
    window: '2024-01-03T00:00:00Z 2024-01-08T00:00:00Z',
    more: { originUs: parseInstant('2030-05-01T06:00:00Z'), firstDayOfWeek: 7 },
    edges: ['2023-12-27T06:00:00Z', '2024-01-03T06:00:00Z', '2024-01-10T06:00:00Z'],
  },
  {
    title: 'Q2 an origin moves short buckets by fractions',
    width: 'PT10S',
    window: '2024-01-01T00:00:00Z 2024-01-01T00:00:10Z',
    more: { originUs: 2_500_000 },
    edges: ['2023-12-31T23:59:52.5Z', '2024-01-01T00:00:02.5Z', '2024-01-01T00:00:12.5Z'],
  },
  {
    title: 'Q2 months are counted from 2000-01 in the zone',
    width: 'P1M',
    zone: 'America/New_York',
    window: '2024-03-01T00:00:00Z 2024-03-20T00:00:00Z',
    edges: ['2024-02-01T05:00:00Z', '2024-03-01T05:00:00Z', '2024-04-01T04:00:00Z'],
  },
  {
    title: 'Q2 quarters',
    width: 'P3M',
    window: '1999-12-31T00:00:00Z 2000-04-02T00:00:00Z',
    edges: ['1999-10-01T00:00:00Z', '2000-01-01T00:00:00Z', '2000-04-01T00:00:00Z', '2000-07-01T00:00:00Z'],
  },
  {
    title: 'Q2 years',
    width: 'P1Y',
    zone: 'Asia/Kolkata',
    window: '2024-06-01T00:00:00Z 2024-07-01T00:00:00Z',
    edges: ['2023-12-31T18:30:00Z', '2024-12-31T18:30:00Z'],
  },
  {
    title: 'Q2 five months are counted from 2000-01, backwards too',
    width: 'P5M',
    window: '1999-08-01T00:00:00Z 2000-01-01T00:00:00Z',
    edges: ['1999-08-01T00:00:00Z', '2000-01-01T00:00:00Z'],
  },
  {
    title: 'Q2 months from an origin on the 31st end with shorter months',
    width: 'P1M',
    window: '2024-02-01T00:00:00Z 2024-04-01T00:00:00Z',
    more: { originUs: parseInstant('2023-12-31T06:00:00Z') },
    edges: ['2024-01-31T06:00:00Z', '2024-02-29T06:00:00Z', '2024-03-31T06:00:00Z', '2024-04-30T06:00:00Z'],
  },
  {
    title: 'Q4 window is one bucket',
    width: 'window',
    window: '2024-02-01T00:00:01Z 2024-04-01T00:00:00Z',
    edges: ['2024-02-01T00:00:01Z', '2024-04-01T00:00:00Z'],
  },
  {
    title: 'R3 at the ends of time',
    width: 'P10000Y',
    window: '1684-07-28T00:12:25.259008Z 1684-07-29T00:00:00Z',
    edges: [],
  },
];
for (const one of cases) {
  test(one.title, () => {
    const { edgesUs, stepUs } = cut(one);
    if (one.edges.length > 0) assert.deepEqual([...edgesUs].map(printInstant), one.edges);
    const widths = new Set([...edgesUs.slice(1)].map((us, i) => us - edgesUs[i]));
    assert.equal(stepUs, widths.size === 1 ? [...widths][0] : null);
  });
}

test('Q3 an unknown zone is an error, and so are offsets and malformed names', () => {
  for (const zone of [
    'Mars/Phobos',
    '',
    '+01:00',
    'UTC+1',
    'Europe/Berlin\0',
    '../UTC',
    '2024-01-01T00:00[UTC]',
    'x'.repeat(1000),
  ]) {
    assert.throws(
      () => cut({ width: 'P1D', zone, window: '2024-01-01T00:00:00Z 2024-01-02T00:00:00Z' }),
      (error) =>
        error instanceof AppError &&
        error.kind === 'invalid-params' &&
        /TZ database name/.test(error.message),
    );
  }
});

test('Q3 many zones, near and far in time, one after the other', () => {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 100);
  for (const year of ['2024', '1850', '2200', '2024']) {
    for (const zone of zones) {
      const { edgesUs } = cut({
        width: 'P1D',
        zone,
        window: `${year}-06-01T00:00:00Z ${year}-06-10T00:00:00Z`,
      });
      assert.ok(edgesUs.length === 10 || edgesUs.length === 11);
    }
  }
});

test('L3 the number of buckets is estimated without making them', () => {
  const rule: BucketRule = {
    width: { kind: 'fixed', us: 1 },
    timeZone: 'UTC',
    firstDayOfWeek: 1,
    originUs: null,
  };
  assert.ok(countBucketsMax(rule, { startUs: -(2 ** 53), endUs: 2 ** 53 }) >= 2 ** 54);
});

test('Q4 only points inside the window count, bucket ends are exclusive', () => {
  const buckets = { edgesUs: Float64Array.of(0, 10, 20, 30), stepUs: 10 };
  const timesUs = Float64Array.of(-1, 0, 3, 9, 10, 29, 30, 31);
  const runsIn = (startUs: number, endUs: number, times = timesUs) => {
    const { first, starts } = bucketRuns(times, { startUs, endUs }, buckets);
    return [first, ...starts];
  };
  assert.deepEqual(runsIn(3, 29), [0, 2, 4, 5]);
  assert.deepEqual(runsIn(-5, 99), [0, 1, 4, 5, 6]);
  assert.deepEqual(runsIn(10, 99), [1, 4, 5, 6]);
  assert.deepEqual(runsIn(4, 9), [0, 0]);
  assert.deepEqual(runsIn(0, 9, new Float64Array(0)), [0, 0]);
  assert.deepEqual(
    [-1, 0, 9, 10, 29, 30].map((us) => bucketIndexAt(buckets, us)),
    [-1, 0, 0, 1, 2, -1],
  );
});

test('Q3 where Temporal is not native the same buckets come out', async () => {
  const program = `
    const { cutBuckets } = await import('#model/bucket');
    const out = [typeof globalThis.Temporal];
    for (const timeZone of ['Europe/Berlin', 'Pacific/Apia', 'Africa/Casablanca', 'Australia/Lord_Howe'])
      for (const year of [1935, 1995, 2011, 2024])
        out.push(...cutBuckets({ width: { kind: 'fixed', us: 86400e6 }, timeZone, firstDayOfWeek: 1, originUs: null },
          { startUs: Date.UTC(year, 0) * 1000, endUs: Date.UTC(year + 1, 0) * 1000 }).edgesUs);
    console.log(JSON.stringify(out));`;
  const run = async (...flags: string[]) => {
    const options = { cwd: new URL('../../..', import.meta.url), timeout: 60_000 };
    const args = [...flags, '--input-type=module', '-e', program];
    return JSON.parse((await promisify(execFile)(process.execPath, args, options)).stdout);
  };
  const [[, ...expected], [temporal, ...actual]] = await Promise.all([run(), run('--no-harmony-temporal')]);
  assert.equal(temporal, 'undefined');
  assert.deepEqual(actual, expected);
});

test('Q2 E3b many buckets are cut in steps, and sent without their edges where these follow from the width', () => {
  const rule: BucketRule = {
    width: { kind: 'fixed', us: 1e6 },
    ...{ timeZone: 'UTC', firstDayOfWeek: 1, originUs: null },
  };
  const window = { startUs: 500_000, endUs: 10_000e6 };
  const steps = [...cutInSteps(rule, window)];
  assert.ok(steps.length > 1 && Math.max(...steps) <= 4096);
  const buckets = cutBuckets(rule, window);
  assert.deepEqual(
    buckets.edgesUs,
    Float64Array.from({ length: 10_001 }, (_, i) => i * 1e6),
  );
  assert.ok(!('edgesUs' in withoutEdges(buckets)));
  assert.deepEqual(withEdges(withoutEdges(buckets)), buckets);
  const days = cutBuckets(
    { ...rule, timeZone: 'Europe/Oslo', width: { kind: 'calendar', months: 1 } },
    { startUs: 0, endUs: 1e13 },
  );
  assert.equal(withoutEdges(days), days);
});
