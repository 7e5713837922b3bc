/** How the window on the overview is moved and resized. */
import { type Span, spanLengthMs } from './range.ts';

/** What is moved: the whole window or one of its ends. */
export type Part = 'from' | 'window' | 'to';

/** The window after a key; null for a key that moves nothing. */
export function movedByKey(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  part: Part,
  window: Span,
  strip: Span,
): Span | null {
  const step = (strip.toMs - strip.fromMs) * (shiftKey ? 0.05 : 0.005);
  const length = window.toMs - window.fromMs;
  const byMs = {
    ...{ ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step },
    ...{ PageUp: -length, PageDown: length },
    ...{ Home: strip.fromMs - window.fromMs, End: strip.toMs - window.toMs },
  }[key];
  return byMs === undefined ? null : moveBy(window, part, byMs);
}

/** The window with a part of it moved; an end does not pass the other one. */
export function moveBy({ fromMs, toMs }: Span, part: Part, byMs: number): Span {
  if (part === 'window') return { fromMs: fromMs + byMs, toMs: toMs + byMs };
  const shortest = Math.max(spanLengthMs.min, 1000);
  if (part === 'from') return { fromMs: Math.min(fromMs + byMs, toMs - shortest), toMs };
  return { fromMs, toMs: Math.max(toMs + byMs, fromMs + shortest) };
}
