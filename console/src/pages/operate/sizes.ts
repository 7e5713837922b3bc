/** What takes how much room, and how long the disk will last. */
import { useRpc } from '../../platform/rpc/rpc.ts';

/** Points and the bytes that they take. */
export interface Size {
  points: number;
  bytes: number;
}

/** One of the largest signals. */
export interface LargeSignal extends Size {
  id: string;
  integration: string;
  input: string;
  name: string;
}

/** How long the disk will last if it goes on like that. */
export interface Forecast {
  bytesPerDay: number;
  freeBytes: number;
  /** Null: never full. */
  daysLeft: number | null;
  /** What all that the rule for all signals keeps will take; null: it keeps everything. */
  keptBytes: number | null;
}

/** The answer of `console.sizes`. */
export interface StoreSizes {
  ageS: number;
  total: Size;
  integrations: (Size & { integration: string })[];
  largest: LargeSignal[];
  /** Null: too early to tell. */
  forecast: Forecast | null;
}

/** The service counts anew every five minutes at the most. */
export function useSizes() {
  return useRpc<StoreSizes>('console.sizes', {}, { refetchMs: 60_000 });
}
