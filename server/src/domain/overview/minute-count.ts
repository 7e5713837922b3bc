/** How often something has happened in the last minute, in memory that does not grow with it. */

const partMs = 5_000;
const partCount = 12;

/** Counts of the last twelve parts of five seconds, the current one included. */
export class MinuteCount {
  readonly #parts = new Float64Array(partCount);
  #last = 0;

  /** It happens. Times, ms, never go back. */
  add(nowMs: number): void {
    this.#parts[this.#moveTo(nowMs)]++;
  }

  /** Of the last 55 to 60 s. */
  sum(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#parts.reduce((sum, part) => sum + part, 0);
  }

  /** Empties the parts that have passed; the index of the current one. */
  #moveTo(nowMs: number): number {
    const current = Math.floor(nowMs / partMs);
    const passed = Math.min(current - this.#last, partCount);
    for (let i = 0; i < passed; i++) this.#parts[(current - i) % partCount] = 0;
    this.#last = current;
    return current % partCount;
  }
}
