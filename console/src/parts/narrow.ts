/** Whether the window is as narrow as a phone. */
import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 560px)');

/** Whether it is; the component is rendered again when this changes. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
