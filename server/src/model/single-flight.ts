/** Work of which many callers want the same result. */

/** A function that starts `work` unless it is under way; then it gives that one's result, which may be of a moment before the call. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}
