/** Memory that one request holds of one stage. */
import type { MemoryPool } from './memory.ts';

/** Takes for one request, and gives everything back once. */
export class Hold {
  readonly #pool: MemoryPool;
  readonly #signal: () => AbortSignal;
  #client: string;
  #bytes = 0;
  #hasLeft = false;

  /** `signal` ends waiting; it is asked for only when there is something to wait for. */
  constructor(pool: MemoryPool, client: string, signal: () => AbortSignal) {
    this.#pool = pool;
    this.#client = client;
    this.#signal = signal;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes so much; null when it is there, else a promise that resolves when it is. Rejects with `Overload` when too many wait, and
   * with the reason of the request's signal, or of `signal`, when that is aborted first.
   */
  take(bytes: number, signal?: AbortSignal): Promise<void> | null {
    const client = this.#client;
    const waiting = this.#pool.take(client, bytes, () => signal ?? this.#signal());
    if (waiting === null) return this.#add(client, bytes);
    return waiting.then(() => void this.#add(client, bytes));
  }

  /** Takes what is there at once; false when it is not. */
  tryTake(bytes: number): boolean {
    if (!this.#pool.tryTake(this.#client, bytes)) return false;
    this.#add(this.#client, bytes);
    return true;
  }

  /** Takes in any case, for what exists already. */
  note(bytes: number): void {
    this.#pool.note(this.#client, bytes);
    this.#add(this.#client, bytes);
  }

  /** Gives a part back. */
  give(bytes: number): void {
    if (this.#hasLeft) return;
    this.#bytes -= bytes;
    this.#pool.give(this.#client, bytes);
  }

  /** Sets what is held to `bytes`: gives back the difference, or notes it. */
  change(bytes: number): void {
    if (bytes < this.#bytes) this.give(this.#bytes - bytes);
    else if (bytes > this.#bytes) this.note(bytes - this.#bytes);
  }

  /** It is held by another client from now on. */
  move(client: string): void {
    if (this.#bytes > 0) this.#pool.move(this.#client, client, this.#bytes);
    this.#client = client;
  }

  /** Gives everything back, and takes nothing any more. A second time it does nothing. */
  leave(): void {
    const bytes = this.#bytes;
    this.#hasLeft = true;
    this.#bytes = 0;
    if (bytes > 0) this.#pool.give(this.#client, bytes);
  }

  /** While it waited, the request may have got its client, or have ended. */
  #add(client: string, bytes: number): null {
    if (this.#hasLeft) this.#pool.give(client, bytes);
    else {
      if (client !== this.#client) this.#pool.move(client, this.#client, bytes);
      this.#bytes += bytes;
    }
    return null;
  }
}
