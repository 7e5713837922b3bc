/** The disk usage and its forecast. */
import { useRpc } from '../../platform/rpc/rpc.ts';

/** The service updates the sizes at most every five minutes. */
export function useSizes() {
  return useRpc('console.sizes', {}, { refetchMs: 60_000 });
}
