/** The view of the explorer, and the address that brings it back. */
import { isZone } from '../../platform/time/civil.ts';
import { durationMs } from '../../platform/time/span.ts';
import type { AxisRange, LineShape } from './chart-model.ts';
import { type Comparison, comparisons } from './compare.ts';
import { defaultRange, isRangeEnd, type Range } from './range.ts';

/** Which statistic the lines show where points are rolled up. */
export type Statistic = 'avg' | 'min' | 'max' | 'sum' | 'count';

/** Every statistic, with what it is called. */
export const statistics: Readonly<Record<Statistic, string>> = {
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  sum: 'Sum',
  count: 'Count',
};

/** Everything that decides what the explorer shows. */
export interface View {
  /** Item IDs in the order in which they were added. */
  items: readonly string[];
  /** Items whose lines are switched off. */
  hidden: ReadonlySet<string>;
  range: Range;
  /** Time zone; null: the one that the person prefers. */
  zone: string | null;
  /** `auto` from pixels, `raw` for every point, `window`, or a duration. */
  rollup: string;
  statistic: Statistic;
  /** Whether the area from minimum to maximum is drawn behind the line. */
  hasBand: boolean;
  /** `auto`: bars for sums and counts of days and more, else lines. */
  line: 'auto' | LineShape;
  /** `auto`: a panel for each axis from three on. */
  axes: 'auto' | 'panels' | 'shared';
  /** Items with an axis of their own, though others have the same unit. */
  own: ReadonlySet<string>;
  /** Ends of axes that were set by hand, by an item on the axis. */
  ranges: ReadonlyMap<string, AxisRange>;
  /** 1 Monday … 7 Sunday. */
  firstDay: number;
  /** What is drawn with it, paler and dashed. */
  compares: Comparison;
  isLive: boolean;
  /** Chart, every row, or how long each state held. */
  tab: 'chart' | 'table' | 'states';
  /** Whether the table of values is shown below. */
  hasReadout: boolean;
  /** Instants whose values are kept in sight, ms, in the order in which they were pinned. */
  pins: readonly number[];
}

/** Parts of an address: null removes one. */
export type Search = Record<string, string | null>;

/** A view of nothing. */
export const emptyView: View = {
  items: [],
  hidden: new Set(),
  range: defaultRange,
  zone: null,
  rollup: 'auto',
  statistic: 'avg',
  hasBand: true,
  line: 'auto',
  axes: 'auto',
  own: new Set(),
  ranges: new Map(),
  firstDay: 1,
  compares: '',
  isLive: false,
  tab: 'chart',
  hasReadout: true,
  pins: [],
};

/** The largest number of pins in a chart. */
export const pinsMax = 8;

/** The number of items that the service reads in one call. */
export const itemsMax = 50;

const idPattern = /^[a-v0-9]{20}$/;

/** The parts of the address; what is as in {@link emptyView} is left out. */
export function printView(view: View): Search {
  const differs = <K extends keyof View>(key: K, text: string) =>
    view[key] === emptyView[key] ? null : text;
  return {
    items: view.items.join('.') || null,
    off: view.items.filter((id) => view.hidden.has(id)).join('.') || null,
    from: view.range.from === defaultRange.from && view.range.to === defaultRange.to ? null : view.range.from,
    to: view.range.from === defaultRange.from && view.range.to === defaultRange.to ? null : view.range.to,
    zone: view.zone,
    rollup: differs('rollup', view.rollup),
    show: differs('statistic', view.statistic),
    band: differs('hasBand', '0'),
    line: differs('line', view.line),
    axes: differs('axes', view.axes),
    own: view.items.filter((id) => view.own.has(id)).join('.') || null,
    y: printRanges(view) || null,
    week: differs('firstDay', String(view.firstDay)),
    vs: differs('compares', view.compares),
    live: differs('isLive', '1'),
    tab: differs('tab', view.tab),
    legend: differs('hasReadout', '0'),
    pins: view.pins.map((ms) => Math.round(ms).toString(36)).join('.') || null,
  };
}

/** Reads an address; parts that are not valid are ignored. */
export function parseView(search: URLSearchParams): View {
  const items = ids(search.get('items')).slice(0, itemsMax);
  const statistic = search.get('show');
  const firstDay = Number(search.get('week'));
  const [versus, tab] = [search.get('vs'), search.get('tab')];
  return {
    items,
    hidden: new Set(ids(search.get('off')).filter((id) => items.includes(id))),
    range: parseRange(search.get('from'), search.get('to')),
    zone: parseZone(search.get('zone')),
    rollup: parseRollup(search.get('rollup')),
    statistic: statistic !== null && Object.hasOwn(statistics, statistic) ? (statistic as Statistic) : 'avg',
    hasBand: search.get('band') !== '0',
    line: oneOf(search.get('line'), ['line', 'step', 'bars']) ?? 'auto',
    axes: oneOf(search.get('axes'), ['panels', 'shared']) ?? 'auto',
    own: new Set(ids(search.get('own')).filter((id) => items.includes(id))),
    ranges: parseRanges(search.get('y'), items),
    firstDay: Number.isInteger(firstDay) && firstDay >= 1 && firstDay <= 7 ? firstDay : 1,
    compares: versus !== null && Object.hasOwn(comparisons, versus) ? (versus as Comparison) : '',
    isLive: search.get('live') === '1',
    tab: tab === 'table' || tab === 'states' ? tab : 'chart',
    hasReadout: search.get('legend') !== '0',
    pins: parsePins(search.get('pins')),
  };
}

function oneOf<Text extends string>(text: string | null, known: readonly Text[]): Text | null {
  return known.find((each) => each === text) ?? null;
}

/** `id~0~100,id~~5`: an end that is empty follows the data. */
function printRanges({ items, ranges }: View): string {
  const entries = [...ranges].filter(([id]) => items.includes(id));
  return entries.map(([id, { low, high }]) => `${id}~${low ?? ''}~${high ?? ''}`).join(',');
}

function parseRanges(text: string | null, items: readonly string[]): Map<string, AxisRange> {
  const ranges = new Map<string, AxisRange>();
  for (const entry of (text ?? '').split(',')) {
    const [id = '', low = '', high = ''] = entry.split('~');
    const range = { low: parseEnd(low), high: parseEnd(high) };
    if (items.includes(id) && (range.low !== null || range.high !== null)) ranges.set(id, range);
  }
  return ranges;
}

function parseEnd(text: string): number | null {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
}

function ids(text: string | null): string[] {
  return [...new Set((text ?? '').split('.').filter((id) => idPattern.test(id)))];
}

/** Instants in base 36: nine signs each. */
function parsePins(text: string | null): number[] {
  const found = (text ?? '').split('.').filter((each) => /^-?[0-9a-z]{1,9}$/.test(each));
  return [...new Set(found.map((each) => Number.parseInt(each, 36)))].slice(0, pinsMax);
}

function parseRange(from: string | null, to: string | null): Range {
  if (from === null || !isRangeEnd(from)) return defaultRange;
  return { from, to: to !== null && isRangeEnd(to) ? to : 'now' };
}

function parseZone(text: string | null): string | null {
  return text !== null && isZone(text) ? text : null;
}

function parseRollup(text: string | null): string {
  if (text === 'raw' || text === 'window') return text;
  return text !== null && durationMs(text) !== null ? text : 'auto';
}
