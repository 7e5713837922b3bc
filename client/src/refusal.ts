/** What a failed insert means for the points in it. */
import type { ServiceError } from './error.ts';
import type { Columns } from './frame.ts';

/**
 * `again`: the service is away, busy, full, or a plan is used up: wait. `held`: credentials, grants or the address are
 * wrong, which a person has to put right: keep the points and ask at long intervals. `large`: send less at once.
 * `refused`: the points themselves are invalid.
 */
export type Refusal = 'again' | 'held' | 'large' | 'refused';

/** What an error means. */
export function refusalOf({ kind, status, code, params }: ServiceError): Refusal {
  if (status === 413) return 'large';
  if (kind === 'network' || kind === 'timeout') return 'again';
  if (status !== null && (status === 408 || status === 429 || status >= 500)) return 'again';
  if (kind !== 'rpc') return 'held';
  if (code === -32602) return Object.keys(params).some(isOfData) ? 'refused' : 'held';
  return code === -32003 || code === -32601 ? 'held' : 'again';
}

/** Other paths, such as the integration, are not the fault of a point. */
function isOfData(path: string): boolean {
  return path === 'data' || path.startsWith('data.');
}

/** A frame without the points that an error names, and their number. Where it names none that exists, all are taken out. */
export function withoutNamed(frame: Columns, error: ServiceError): { frame: Columns; removed: number } {
  const { timesUs, series } = frame;
  const kept = new Map([...series].map(([key, values]): [string, Float64Array] => [key, values.slice()]));
  let removed = 0;
  for (const [key, values] of kept) {
    const isWhole = `data.series.${key}` in error.params;
    for (const [row, value] of values.entries()) {
      const isNamed =
        isWhole || `data.series.${key}.${row}` in error.params || `data.times.${row}` in error.params;
      if (!isNamed || Number.isNaN(value)) continue;
      values[row] = Number.NaN;
      removed++;
    }
  }
  return { frame: { timesUs, series: kept }, removed };
}
