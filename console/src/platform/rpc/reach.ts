/** Whether the service can be reached: one answer for the whole console, from the last call that was made. */
import { createStore, useStore } from '../store.ts';
import { baseUrl } from './base.ts';

/** While the service cannot be reached it is tried this often, ms. */
const retryMs = 2500;

const isReached = createStore(true);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Notes whether a call was answered, with whatever status. */
export function noteReached(isAnswered: boolean): void {
  clearTimeout(timer);
  if (!isAnswered) timer = setTimeout(() => void probe(), retryMs);
  isReached.set(isAnswered);
}

/** Whether the last call was answered. */
export function useIsReached(): boolean {
  return useStore(isReached);
}

/** Calls `listener` when the service is lost, and when it is back; the function that ends it. */
export const subscribeToReach = isReached.subscribe;

/** Whether the last call was answered; for code outside components. */
export const hasReached = isReached.get;

async function probe(): Promise<void> {
  try {
    await fetch(`${baseUrl}healthz`, { cache: 'no-store' });
    noteReached(true);
  } catch {
    noteReached(false);
  }
}
