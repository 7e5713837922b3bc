/** What the explorer asks the service for. */
import type { Method, ParamsOf } from '../../platform/rpc/rpc.ts';
import type { Columns } from './frame.ts';
import type { Item } from './item.ts';
import type { Span } from './range.ts';
import type { View } from './view.ts';

/** A call that answers a data frame, ready to send. */
export type Request = FrameCall<'service.dataFrame'> | FrameCall<'service.evaluate'>;

/** Makes a call; fails with an RpcError. */
export type LoadFrame = (request: Request) => Promise<Columns>;

interface FrameCall<M extends Method> {
  method: M;
  params: ParamsOf<M>;
}

type DataQuery = NonNullable<ParamsOf<'service.dataFrame'>['data']>;

/** How the points of a window are cut. */
export interface Cutting {
  span: Span;
  /** A duration, `window`, or null for every point. */
  rollup: string | null;
  zone: string;
  firstDay: number;
}

/**
 * The calls for the data of items: rolled up, numbers and states are two, as each has series of its own. With
 * `hasOutside` the nearest points outside of the window are read too, so that lines lead to its ends.
 */
export function dataRequests(
  items: readonly Item[],
  view: Pick<View, 'statistic' | 'hasBand'>,
  cutting: Cutting,
  hasOutside = true,
): FrameCall<'service.dataFrame'>[] {
  const data = dataQuery(cutting);
  if (cutting.rollup === null)
    return items.length === 0 ? [] : [frameCall(items, hasOutside ? { ...data, outsidePoints: true } : data)];
  const [numbers, enums] = [items.filter(({ isEnum }) => !isEnum), items.filter(({ isEnum }) => isEnum)];
  const series = numbers.flatMap(({ id }) => seriesOf(view).map((statistic) => `${id}_${statistic}`));
  const ofNumbers = { ...data, filter: { ...data.filter, series: { $in: series } } };
  return [
    ...(numbers.length > 0 ? [frameCall(numbers, ofNumbers)] : []),
    ...(enums.length > 0 ? [frameCall(enums, data)] : []),
  ];
}

/** The statistics that a view needs of each number. */
function seriesOf({ statistic, hasBand }: Pick<View, 'statistic' | 'hasBand'>): string[] {
  const band = statistic === 'avg' && hasBand ? ['min', 'max'] : [];
  return [...new Set([statistic, ...band, 'count'])];
}

/** The data query of a window. */
export function dataQuery({ span, rollup, zone, firstDay }: Cutting): DataQuery {
  return {
    filter: { times: { $gte: new Date(span.fromMs).toISOString(), $lt: new Date(span.toMs).toISOString() } },
    ...(rollup === null ? {} : { rollup, timeZone: zone, firstDayOfWeek: firstDay }),
  };
}

/** The nearest points of items on either side of an instant. */
export function pointsAround(items: readonly Item[], atMs: number): Request {
  const span = { fromMs: atMs, toMs: atMs + 1 };
  const data = dataQuery({ span, rollup: null, zone: 'UTC', firstDay: 1 });
  return frameCall(items, { ...data, outsidePoints: true });
}

function frameCall(items: readonly Item[], data: DataQuery): FrameCall<'service.dataFrame'> {
  const query = { filter: { id: { $in: items.map(({ id }) => id) } }, limit: items.length };
  return { method: 'service.dataFrame', params: { query, data } };
}
