/** Which of two statuses of an item is the newer one. */
import type { SignalStatus } from '@tidemark/client/wire';

/** The status with the later point; of equal times the second. */
export function newer(status: SignalStatus | null | undefined, other: SignalStatus): SignalStatus {
  return status == null || Date.parse(other.lastTime) >= Date.parse(status.lastTime) ? other : status;
}
