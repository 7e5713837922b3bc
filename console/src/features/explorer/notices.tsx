/** What the explorer has to say above the chart and over it: items that are gone, too many points, silence, no data. */
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { type Cut, drawnPointsMax } from './cut.ts';
import type { Item } from './item.ts';
import type { Loaded } from './plot.ts';
import { type Span, wholeSpan } from './range.ts';
import { silentItems } from './silence.ts';
import { printSpanLength } from './timestamps.ts';
import { sayWidth } from './width.ts';
import './chart-view.css';

/** Items of the address that the service does not have. */
export function MissingItems({ ids, onRemove }: { ids: readonly string[]; onRemove(): void }) {
  const remove = (
    <Button isTiny onPress={onRemove}>
      Remove {ids.length === 1 ? 'it' : 'them'}
    </Button>
  );
  return (
    <Notice mood="warn" action={remove}>
      {ids.length === 1 ? `Item ${ids[0]} does not exist` : `${ids.length} items of this view do not exist`}{' '}
      any more, or {ids.length === 1 ? 'is' : 'are'} hidden.
    </Notice>
  );
}

interface TooManyPointsProps {
  cut: Cut;
  onAutomatic(): void;
}

/** Every point was chosen, and there are too many. */
export function TooManyPoints({ cut: { tooManyPoints, rollup }, onAutomatic }: TooManyPointsProps) {
  const automatic = (
    <Button isTiny onPress={onAutomatic}>
      Use automatic buckets
    </Button>
  );
  return (
    <Notice mood="warn" action={automatic}>
      This range has {printCount(tooManyPoints ?? 0)} points; at most {printCount(drawnPointsMax)} can be
      drawn. The chart shows {sayWidth(rollup)} instead. Choose a shorter range to see every point.
    </Notice>
  );
}

interface SilentItemsProps {
  items: readonly Item[];
  loaded: Loaded;
  nowMs: number;
  zone: string;
}

/** In live mode: items from which no point has come for longer than expected. */
export function SilentItems({ items, loaded, nowMs, zone }: SilentItemsProps) {
  const silent = silentItems(items, loaded, nowMs);
  if (silent.length === 0) return null;
  const first = silent[0]!;
  const since =
    first.lastMs === null
      ? 'in this range'
      : `since ${printCivil(zone, Math.floor(first.lastMs / 1000) * 1000)} (${printSpanLength(nowMs - first.lastMs)} ago)`;
  return (
    <Notice mood="warn">
      <span role="status">
        No new data from {first.item.name} {since}
        {silent.length > 1 ? `, and from ${silent.length - 1} more` : ''}.
      </span>
    </Notice>
  );
}

interface EmptyRangeProps {
  extent: Span | null;
  span: Span;
  zone: string;
  onSpan(span: Span): void;
}

/** Over a chart without a point: where the data is, and the way there. */
export function EmptyRange({ extent, span, zone, onSpan }: EmptyRangeProps) {
  if (extent === null) return <div className="chart-empty">No data in this range.</div>;
  const length = span.toMs - span.fromMs;
  const isBefore = extent.toMs <= span.fromMs;
  const isAfter = extent.fromMs >= span.toMs;
  const [word, atMs] = isAfter ? ['first point', extent.fromMs] : ['last point', extent.toMs];
  const start = isAfter ? extent.fromMs - length * 0.05 : extent.toMs - length * 0.95;
  const near = { fromMs: Math.round(start), toMs: Math.round(start + length) };
  return (
    <div className="chart-empty">
      <p>
        No data in this range; {word} {printCivil(zone, atMs)}.
      </p>
      <div className="line">
        {(isBefore || isAfter) && (
          <Button tone="primary" onPress={() => onSpan(near)}>
            Go to the {word}
          </Button>
        )}
        <Button onPress={() => onSpan(wholeSpan(extent))}>Show all data</Button>
      </div>
    </div>
  );
}
