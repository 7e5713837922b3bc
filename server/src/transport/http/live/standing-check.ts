/** Checks again and again whether those who began an answer that does not end are still allowed to have it. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Twice in the second within which a revoked credential has to be out of use (A1). */
const checkMs = 400;

/** Checks of one iteration of the event loop: a thousand at once would hold it for ten milliseconds. */
const checksAtOnce = 64;

/** One answer. */
interface Standing {
  mayStay(): Promise<boolean>;
  end: AbortController;
}

/** The answers of one thread that do not end, under one timer. */
export class StandingCheck {
  readonly #standings = new Set<Standing>();
  readonly #catchUp: (() => Promise<unknown> | null) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `catchUp` learns of what other threads have changed. */
  constructor(catchUp: (() => Promise<unknown> | null) | undefined) {
    this.#catchUp = catchUp;
  }

  /** Aborts `end` when `mayStay` is false or fails. The returned function ends the checks. */
  add(mayStay: () => Promise<boolean>, end: AbortController): () => void {
    const standing = { mayStay, end };
    this.#standings.add(standing);
    this.#timer ??= setTimeout(() => void this.#check(), checkMs);
    return () => void this.#standings.delete(standing);
  }

  async #check(): Promise<void> {
    try {
      await this.#catchUp?.();
      await this.#checkAll();
    } catch {
      // The store cannot be read now, which says nothing about credentials.
    } finally {
      const isNeeded = this.#standings.size > 0;
      this.#timer = isNeeded ? setTimeout(() => void this.#check(), checkMs) : undefined;
    }
  }

  async #checkAll(): Promise<void> {
    const standings = [...this.#standings];
    while (standings.length > 0) {
      await Promise.all(standings.splice(0, checksAtOnce).map((standing) => this.#checkOne(standing)));
      await nextTurn();
    }
  }

  async #checkOne({ mayStay, end }: Standing): Promise<void> {
    const isGood = await mayStay().catch(() => false);
    if (!isGood) end.abort();
  }
}
