/** How the data of a view was computed, in words. */
import { memo, useMemo } from 'react';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { sayComparison } from './compare.ts';
import { DataWords } from './data-card.tsx';
import { countPoints, type Loaded } from './plot.ts';
import { nameZone } from './timestamps.ts';
import type { Explorer } from './use-explorer.ts';
import { sayWidth } from './width.ts';

/** Width of buckets, how many points they are made of, and the zone. */
export const Words = memo(function Words({
  view,
  items,
  cut,
  loaded,
  span,
  zone,
  isLoading,
}: Pick<Explorer, 'view' | 'items' | 'cut' | 'loaded' | 'span' | 'zone' | 'isLoading'>) {
  const points = useMemo(() => (loaded ? countPoints(items, loaded) : null), [items, loaded]);
  if (!loaded) return <p className="quiet">Loading …</p>;
  const isAutomatic = cut?.isAutomatic === true && loaded.rollup !== null;
  const parts = [
    points === null ? '' : sayPoints(points, loaded),
    nameZone(zone, span),
    view.compares === '' ? '' : `dashed: ${sayComparison(span, view.compares, zone)}`,
    isLoading ? 'loading …' : '',
  ].filter((part) => part !== '');
  const notes = `${isAutomatic ? ', from pixel width' : ''} · ${parts.join(' · ')}`;
  return <DataWords width={capital(sayWidth(loaded.rollup))} notes={notes} />;
});

/** `2,310 points in 96 rows`; for points without the rows, which are as many. */
function sayPoints(points: number, { rollup, rows }: Loaded): string {
  const count = printNumberOf(points, 'point');
  return rollup === null ? count : `${count} in ${printCount(rows.timesMs.length)} rows`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
