/** The worker's side of a thread that answers calls. */
import { parentPort, workerData } from 'node:worker_threads';
import { bug } from '#model/error';
import { packError } from './errors.ts';
import type { Call, CallResults, Reply, ThreadOptions } from './messages.ts';
import type { ThreadStart } from './thread.ts';

/** The options of this thread. */
export const threadOptions = workerData as ThreadOptions;

const port = parentPort ?? bug('a thread of the store was run as a program');

/** Answers a call. */
export function reply<K extends keyof CallResults>(
  id: number,
  result: CallResults[K],
  transfer: ArrayBuffer[] = [],
): void {
  port.postMessage({ id, result } satisfies Reply, transfer);
}

/** Answers a call with an error. */
export function replyError(id: number, error: unknown): void {
  port.postMessage({ id, error: packError(error) } satisfies Reply);
}

/** Runs `prepare`, reports whether the thread is ready, and then passes each call to the function that `prepare` returned. */
export function listen<Body>(prepare: () => (call: Call<Body>) => void): void {
  try {
    const onCall = prepare();
    port.on('message', onCall);
    port.postMessage({ ready: true } satisfies ThreadStart);
  } catch (error) {
    port.postMessage({ failed: packError(error) } satisfies ThreadStart);
    port.close();
  }
}

/** Stops receiving calls, so that the thread can end. */
export function stopListening(): void {
  port.close();
}
