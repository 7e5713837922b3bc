/** Buckets against counting minute by minute on the local clock (Q2-Q4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BucketRule, bucketIndexAt, bucketRuns, countBucketsMax, cutBuckets } from '#model/bucket';
import { dayUs, hourUs, minuteUs } from '#model/duration';
import type { Window } from '#model/window';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Pacific/Apia',
  'America/Sao_Paulo',
];

const clocks = new Map<string, (us: number) => number>();

/** Local time by Intl, which our code does not use; the offset is looked up once for each quarter of an hour. */
function clockOf(timeZone: string): (us: number) => number {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const fields = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields });
  const offsets = new Map<number, number>();
  const offsetAt = (quarter: number) => {
    const ms = quarter * 900_000;
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return (Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - ms) * 1000;
  };
  const clock = (us: number) => {
    const quarter = Math.floor(us / 900e6);
    const offset = offsets.get(quarter) ?? offsetAt(quarter);
    offsets.set(quarter, offset);
    return us + offset;
  };
  clocks.set(timeZone, clock);
  return clock;
}

const zone = fc.constantFrom(...zones);

/** The minutes, to the day, at which the clocks of a zone are changed in a year. */
function changeMinutes(timeZone: string, year: number): number[] {
  const clock = clockOf(timeZone);
  const offsetAt = (us: number) => clock(us) - us;
  const days = Array.from({ length: 366 }, (_, day) => Date.UTC(year, 0, 1 + day) * 1000);
  return days.filter((us) => offsetAt(us) !== offsetAt(us + dayUs)).map((us) => us / minuteUs);
}

/** A zone, and a minute of 1990-2039: any, or soon before a change of its clocks. */
const place = fc.oneof(
  fc.tuple(zone, fc.integer({ min: Date.UTC(1990, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })),
  fc
    .tuple(zone, fc.integer({ min: 1990, max: 2039 }), fc.nat(), fc.integer({ min: -1500, max: 1440 }))
    .map(([timeZone, year, pick, minutes]): [string, number] => {
      const changes = changeMinutes(timeZone, year);
      const change = changes.length === 0 ? Date.UTC(year, 0, 1) / 60_000 : changes[pick % changes.length];
      return [timeZone, change + minutes];
    }),
  fc
    .tuple(fc.constantFrom('Pacific/Apia'), fc.integer({ min: -3000, max: 1500 }))
    .map(([timeZone, minutes]): [string, number] => [timeZone, Date.UTC(2011, 11, 30) / 60_000 + minutes]),
);
const originMinute = fc.integer({ min: Date.UTC(1990, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 });
const firstDayOfWeek = fc.integer({ min: 1, max: 7 });

function windowOf(startMinute: number, minutes: number): Window {
  return { startUs: startMinute * minuteUs, endUs: (startMinute + minutes) * minuteUs };
}

/** The number of the local grid that each minute belongs to: the highest one that the clock has reached by then. */
function countByMinute(rule: BucketRule, widthUs: number, originUs: number, window: Window): number[] {
  const clock = clockOf(rule.timeZone);
  const counts = new Map<number, number>();
  let reached = Number.NEGATIVE_INFINITY;
  for (let us = window.startUs - 3 * hourUs; us < window.endUs; us += minuteUs) {
    reached = Math.max(reached, Math.floor((clock(us) - originUs) / widthUs));
    if (us >= window.startUs) counts.set(reached, (counts.get(reached) ?? 0) + 1);
  }
  return [...counts.values()];
}

function everyMinute(window: Window): Float64Array {
  const count = (window.endUs - window.startUs) / minuteUs;
  return Float64Array.from({ length: count }, (_, i) => window.startUs + i * minuteUs);
}

function countByBuckets(rule: BucketRule, window: Window): number[] {
  const buckets = cutBuckets(rule, window);
  const { first, starts } = bucketRuns(everyMinute(window), window, buckets);
  const counts = new Array<number>(buckets.edgesUs.length - 1).fill(0);
  for (let i = 0; i + 1 < starts.length; i++) counts[first + i] = starts[i + 1] - starts[i];
  return counts;
}

/** Saturday 2000-01-01 is day 6. */
function weekOriginUs(firstDayOfWeek: number): number {
  let day = 1;
  while ((day + 4) % 7 !== firstDayOfWeek - 1) day++;
  return Date.UTC(2000, 0, day) * 1000;
}

const hours = fc.constantFrom(90, 120, 180, 360, 720, 1440, 2880, 10_080, 90 * 7);

test('Q2 Q3 local widths are what counting minute by minute gives', () => {
  fc.assert(
    fc.property(
      place,
      fc.integer({ min: 1, max: 4000 }),
      hours,
      firstDayOfWeek,
      ([timeZone, start], length, minutes, day) => {
        const rule: BucketRule = {
          width: { kind: 'fixed', us: minutes * minuteUs },
          timeZone,
          firstDayOfWeek: day,
          originUs: null,
        };
        const window = windowOf(start, length);
        const expected = countByMinute(rule, minutes * minuteUs, weekOriginUs(day), window);
        assert.deepEqual(countByBuckets(rule, window), expected);
      },
    ),
    { numRuns: 400 },
  );
});

test('Q2 Q3 an origin moves the local grid', () => {
  fc.assert(
    fc.property(
      place,
      originMinute,
      fc.integer({ min: 1, max: 3000 }),
      hours,
      ([timeZone, start], origin, length, minutes) => {
        const originUs = origin * minuteUs;
        const rule: BucketRule = {
          width: { kind: 'fixed', us: minutes * minuteUs },
          timeZone,
          firstDayOfWeek: 1,
          originUs,
        };
        const window = windowOf(start, length);
        const expected = countByMinute(rule, minutes * minuteUs, clockOf(timeZone)(originUs), window);
        assert.deepEqual(countByBuckets(rule, window), expected);
      },
    ),
    { numRuns: 100 },
  );
});

test('Q3 widths of up to an hour are elapsed time, counted from local midnight', () => {
  const short = fc.constantFrom(1, 5, 7, 15, 30, 60);
  fc.assert(
    fc.property(place, fc.integer({ min: 1, max: 1500 }), short, ([timeZone, start], length, minutes) => {
      const rule: BucketRule = {
        width: { kind: 'fixed', us: minutes * minuteUs },
        timeZone,
        firstDayOfWeek: 1,
        originUs: null,
      };
      const window = windowOf(start, length);
      const { edgesUs, stepUs } = cutBuckets(rule, window);
      assert.equal(stepUs, minutes * minuteUs);
      const offsetUs = clockOf(timeZone)(weekOriginUs(1)) - weekOriginUs(1);
      for (const us of edgesUs)
        assert.equal(Math.abs((us - weekOriginUs(1) + offsetUs) % (minutes * minuteUs)), 0);
      assert.ok(edgesUs[0] <= window.startUs && window.startUs < edgesUs[1]);
      assert.ok(edgesUs[edgesUs.length - 2] < window.endUs && window.endUs <= edgesUs[edgesUs.length - 1]);
    }),
  );
});

test('Q2 Q3 months and years begin where the local date changes to the first of a month of the grid', () => {
  fc.assert(
    fc.property(
      place,
      fc.integer({ min: 1, max: 500 }),
      fc.constantFrom(1, 2, 3, 12, 24),
      ([timeZone, start], days, months) => {
        const rule: BucketRule = {
          width: { kind: 'calendar', months },
          timeZone,
          firstDayOfWeek: 1,
          originUs: null,
        };
        const window = windowOf(start, days * 1440);
        const { edgesUs } = cutBuckets(rule, window);
        const clock = clockOf(timeZone);
        const gridIndex = (us: number) => {
          const local = new Date(clock(us) / 1000);
          return Math.floor(((local.getUTCFullYear() - 2000) * 12 + local.getUTCMonth()) / months);
        };
        for (let i = 0; i < edgesUs.length; i++) {
          assert.equal(gridIndex(edgesUs[i]), gridIndex(edgesUs[i] - minuteUs) + 1);
          if (i > 0) assert.equal(gridIndex(edgesUs[i] - minuteUs), gridIndex(edgesUs[i - 1]));
        }
        assert.ok(edgesUs[0] <= window.startUs && window.startUs < edgesUs[1]);
        assert.ok(edgesUs[edgesUs.length - 2] < window.endUs && window.endUs <= edgesUs[edgesUs.length - 1]);
      },
    ),
  );
});

const anyWidth: fc.Arbitrary<BucketRule['width']> = fc.oneof(
  fc.constantFrom(
    ...[1, 5, 60, 90, 360, 1440, 2880, 10_080].map((minutes) => ({
      kind: 'fixed' as const,
      us: minutes * minuteUs,
    })),
  ),
  fc.constantFrom(1, 3, 12).map((months) => ({ kind: 'calendar' as const, months })),
);

test('Q4 Q9 buckets around the window are those of a wider window; the estimate is never too low', () => {
  const extra = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(
      place,
      fc.integer({ min: 1, max: 6000 }),
      anyWidth,
      extra,
      extra,
      ([timeZone, start], length, width, before, after) => {
        const rule: BucketRule = { width, timeZone, firstDayOfWeek: 1, originUs: null };
        const window = windowOf(start, length);
        const { edgesUs } = cutBuckets(rule, window);
        const wide = cutBuckets(rule, window, before, after).edgesUs;
        assert.equal(wide.length, edgesUs.length + before + after);
        assert.deepEqual(wide.slice(before, before + edgesUs.length), edgesUs);
        assert.deepEqual(cutBuckets(rule, { startUs: wide[0], endUs: wide[wide.length - 1] }).edgesUs, wide);
        assert.ok(edgesUs.length - 1 <= countBucketsMax(rule, window));
      },
    ),
  );
});

test('Q3 an instant is in the bucket whose edges are around it', () => {
  fc.assert(
    fc.property(
      place,
      fc.integer({ min: 1, max: 6000 }),
      anyWidth,
      fc.double({ min: -0.2, max: 1.2, noNaN: true }),
      ([timeZone, start], length, width, at) => {
        const window = windowOf(start, length);
        const buckets = cutBuckets({ width, timeZone, firstDayOfWeek: 1, originUs: null }, window);
        const { edgesUs } = buckets;
        const us = Math.round(edgesUs[0] + at * (edgesUs[edgesUs.length - 1] - edgesUs[0]));
        const index = edgesUs.findLastIndex((edge) => edge <= us);
        assert.equal(bucketIndexAt(buckets, us), index === edgesUs.length - 1 ? -1 : index);
      },
    ),
    { numRuns: 300 },
  );
});

test('Q3 a day is never longer than a day and an hour nor shorter by more, but for days that clocks left out', () => {
  fc.assert(
    fc.property(place, ([timeZone, start]) => {
      const rule: BucketRule = {
        width: { kind: 'fixed', us: dayUs },
        timeZone,
        firstDayOfWeek: 1,
        originUs: null,
      };
      const { edgesUs } = cutBuckets(rule, windowOf(start, 14_400));
      for (let i = 1; i < edgesUs.length; i++) {
        const minutes = (edgesUs[i] - edgesUs[i - 1]) / minuteUs;
        assert.ok([1380, 1410, 1440, 1470, 1500].includes(minutes), `${minutes} minutes`);
      }
    }),
  );
});
