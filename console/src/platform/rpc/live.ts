/** Live values, over the same session as calls. */
import type { LiveEvent, LiveItems, LiveOptions } from '@tidemark/client';
import { liveClient } from './rpc.ts';

/** What happens with the items that are followed. */
export interface LiveListener {
  /** The stream has begun, for the first time or again. */
  onConnect?(): void;
  /** An insert, or that some may have been missed. */
  onEvent(event: LiveEvent): void;
  /** The stream cannot be had: there are too many, or it is not permitted. It is not tried again. */
  onFailure(): void;
}

/** Follows items until the returned function is called; it resumes by itself. */
export function followItems(items: LiveItems, listener: LiveListener): () => void {
  const stop = new AbortController();
  const { onConnect } = listener;
  const options: LiveOptions = { signal: stop.signal, ...(onConnect ? { onConnect } : {}) };
  void (async () => {
    try {
      for await (const event of liveClient.live(items, options)) listener.onEvent(event);
    } catch {
      if (!stop.signal.aborted) listener.onFailure();
    }
  })();
  return () => stop.abort();
}
