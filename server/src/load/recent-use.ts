/** How much time of the event loop each client has used recently: what is long ago counts less and less. */

/** After this time a use counts half, ms. */
const halfLifeMs = 100;

/** After this time a use is less than a thousandth of what it was, ms. */
const forgottenAfterMs = 10 * halfLifeMs;

interface Use {
  ms: number;
  /** When {@link ms} was right. */
  atMs: number;
}

/** The uses of one event loop. The time now is given to each call, since to ask for it takes longer. */
export class RecentUse {
  readonly #uses = new Map<string, Use>();
  #forgottenMs = 0;

  /** What a client has used, ms. */
  ofMs(client: string, nowMs: number): number {
    const use = this.#uses.get(client);
    return use === undefined ? 0 : remainingMs(use, nowMs);
  }

  add(client: string, ms: number, nowMs: number): void {
    const use = this.#uses.get(client);
    if (use === undefined) this.#uses.set(client, { ms, atMs: nowMs });
    else {
      use.ms = remainingMs(use, nowMs) + ms;
      use.atMs = nowMs;
    }
  }

  /** Leaves out clients whose use is long ago. */
  forget(nowMs: number): void {
    if (nowMs - this.#forgottenMs < halfLifeMs) return;
    this.#forgottenMs = nowMs;
    for (const [client, use] of this.#uses)
      if (nowMs - use.atMs > forgottenAfterMs) this.#uses.delete(client);
  }
}

function remainingMs({ ms, atMs }: Use, nowMs: number): number {
  return ms * 2 ** ((atMs - nowMs) / halfLifeMs);
}
