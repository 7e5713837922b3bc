/** The values of calculated items where raw points are asked for: one for each of their intervals (C4). */
import { type BucketRule, cutBuckets } from '#model/bucket';
import { concatenated } from '#model/column-steps';
import { signalOf } from '#model/ending';
import type { Points } from '#model/frame';
import { instantUsMax } from '#model/instant';
import { runSteps, type Steps } from '#model/steps';
import type { Window } from '#model/window';
import type { FedItem } from '#storage/meta-store';
import { type AnswerShape, withRule } from './check.ts';
import type { Column } from './column.ts';
import type { InputItems } from './derived.ts';
import { frameOf } from './frame.ts';
import { type Plan, planAnswer } from './plan.ts';
import type { CallReader } from './read.ts';
import { carryOut } from './rolled-up.ts';
import { isEmpty } from './window.ts';

/** Points of calculated items. */
export interface ComputedPoints {
  /** By item; items that signals feed are absent. */
  points: ReadonlyMap<string, Points>;
  /** Memory that is taken for them. */
  bytes: number;
}

/** The buckets of an interval: in UTC, from the default origin. */
export function intervalRule(intervalUs: number): BucketRule {
  const width = { kind: 'fixed', us: intervalUs } as const;
  return { width, timeZone: 'UTC', firstDayOfWeek: 1, originUs: null };
}

/** The intervals that begin inside a window, as a window that has all of each; it may be empty. */
export function wholeIntervals(rule: BucketRule, window: Window): Window {
  if (isEmpty(window)) return window;
  const first = intervalAt(rule, window.startUs);
  const { endUs } = intervalAt(rule, window.endUs - 1);
  return { startUs: first.startUs < window.startUs ? first.endUs : first.startUs, endUs };
}

/** The interval that a time is in; two microseconds, as the largest timestamp has no next one. */
export function intervalAt(rule: BucketRule, us: number): Window {
  const [startUs, endUs] = cutBuckets(rule, { startUs: us, endUs: us + 2 }).edgesUs;
  return { startUs, endUs };
}

/** The column that is the value of an item. */
export function valueColumn(item: FedItem): Column {
  return {
    ...{ alias: item.id, aggregation: 'avg', state: null, offset: 0 },
    ...{ members: [item], groupAggregation: null },
  };
}

/** What raw points of calculated items are computed for. */
export interface ComputedRequest {
  items: readonly FedItem[];
  inputs: InputItems;
  shape: AnswerShape;
  /** Whether the nearest values outside the window are wanted too. */
  hasOutside: boolean;
}

/** The points of those of these items that are calculated. Fails with `invalid-params` by path when they are too many. */
export async function computedPoints(
  reader: CallReader,
  { items, ...request }: ComputedRequest,
): Promise<ComputedPoints> {
  const calculated = items.filter(({ calculation }) => calculation !== null);
  const byInterval = Map.groupBy(calculated, ({ calculation }) => calculation?.intervalUs ?? 0);
  const parts = [...byInterval].flatMap(([us, own]) => partsOf(us, { ...request, items: own }));
  const taken = parts.reduce((sum, { plan }) => sum + plan.bytes, 0);
  if (taken > 0) await reader.memory.take(taken, signalOf(reader.signal));
  const found = new Map(calculated.map(({ id }): [string, Points[]] => [id, []]));
  let bytes = 0;
  for (const { plan, kept } of parts) {
    const frame = await carryOut(reader, plan, { last: 0, rollup: plan.cutting.rule.width });
    bytes += frame.bytes;
    for (const [id, values] of frame.series) {
      const there = await runSteps(withoutNulls(frame.timesUs, values), reader.runStep, reader.signal);
      found.get(id)?.push(keptOf(there, kept));
    }
  }
  const points = new Map<string, Points>();
  for (const [id, own] of found) points.set(id, await runSteps(joined(own), reader.runStep, reader.signal));
  return { points, bytes };
}

/** Which points of a part are wanted. */
type Kept = 'all' | 'first' | 'last';

/** Intervals inside of the window, and those on either side among which the nearest value is looked for. */
function partsOf(intervalUs: number, request: ComputedRequest): { plan: Plan; kept: Kept }[] {
  const { items, inputs, shape, hasOutside } = request;
  if (isEmpty(shape.window)) return [];
  const rule = intervalRule(intervalUs);
  // Checked before it is cut: a long window may have too many intervals.
  withRule(shape, rule);
  const { startUs, endUs } = wholeIntervals(rule, shape.window);
  const aroundUs = intervalUs * shape.limits.offsetBucketsMax;
  const windows: [Kept, Window][] = [
    ['last', { startUs: Math.max(-instantUsMax, startUs - aroundUs), endUs: startUs }],
    ['all', { startUs, endUs }],
    ['first', { startUs: endUs, endUs: Math.min(instantUsMax, endUs + aroundUs) }],
  ];
  return windows
    .filter(([kept, window]) => !isEmpty(window) && (hasOutside || kept === 'all'))
    .map(([kept, window]) => {
      const cut = withRule({ ...shape, window }, rule);
      return { kept, plan: planAnswer(items.map(valueColumn), [], null, cut, inputs) };
    });
}

function keptOf({ timesUs, values }: Points, kept: Kept): Points {
  if (kept === 'all') return { timesUs, values };
  const [from, to] = kept === 'first' ? [0, 1] : [-1, undefined];
  return { timesUs: timesUs.slice(from, to), values: values.slice(from, to) };
}

function* joined(parts: readonly Points[]): Steps<Points> {
  if (parts.length === 1) return parts[0];
  return {
    timesUs: yield* concatenated(parts.map(({ timesUs }) => timesUs)),
    values: yield* concatenated(parts.map(({ values }) => values)),
  };
}

/** The points that there are. */
function* withoutNulls(timesUs: Float64Array, values: Float64Array): Steps<Points> {
  const frame = yield* frameOf(timesUs, new Map([['values', values]]), { last: 0, rollup: null });
  return { timesUs: frame.timesUs, values: frame.series.get('values') ?? values };
}
