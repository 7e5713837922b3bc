/** One call that runs, and what cancels it. */
import type { Call, Cancellation } from '#protocol/method';

/** The reason of the signal of a call that was cancelled. */
export class Cancelled extends Error {}

/** A call while it runs. Its signal is made when it is first asked for: many calls are done before. */
export class WatchedCall implements Cancellation {
  readonly call: Call;
  readonly method: string;
  readonly sinceMs: number;
  #abort: AbortController | null = null;
  #unlisten = () => {};
  #cancelled: Cancelled | null = null;

  constructor(call: Call, method: string, sinceMs: number) {
    this.call = call;
    this.method = method;
    this.sinceMs = sinceMs;
  }

  /** Whether it was cancelled before its request ended. */
  get isCancelled(): boolean {
    return this.#cancelled !== null && (this.#abort?.signal.reason ?? this.#cancelled) === this.#cancelled;
  }

  under(request: AbortSignal): AbortSignal {
    this.#abort ??= this.#follow(request);
    return this.#abort.signal;
  }

  /** Ends the call as soon as it looks. */
  cancel(): void {
    this.#cancelled ??= new Cancelled('cancelled');
    this.#abort?.abort(this.#cancelled);
  }

  /** The call has ended. */
  end(): void {
    this.#unlisten();
  }

  /** Not `AbortSignal.any`: its weak references cost more than the rest of this. */
  #follow(request: AbortSignal): AbortController {
    const abort = new AbortController();
    const onAbort = () => abort.abort(request.reason);
    if (this.#cancelled !== null) abort.abort(this.#cancelled);
    else if (request.aborted) onAbort();
    else {
      request.addEventListener('abort', onAbort);
      this.#unlisten = () => request.removeEventListener('abort', onAbort);
    }
    return abort;
  }
}
