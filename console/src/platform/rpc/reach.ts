/** Whether the service can be reached: one answer for the whole console, from the last call that was made. */
import { useSyncExternalStore } from 'react';
import { baseUrl } from './base.ts';

/** While the service cannot be reached it is tried this often, ms. */
const retryMs = 2500;

let isReached = true;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Notes whether a call was answered, with whatever status. */
export function noteReached(isAnswered: boolean): void {
  clearTimeout(timer);
  if (!isAnswered) timer = setTimeout(() => void probe(), retryMs);
  if (isAnswered === isReached) return;
  isReached = isAnswered;
  for (const listener of listeners) listener();
}

/** Whether the last call was answered. */
export function useIsReached(): boolean {
  return useSyncExternalStore(subscribeToReach, () => isReached);
}

/** Calls `listener` when the service is lost, and when it is back; the function that ends it. */
export function subscribeToReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the last call was answered; for code outside components. */
export function hasReached(): boolean {
  return isReached;
}

async function probe(): Promise<void> {
  try {
    await fetch(`${baseUrl}healthz`, { cache: 'no-store' });
    noteReached(true);
  } catch {
    noteReached(false);
  }
}
