/** Addresses, ranges, widths and calls of the explorer: what is chosen, and what is asked for it. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SavedView } from '@tidemark/client/wire';
import { placeOf, rowAfter, spanOfRows } from '../src/features/explorer/chart-keys.ts';
import { cutView } from '../src/features/explorer/cut.ts';
import { searchFilter } from '../src/features/explorer/item.ts';
import { labelTree, withItems } from '../src/features/explorer/label-tree.ts';
import {
  absoluteRange,
  isBackwards,
  isRangeEnd,
  isRelative,
  nameRange,
  readEnd,
  resolveRange,
  shiftSpan,
  shortcuts,
  spanLengthMs,
  stretchSpan,
  tidySpan,
  wholeSpan,
} from '../src/features/explorer/range.ts';
import { dataQuery, dataRequests, pointsAround } from '../src/features/explorer/request.ts';
import { matchViews, placeOf as placeOfView, savedQuery } from '../src/features/explorer/saved-view.ts';
import { slicesOf } from '../src/features/explorer/slices.ts';
import { moveBy, movedByKey } from '../src/features/explorer/strip-moves.ts';
import { stripSpan } from '../src/features/explorer/strip-span.ts';
import {
  emptyView,
  itemsMax,
  parseView,
  pinsMax,
  printView,
  type View,
} from '../src/features/explorer/view.ts';
import { isAllowed, niceWidths, reduce, sayWidth } from '../src/features/explorer/width.ts';
import { toggled } from '../src/parts/toggled.ts';
import { enumOf, itemOf } from './support/items.ts';
import { randomOf } from './support/random.ts';
import { at, day, hour, minute } from './support/times.ts';

const utc = { zone: 'UTC', firstDay: 1 };
const now = at('2026-11-20T10:30:00Z');
const [first, second] = ['cbpmaq6rpn52969vfl00', 'cbpmaq6rpn52969vfl0g'] as [string, string];

suite('ranges', () => {
  test('every shortcut is a range that ends after it begins, and has its own name', () => {
    for (const { name, from, to } of shortcuts) {
      const { fromMs, toMs } = resolveRange({ from, to }, now, utc);
      assert.ok(fromMs < toMs, name);
      assert.ok(isRangeEnd(from) && isRangeEnd(to) && isRelative({ from, to }));
      assert.equal(nameRange({ from, to }), name);
      assert.equal(isBackwards({ from, to }, now, utc), false, name);
    }
  });

  const relative = [
    ['now-90s', 'now', now - 90_000, now],
    ['now/h', 'now/h', at('2026-11-20T10:00:00Z'), at('2026-11-20T11:00:00Z')],
    ['now-1d/d', 'now-1d/d', at('2026-11-19'), at('2026-11-20')],
    ['now/w', 'now', at('2026-11-16'), now],
    ['now-1M/M', 'now-1M/M', at('2026-10-01'), at('2026-11-01')],
    ['now-1y/y', 'now-1y/y', at('2025-01-01'), at('2026-01-01')],
    ['now', 'now+2d', now, now + 2 * day],
  ] as const;
  for (const [from, to, fromMs, toMs] of relative)
    test(`${from} to ${to}`, () => assert.deepEqual(resolveRange({ from, to }, now, utc), { fromMs, toMs }));

  test('weeks begin on the chosen day', () => {
    const sunday = resolveRange({ from: 'now/w', to: 'now/w' }, now, { zone: 'UTC', firstDay: 7 });
    assert.deepEqual(sunday, { fromMs: at('2026-11-15'), toMs: at('2026-11-22') });
  });

  test('ends the wrong way round are put right, and none is shorter than a millisecond', () => {
    const backwards = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    assert.equal(isBackwards(backwards, now, utc), true);
    assert.deepEqual(resolveRange(backwards, now, utc), { fromMs: at('2026-01-01'), toMs: at('2026-01-02') });
    const same = resolveRange({ from: 'now', to: 'now' }, now, utc);
    assert.deepEqual(same, { fromMs: now, toMs: now + 1 });
    assert.equal(isBackwards({ from: 'now', to: 'now-1h' }, now, utc), true);
    assert.equal(isBackwards({ from: 'now', to: 'now/d' }, now, utc), false, 'today ends at midnight');
  });

  test('ends are typed as times of the zone, as RFC 3339, or relative to now', () => {
    const ends = [
      ['2026-11-20 10:30', '2026-11-20T09:30:00Z'],
      ['2026-11-20', '2026-11-19T23:00:00Z'],
      ['2026-11-20 10:30:15.250', '2026-11-20T09:30:15.250Z'],
      ['2026-11-20T10:30:00Z', '2026-11-20T10:30:00Z'],
      ['2026-11-20T10:30:00+05:45', '2026-11-20T10:30:00+05:45'],
      [' now-6h ', 'now-6h'],
      ['now/w', 'now/w'],
      ['now-6', null],
      ['yesterday', null],
      ['2026-13-01', null],
      ['', null],
    ] as const;
    for (const [text, end] of ends) assert.equal(readEnd(text, 'Europe/Oslo'), end, text);
  });

  test('names are those of people, also of ranges that are no shortcut', () => {
    assert.equal(nameRange({ from: 'now-1h', to: 'now' }), 'Last hour');
    assert.equal(nameRange({ from: 'now-3w', to: 'now' }), 'Last 3 weeks');
    assert.equal(nameRange({ from: 'now-1M', to: 'now' }), 'Last month');
    assert.equal(nameRange({ from: 'now-3w/w', to: 'now' }), null);
    assert.equal(nameRange({ from: 'now+3w', to: 'now' }), null);
  });

  test('a span that is stretched keeps the point under the pointer, within its limits', () => {
    const random = randomOf(5);
    for (let round = 0; round < 200; round++) {
      const span = { fromMs: 0, toMs: 1000 + random() * 1e9 };
      const [factor, around] = [0.1 + random() * 4, random()];
      const next = stretchSpan(span, factor, around);
      const before = span.fromMs + (span.toMs - span.fromMs) * around;
      const after = next.fromMs + (next.toMs - next.fromMs) * around;
      assert.ok(Math.abs(before - after) <= 1.5);
    }
    assert.equal(stretchSpan({ fromMs: 0, toMs: 1 }, 0.5).toMs, spanLengthMs.min);
  });

  test('a span moves there and back to where it was', () => {
    const span = { fromMs: 100, toMs: 1100 };
    assert.deepEqual(shiftSpan(shiftSpan(span, -0.5), 0.5), span);
    assert.deepEqual(shiftSpan(span, 2), { fromMs: 2100, toMs: 3100 });
  });

  test('what is read off a chart is rounded to seconds or minutes, never to nothing', () => {
    assert.deepEqual(tidySpan({ fromMs: 31_000, toMs: 31_000 + 3000 * minute }), {
      fromMs: minute,
      toMs: minute + 3000 * minute,
    });
    const tiny = tidySpan({ fromMs: 0.2, toMs: 0.4 });
    assert.equal(tiny.toMs - tiny.fromMs, 1);
  });

  test('all data has a margin, also where it is a single point', () => {
    assert.deepEqual(wholeSpan({ fromMs: 0, toMs: 1_000_000 }), { fromMs: -10_000, toMs: 1_010_000 });
    assert.deepEqual(wholeSpan({ fromMs: 5000, toMs: 5000 }), { fromMs: 4000, toMs: 6000 });
    assert.deepEqual(absoluteRange({ fromMs: 0, toMs: 1 }), {
      from: '1970-01-01T00:00:00Z',
      to: '1970-01-01T00:00:00.001Z',
    });
  });
});

suite('addresses', () => {
  const parts: [keyof View, unknown, string][] = [
    ['items', [first, second], `items=${first}.${second}`],
    ['range', { from: 'now-2h', to: 'now' }, 'from=now-2h&to=now'],
    ['zone', 'Asia/Tokyo', 'zone=Asia%2FTokyo'],
    ['rollup', 'PT5M', 'rollup=PT5M'],
    ['rollup', 'raw', 'rollup=raw'],
    ['statistic', 'sum', 'show=sum'],
    ['hasBand', false, 'band=0'],
    ['line', 'bars', 'line=bars'],
    ['axes', 'shared', 'axes=shared'],
    ['firstDay', 7, 'week=7'],
    ['compares', 'year', 'vs=year'],
    ['isLive', true, 'live=1'],
    ['tab', 'table', 'tab=table'],
    ['hasReadout', false, 'legend=0'],
    ['pins', [0, 1_000_000], 'pins=0.lfls'],
  ];
  for (const [key, value, text] of parts)
    test(`${text} is ${key}`, () => {
      const view = { ...emptyView, [key]: value };
      const search = Object.entries(printView(view)).filter(
        (part): part is [string, string] => part[1] !== null,
      );
      assert.equal(new URLSearchParams(search).toString(), text);
      assert.deepEqual(parseView(new URLSearchParams(text)), view);
    });

  test('what is about items counts only for items of the view', () => {
    const text = `items=${first}&off=${first}.${second}&own=${second}&y=${second}~1~2,${first}~~5`;
    const view = parseView(new URLSearchParams(text));
    assert.deepEqual([...view.hidden], [first]);
    assert.deepEqual([...view.own], []);
    assert.deepEqual([...view.ranges], [[first, { low: null, high: 5 }]]);
  });

  test('parts that nobody could mean are as if they were not there', () => {
    const wrong = [
      'items=short.x',
      'from=tomorrow',
      'zone=Nowhere/At-all',
      'rollup=5m',
      'show=median',
      'line=wave',
      'axes=3',
      'week=0',
      'week=1.5',
      'vs=decade',
      'tab=map',
      'pins=-!.',
      `y=${first}~a~b`,
    ];
    for (const text of wrong) assert.deepEqual(parseView(new URLSearchParams(text)), emptyView, text);
  });

  test('no more items and pins are taken than a chart can have, and each once', () => {
    const ids = Array.from({ length: 60 }, (_, i) => i.toString(32).padStart(20, '0'));
    assert.equal(
      parseView(new URLSearchParams({ items: [...ids, ...ids].join('.') })).items.length,
      itemsMax,
    );
    const pins = Array.from({ length: 12 }, (_, i) => i.toString(36)).join('.');
    assert.equal(parseView(new URLSearchParams({ pins: `${pins}.0.1` })).pins.length, pinsMax);
  });

  test('a set loses what it has and gains what it has not, and stays as it was', () => {
    const set = new Set(['a']);
    assert.deepEqual([...toggled(set, 'a')], []);
    assert.deepEqual([...toggled(set, 'b')], ['a', 'b']);
    assert.deepEqual([...set], ['a']);
  });
});

suite('saved views', () => {
  const viewOf = (name: string, query: string): SavedView => ({
    ...{ id: name, name, query, owner: { id: 'p', name: 'Ada' }, mine: true },
    ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
  });

  test('equal views have equal queries, whatever the order of their parts; live is not saved', () => {
    const query = savedQuery('/explorer', { to: 'now', items: first, live: '1', zone: null, show: '' });
    assert.equal(query, savedQuery('/explorer', { items: first, to: 'now' }));
    assert.equal(query, `items=${first}&to=now`);
  });

  test('a saved view is opened on its page with its parts', () => {
    const query = savedQuery('/formulas', { f: '[[],[["a","1 + 2"]],[]]', from: 'now-1d' });
    assert.deepEqual(placeOfView(query), {
      page: '/formulas',
      search: { f: '[[],[["a","1 + 2"]],[]]', from: 'now-1d' },
    });
    assert.deepEqual(placeOfView('items=x'), { page: '/explorer', search: { items: 'x' } });
  });

  test('views of this page come first, by name, and only those that match', () => {
    const views = [viewOf('Tank', 'items=a'), viewOf('pump b', 'page=formulas'), viewOf('Pump a', 'items=b')];
    const names = (text: string, page: '/explorer' | '/formulas') =>
      matchViews(views, text, page).map(({ name }) => name);
    assert.deepEqual(names('', '/explorer'), ['Pump a', 'Tank', 'pump b']);
    assert.deepEqual(names(' PUMP ', '/formulas'), ['pump b', 'Pump a']);
    assert.deepEqual(names('nothing', '/explorer'), []);
  });
});

suite('widths of buckets', () => {
  test('the automatic width has at most as many buckets as pixels can show', () => {
    for (let days = 1; days < 10_000; days *= 1.7)
      for (const pixels of [300, 1200, 3000]) {
        const spanMs = days * day;
        const width = reduce({ spanMs, pixels, intervalsMs: [1000], needsBuckets: true });
        assert.ok(
          spanMs / width!.ms <= pixels / 1.5 || width === niceWidths.at(-1),
          `${days} days: ${width!.duration}`,
        );
        const narrower = niceWidths[niceWidths.indexOf(width!) - 1];
        const fits = narrower && spanMs / narrower.ms <= pixels / 1.5 && isAllowed(narrower.ms, spanMs);
        assert.ok(!fits, `${days} days, ${pixels} px: ${narrower?.duration} would fit too`);
      }
  });

  test('widths ascend, and each has words of its own', () => {
    const lengths = niceWidths.map(({ ms }) => ms);
    assert.deepEqual(
      lengths,
      [...lengths].sort((a, b) => a - b),
    );
    assert.equal(new Set(niceWidths.map(({ words }) => words)).size, niceWidths.length);
    assert.equal(sayWidth('window'), 'one bucket for the whole window');
    assert.equal(sayWidth('P1D'), '1-day buckets');
  });

  test('a chosen width is kept, points and window too, and an address without data has none yet', () => {
    const place = { span: { fromMs: 0, toMs: day }, zone: 'UTC', pixels: 1000, plan: null };
    const cut = (rollup: string) => cutView({ ...emptyView, rollup }, [itemOf('a')], place);
    assert.deepEqual([cut('PT1H')!.rollup, cut('PT1H')!.isAutomatic], ['PT1H', false]);
    assert.equal(cut('window')!.rollup, 'window');
    assert.equal(cut('raw'), null);
    assert.equal(cut('auto')!.isAutomatic, true);
  });
});

suite('calls', () => {
  const cutting = { span: { fromMs: 0, toMs: hour }, rollup: null, zone: 'Europe/Oslo', firstDay: 1 };
  const items = [itemOf('n'), enumOf('s')];

  test('points of all items are one call, with those outside only where lines lead there', () => {
    const [request, ...others] = dataRequests(items, emptyView, cutting);
    assert.deepEqual(others, []);
    assert.equal(request!.params.data!.outsidePoints, true);
    assert.equal(request!.params.data!.rollup, undefined);
    assert.equal(dataRequests(items, emptyView, cutting, false)[0]!.params.data!.outsidePoints, undefined);
  });

  test('numbers have the series that are drawn, states all', () => {
    const [numbers, states] = dataRequests(
      items,
      { statistic: 'sum', hasBand: true },
      { ...cutting, rollup: 'PT1H' },
    );
    assert.deepEqual(numbers!.params.data!.filter!.series, { $in: ['n_sum', 'n_count'] });
    assert.equal(states!.params.data!.filter!.series, undefined);
    assert.equal(dataRequests([items[1]!], emptyView, { ...cutting, rollup: 'PT1H' }).length, 1);
  });

  test('a window is half-open, and its zone and week are said only for buckets', () => {
    assert.deepEqual(dataQuery(cutting), {
      filter: { times: { $gte: '1970-01-01T00:00:00.000Z', $lt: '1970-01-01T01:00:00.000Z' } },
    });
    const { rollup, timeZone, firstDayOfWeek } = dataQuery({ ...cutting, rollup: 'P1W', firstDay: 7 });
    assert.deepEqual([rollup, timeZone, firstDayOfWeek], ['P1W', 'Europe/Oslo', 7]);
  });

  test('points around an instant are asked for with an empty window', () => {
    const { times } = pointsAround(items, 5000).params.data!.filter!;
    assert.deepEqual(times, { $gte: '1970-01-01T00:00:05.000Z', $lt: '1970-01-01T00:00:05.001Z' });
  });

  test('L2 slices follow each other without a hole, none longer than one call reads', () => {
    const span = { fromMs: at('1990-03-05T12:00:00Z'), toMs: at('2026-07-01') };
    for (const [rollup, longest] of [
      [null, 40 * day],
      ['P1M', 3660 * day],
      ['P1Y', 3660 * day],
    ] as const) {
      const slices = slicesOf(span, rollup, 'Europe/Oslo');
      assert.deepEqual([slices[0]!.fromMs, slices.at(-1)!.toMs], [span.fromMs, span.toMs]);
      for (const [i, { fromMs, toMs }] of slices.entries()) {
        assert.ok(toMs - fromMs <= longest);
        if (i > 0) assert.equal(fromMs, slices[i - 1]!.toMs);
      }
    }
    assert.deepEqual(slicesOf(span, 'P1D', 'UTC'), [span], 'narrow buckets are refused, not cut');
  });

  test('R14 a search finds words anywhere, and labels by their key', () => {
    assert.deepEqual(searchFilter('pump'), {
      $and: [
        {
          $or: [{ name: { $regex: '(?i)pump' } }, { description: { $regex: '(?i)pump' } }, { id: 'pump' }],
        },
      ],
    });
    assert.deepEqual(searchFilter('a/b:x(y)'), { $and: [{ 'labels.a/b': { $regex: '(?i)x\\(y\\)' } }] });
    assert.match(JSON.stringify(searchFilter('site:')), /description/, 'a colon at the end is text');
    assert.equal((searchFilter('x '.repeat(30)).$and as unknown[]).length, 20);
  });
});

suite('labels', () => {
  test('keys, values and items are in the order in which people count', () => {
    const items = ['Tank 10', 'Tank 9', 'tank 1'].map((name, i) =>
      itemOf(`i${i}`, { name, labels: { hall: ['10', '9'], Area: ['x'] } }),
    );
    const { keys, bare } = labelTree(items);
    assert.deepEqual(
      keys.map(({ key }) => key),
      ['Area', 'hall'],
    );
    assert.deepEqual(
      keys[1]!.values.map(({ value, items: of }) => [value, of.map(({ name }) => name)]),
      [
        ['9', ['tank 1', 'Tank 9', 'Tank 10']],
        ['10', ['tank 1', 'Tank 9', 'Tank 10']],
      ],
    );
    assert.deepEqual(bare, []);
  });

  test('many thousand items make a tree at once', () => {
    const items = Array.from({ length: 20_000 }, (_, i) =>
      itemOf(`i${i}`, { labels: { hall: [`${i % 3}`] } }),
    );
    const [{ values } = { values: [] }] = labelTree(items).keys;
    assert.deepEqual(
      values.map(({ items: of }) => of.length),
      [6667, 6667, 6666],
    );
  });

  test('what is chosen already stays, also where it is more than fits', () => {
    const items = [itemOf('a'), itemOf('b')];
    assert.deepEqual(withItems(['a'], items, 5), ['a', 'b']);
    assert.deepEqual(withItems(['x', 'y', 'z'], items, 2), ['x', 'y', 'z']);
  });
});

suite('keys of the chart', () => {
  const timesMs = [0, 10, 20, 30, 40];
  const span = { fromMs: 8, toMs: 32 };

  test('arrows move by a row within the window, Home and End go to its ends', () => {
    const to = (key: string, cursor: number | null) => rowAfter(key, cursor, { timesMs }, span);
    assert.deepEqual(
      [
        to('ArrowRight', null),
        to('ArrowRight', 1),
        to('ArrowRight', 3),
        to('ArrowLeft', null),
        to('ArrowLeft', 1),
      ],
      [1, 2, 3, 3, 1],
    );
    assert.deepEqual([to('Home', 3), to('End', 1), to('x', 1)], [1, 3, null]);
    assert.equal(rowAfter('Home', null, { timesMs: [] }, span), null);
  });

  test('a selection is the range between two rows, whichever comes first', () => {
    assert.deepEqual(spanOfRows({ timesMs }, 3, 1), { fromMs: 10, toMs: 30 });
    assert.deepEqual(spanOfRows({ timesMs }, 2, 2), { fromMs: 20, toMs: 21 });
  });

  test('zooming is around the cursor, or around the middle', () => {
    assert.equal(placeOf({ timesMs }, null, span), 0.5);
    assert.equal(placeOf({ timesMs }, 2, { fromMs: 0, toMs: 40 }), 0.5);
    assert.equal(placeOf({ timesMs }, 4, { fromMs: 0, toMs: 20 }), 1);
  });
});

suite('overview', () => {
  const window = { fromMs: 40_000, toMs: 60_000 };
  const strip = { fromMs: 0, toMs: 100_000 };
  const key = (name: string, part: 'from' | 'window' | 'to', shiftKey = false) =>
    movedByKey({ key: name, shiftKey }, part, window, strip);

  test('arrows move the window a little, with Shift ten times as far, pages by its length', () => {
    assert.deepEqual(key('ArrowLeft', 'window'), { fromMs: 39_500, toMs: 59_500 });
    assert.deepEqual(key('ArrowUp', 'window', true), { fromMs: 45_000, toMs: 65_000 });
    assert.deepEqual(key('PageDown', 'window'), { fromMs: 60_000, toMs: 80_000 });
    assert.deepEqual(key('PageUp', 'window'), { fromMs: 20_000, toMs: 40_000 });
    assert.deepEqual(key('Home', 'window'), { fromMs: 0, toMs: 20_000 });
    assert.deepEqual(key('End', 'window'), { fromMs: 80_000, toMs: 100_000 });
    assert.equal(key('Enter', 'window'), null);
  });

  test('an end does not pass the other', () => {
    assert.deepEqual(key('End', 'from'), { fromMs: 59_000, toMs: 60_000 });
    assert.deepEqual(moveBy(window, 'to', -50_000), { fromMs: 40_000, toMs: 41_000 });
    assert.deepEqual(key('ArrowRight', 'to'), { fromMs: 40_000, toMs: 60_500 });
  });

  test('it stays while the window is well inside, and follows when that reaches an end', () => {
    const extent = { fromMs: 0, toMs: 100 * day };
    const shown = stripSpan({ fromMs: 50 * day, toMs: 52 * day }, extent, null);
    assert.deepEqual(stripSpan({ fromMs: 60 * day, toMs: 62 * day }, extent, shown), shown);
    const later = stripSpan({ fromMs: 120 * day, toMs: 122 * day }, extent, shown);
    assert.ok(later.toMs >= 122 * day);
  });

  test('around a short window in long data it shows what is near', () => {
    const extent = { fromMs: 0, toMs: 20 * 365 * day };
    const shown = stripSpan({ fromMs: 1000 * day, toMs: 1000 * day + minute }, extent, null);
    assert.ok(shown.toMs - shown.fromMs < hour && shown.fromMs < 1000 * day && shown.toMs > 1000 * day);
  });
});
