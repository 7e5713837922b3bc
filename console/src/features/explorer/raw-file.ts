/** Every point of any window as a CSV file: read in pieces that the service answers, one after the other. */
import { RpcError } from '../../platform/rpc/rpc-error.ts';
import { type FileColumn, printCsv, printCsvRows } from './file.ts';
import { type Columns, mergeColumns } from './frame.ts';
import { type Item, stateText } from './item.ts';
import type { Span } from './range.ts';
import { dataRequests, type LoadFrame } from './request.ts';
import { slicesOf } from './slices.ts';

/** What of a file is there. */
export interface RawProgress {
  rows: number;
  /** The share of the window that has been read, 0 to 1. */
  share: number;
}

/** Windows shorter than this are not cut further: a service that refuses one refuses every one. */
const shortestMs = 1000;

/** The file as pieces of text for a Blob. Fails as `load` does. */
export async function rawCsv(
  items: readonly Item[],
  span: Span,
  zone: string,
  { load, onProgress }: { load: LoadFrame; onProgress(progress: RawProgress): void },
): Promise<string[]> {
  const columns = items.map(rawColumn);
  const pieces = [printCsv(mergeColumns([]), columns, zone)];
  let rows = 0;
  const waiting = slicesOf(span, null, zone).reverse();
  for (let slice = waiting.pop(); slice; slice = waiting.pop()) {
    const frame = await loadOrSplit(items, slice, load);
    if (frame === null) {
      const middle = Math.floor((slice.fromMs + slice.toMs) / 2);
      waiting.push({ fromMs: middle, toMs: slice.toMs }, { fromMs: slice.fromMs, toMs: middle });
      continue;
    }
    if (frame.timesMs.length > 0) pieces.push(printCsvRows(mergeColumns([frame]), columns, zone));
    rows += frame.timesMs.length;
    onProgress({ rows, share: (slice.toMs - span.fromMs) / (span.toMs - span.fromMs) });
  }
  return pieces;
}

/** The points of a window; null when the service says that the answer would be too large. */
async function loadOrSplit(items: readonly Item[], span: Span, load: LoadFrame): Promise<Columns | null> {
  const [request] = dataRequests(
    items,
    { statistic: 'avg', hasBand: false },
    { span, rollup: null, zone: 'UTC', firstDay: 1 },
    false,
  );
  try {
    return await load(request!);
  } catch (error) {
    const canSplit =
      error instanceof RpcError && error.code === -32602 && span.toMs - span.fromMs > shortestMs;
    if (canSplit) return null;
    throw error;
  }
}

function rawColumn(item: Item): FileColumn {
  const unit = item.unit === '' ? '' : ` [${item.unit}]`;
  const text = item.isEnum ? { text: (value: number) => stateText(item, value) } : {};
  return { key: item.id, title: `${item.name}${unit}`, ...text };
}
