/** Which time range the overview under the chart shows. */
import type { Span } from './range.ts';

/** The overview shows all data while that is at most so many times as long as the window. */
const timesMax = 3000;
/** Around a short window it is so many times as long. */
const timesUsual = 30;

/**
 * The time range that the overview shows around a window: all data, or where that is far too long, what is near. It stays
 * as it was while the window is well inside of it, so that it does not move while the window is dragged.
 */
export function stripSpan(window: Span, extent: Span | null, before: Span | null): Span {
  const length = window.toMs - window.fromMs;
  if (before && isWellInside(window, before)) return before;
  const whole = {
    fromMs: Math.min(extent?.fromMs ?? window.fromMs, window.fromMs - length / 2),
    toMs: Math.max(extent?.toMs ?? window.toMs, window.toMs + length / 4),
  };
  if (whole.toMs - whole.fromMs <= timesMax * length) return tidy(whole);
  const middle = (window.fromMs + window.toMs) / 2;
  const half = (timesUsual * length) / 2;
  // As much on either side as there is.
  const fromMs = Math.max(whole.fromMs, Math.min(middle - half, whole.toMs - 2 * half));
  return tidy({ fromMs, toMs: Math.min(whole.toMs, fromMs + 2 * half) });
}

/** Not at an end of it, and neither too short nor too long for it. */
function isWellInside(window: Span, strip: Span): boolean {
  const length = strip.toMs - strip.fromMs;
  const times = length / (window.toMs - window.fromMs);
  const margin = length / 50;
  return (
    times >= 1.2 &&
    times <= 2 * timesMax &&
    window.fromMs >= strip.fromMs + margin &&
    window.toMs <= strip.toMs - margin
  );
}

/** On whole fiftieths of its length: a window that ends now would change it with every look. */
function tidy({ fromMs, toMs }: Span): Span {
  const step = 10 ** Math.floor(Math.log10((toMs - fromMs) / 10));
  return { fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(toMs / step) * step };
}
