/** The axes of a chart: which lines share one, how far each reaches, and where it is when every axis has a panel of its own. */
import type { AxisRange, ChartLine, ChartModel } from './chart-model.ts';

/** An axis with its lines. */
export interface ChartAxis {
  key: string;
  unit: string;
  lines: readonly ChartLine[];
}

/** Where an axis is drawn, as shares of the height of the plotting area from its top. */
export interface Panel {
  top: number;
  bottom: number;
}

/** Space for the unit above each panel, and between panels, CSS pixels. */
const panelHeadHeight = 20;
const panelGap = 4;

/** From so many axes on each has a panel of its own, unless chosen otherwise. */
export const panelsFrom = 3;

/** The axes of a chart in the order in which their lines come. */
export function axesOf({ lines }: Pick<ChartModel, 'lines'>): ChartAxis[] {
  const keys = [...new Set(lines.map(({ axis }) => axis))];
  return keys.map((key) => {
    const own = lines.filter(({ axis }) => axis === key);
    return { key, unit: own[0]!.unit, lines: own };
  });
}

/** Where axis `index` of `count` is; the whole area when panels are not used. */
export function panelAt(index: number, count: number, height: number, isPanels: boolean): Panel {
  if (!isPanels || count < 2) return { top: 0, bottom: 1 };
  const share = 1 / count;
  const head = index === 0 ? 0 : panelHeadHeight / Math.max(1, height);
  const gap = index === count - 1 ? 0 : panelGap / Math.max(1, height);
  return { top: index * share + head, bottom: (index + 1) * share - gap };
}

/** The range of a scale over the whole height, so that `low` to `high` fills a panel. */
export function scaleOfPanel(
  [low, high]: readonly [number, number],
  { top, bottom }: Panel,
): [number, number] {
  const whole = (high - low) / (bottom - top);
  return [low - (1 - bottom) * whole, high + top * whole];
}

/** What of a scale over the whole height a panel shows. */
export function panelOfScale(min: number, max: number, { top, bottom }: Panel): [number, number] {
  return [min + (1 - bottom) * (max - min), max - top * (max - min)];
}

/**
 * From the lowest to the highest visible value, bands included, with a margin; a constant gets a margin around it, bars
 * begin at zero. Buckets begin before the window, so that one row more on either side counts. Null: no value.
 */
export function reachOf(
  lines: readonly ChartLine[],
  { from, to }: { from: number; to: number },
  isBuckets: boolean,
  { low, high }: AxisRange = { low: null, high: null },
): [number, number] | null {
  const more = isBuckets ? 1 : 0;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { column, band, isVisible } of lines) {
    if (!isVisible) continue;
    for (let row = Math.max(0, from - more); row <= to + more; row++) {
      min = Math.min(
        min,
        band?.low[row] ?? Number.POSITIVE_INFINITY,
        column[row] ?? Number.POSITIVE_INFINITY,
      );
      max = Math.max(
        max,
        band?.high[row] ?? Number.NEGATIVE_INFINITY,
        column[row] ?? Number.NEGATIVE_INFINITY,
      );
    }
  }
  if (!Number.isFinite(min) || !Number.isFinite(max))
    return low !== null && high !== null ? [low, high] : null;
  const hasBars = lines.some(({ shape, isVisible }) => shape === 'bars' && isVisible);
  if (hasBars) [min, max] = [Math.min(0, min), Math.max(0, max)];
  const margin = (max - min) * 0.06 || Math.abs(max) * 0.1 || 1;
  const auto = [hasBars && min === 0 ? 0 : min - margin, hasBars && max === 0 ? 0 : max + margin] as const;
  const [first, last] = [low ?? auto[0], high ?? auto[1]];
  return first < last ? [first, last] : [first, first + margin];
}
