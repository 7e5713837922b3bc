/** How the points of a view are cut: every one, or buckets of which width, and the windows of the calls. */
import type { Item } from './item.ts';
import type { Span } from './range.ts';
import type { Cutting } from './request.ts';
import { slicesOf } from './slices.ts';
import type { View } from './view.ts';
import { reduce } from './width.ts';

/** The number of points that are drawn in well below a second. */
export const drawnPointsMax = 1_000_000;

/** What is known of the points of a window before they are read. */
export interface RawPlan {
  /** Points of items with numbers; those of states are not counted. */
  points: number;
  /** Windows that have points, in the order of time. */
  slices: readonly Span[];
}

/** How a view is cut at present. */
export interface Cut extends Cutting {
  /** Whether the width of buckets follows the pixels. */
  isAutomatic: boolean;
  /** Every point was chosen, and there are so many that buckets are shown instead; null: not so. */
  tooManyPoints: number | null;
  /** The windows of the calls. */
  slices: readonly Span[];
}

/** Decides how a view is cut; null while the points of a window are counted, of which every one is wanted. */
export function cutView(
  view: View,
  items: readonly Item[],
  place: { span: Span; zone: string; pixels: number; plan: RawPlan | null },
): Cut | null {
  const { span, zone, pixels, plan } = place;
  const common = { span, zone, firstDay: view.firstDay };
  if (view.rollup === 'raw') {
    if (plan === null) return null;
    if (plan.points <= drawnPointsMax)
      return { ...common, rollup: null, isAutomatic: false, tooManyPoints: null, slices: plan.slices };
  }
  const intervalsMs = items.map(({ intervalMs }) => intervalMs);
  const isAutomatic = view.rollup === 'auto' || view.rollup === 'raw';
  const automatic = () => reduce({ spanMs: span.toMs - span.fromMs, pixels, intervalsMs });
  const rollup = isAutomatic ? (automatic()?.duration ?? null) : view.rollup;
  const tooManyPoints = view.rollup === 'raw' ? (plan?.points ?? null) : null;
  return { ...common, rollup, isAutomatic, tooManyPoints, slices: slicesOf(span, rollup, zone) };
}
