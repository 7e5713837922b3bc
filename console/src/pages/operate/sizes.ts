/** Disk usage, and how long the disk will last. */
import { useRpc } from '../../platform/rpc/rpc.ts';

/** The service counts anew every five minutes at the most. */
export function useSizes() {
  return useRpc('console.sizes', {}, { refetchMs: 60_000 });
}
