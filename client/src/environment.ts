/** What the client uses of its environment; tests replace it. */

/** Time, chance, and the network. */
export interface Environment {
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
  /** Milliseconds since 1970, by the wall clock. */
  dateMs(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Resolves after so long; rejects with the signal's reason when that comes first. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** The real environment. */
export const systemEnvironment: Environment = {
  nowMs: () => performance.now(),
  dateMs: () => Date.now(),
  random: () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32,
  wait,
  fetch: (url, init) => fetch(url, init),
};

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
