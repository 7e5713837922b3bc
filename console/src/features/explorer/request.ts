/** What the explorer asks the service for. */
import type { Item } from './item.ts';
import type { Span } from './range.ts';
import type { View } from './view.ts';

/** A call, ready to send. */
export interface Request {
  method: string;
  params: Record<string, unknown>;
}

/** How the points of a window are cut. */
export interface Cutting {
  span: Span;
  /** A duration, `window`, or null for every point. */
  rollup: string | null;
  zone: string;
  firstDay: number;
}

/** The calls for the data of items: rolled up, numbers and states are two, as each has series of its own. */
export function dataRequests(
  items: readonly Item[],
  view: Pick<View, 'statistic' | 'hasBand'>,
  cutting: Cutting,
): Request[] {
  if (items.length === 0) return [];
  if (cutting.rollup === null) return [dataFrame(items, cutting, null)];
  const numbers = items.filter((item) => !item.isEnum);
  const enums = items.filter((item) => item.isEnum);
  const requests: Request[] = [];
  if (numbers.length > 0) {
    const wanted = numbers.flatMap(({ id }) => seriesOf(view).map((statistic) => `${id}_${statistic}`));
    requests.push(dataFrame(numbers, cutting, wanted));
  }
  if (enums.length > 0) requests.push(dataFrame(enums, cutting, null));
  return requests;
}

/** The statistics that a view needs of each number. */
export function seriesOf({ statistic, hasBand }: Pick<View, 'statistic' | 'hasBand'>): string[] {
  const band = statistic === 'avg' && hasBand ? ['min', 'max'] : [];
  return [...new Set([statistic, ...band, 'count'])];
}

/** The data query of a window. */
export function dataQuery({ span, rollup, zone, firstDay }: Cutting): Record<string, unknown> {
  return {
    filter: { times: { $gte: new Date(span.fromMs).toISOString(), $lt: new Date(span.toMs).toISOString() } },
    ...(rollup === null ? {} : { rollup, timeZone: zone, firstDayOfWeek: firstDay }),
  };
}

/** The nearest points of items on either side of an instant. */
export function pointsAround(items: readonly Item[], atMs: number): Request {
  const span = { fromMs: atMs, toMs: atMs + 1 };
  return dataFrame(items, { span, rollup: null, zone: 'UTC', firstDay: 1 }, null);
}

function dataFrame(items: readonly Item[], cutting: Cutting, series: readonly string[] | null): Request {
  const data = dataQuery(cutting);
  const filter = data.filter as Record<string, unknown>;
  if (series) filter.series = { $in: series };
  if (cutting.rollup === null) data.outsidePoints = true;
  const query = { filter: { id: { $in: items.map(({ id }) => id) } }, limit: items.length };
  return { method: 'service.dataFrame', params: { query, data } };
}
