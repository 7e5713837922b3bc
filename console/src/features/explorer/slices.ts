/** The windows of the calls that read a long window: the service limits their length (L2). */
import { startOf } from '../../platform/time/civil.ts';
import { durationMs } from '../../platform/time/span.ts';
import type { Span } from './range.ts';

const dayMs = 86_400_000;
/** The longest window of raw points, ms. */
export const rawSpanMax = 40 * dayMs;
/** Below the longest window of months and years, 3,660 days. */
const yearsInCall = 9;

/** Cuts a window into windows that one call each reads; in the order of time. */
export function slicesOf(span: Span, rollup: string | null, zone: string): Span[] {
  const length = span.toMs - span.fromMs;
  if (rollup === null) return cutSpan(span, (ms) => ms + rawSpanMax);
  const widthMs = durationMs(rollup) ?? 0;
  if (rollup === 'window' || widthMs < 28 * dayMs || length <= yearsInCall * 366 * dayMs) return [span];
  // On the start of a year, where a bucket of months begins too.
  return cutSpan(span, (ms) => startOf(zone, ms + yearsInCall * 366 * dayMs, 'y'));
}

function cutSpan({ fromMs, toMs }: Span, next: (ms: number) => number): Span[] {
  const slices: Span[] = [];
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min(toMs, next(at));
    slices.push({ fromMs: at, toMs: end });
    at = end;
  }
  return slices;
}
