/** Where the keys of a chart lead. */
import type { ChartModel } from './chart-model.ts';
import { nearestRow } from './frame.ts';
import type { Span } from './range.ts';

type Times = Pick<ChartModel, 'timesMs'>;

/** The row that a key leads to; null for a key that does not move the cursor. */
export function rowAfter(key: string, cursor: number | null, { timesMs }: Times, span: Span): number | null {
  if (timesMs.length === 0) return null;
  const first = nearestRow(timesMs, span.fromMs);
  const last = nearestRow(timesMs, span.toMs);
  const clamp = (row: number) => Math.max(first, Math.min(last, row));
  const rows = {
    ArrowLeft: clamp((cursor ?? last + 1) - 1),
    ArrowRight: clamp((cursor ?? first - 1) + 1),
    Home: first,
    End: last,
  };
  return rows[key as keyof typeof rows] ?? null;
}

/** The time range from one row to another, at least 1 ms long. */
export function spanOfRows({ timesMs }: Times, a: number, b: number): Span {
  const [fromMs, toMs] = [timesMs[Math.min(a, b)]!, timesMs[Math.max(a, b)]!];
  return { fromMs: Math.floor(fromMs), toMs: Math.max(Math.ceil(toMs), Math.floor(fromMs) + 1) };
}

/** Where the cursor is in the span, 0 to 1; the middle without one. */
export function placeOf({ timesMs }: Times, cursor: number | null, { fromMs, toMs }: Span): number {
  if (cursor === null) return 0.5;
  return Math.max(0, Math.min(1, (timesMs[cursor]! - fromMs) / (toMs - fromMs)));
}
