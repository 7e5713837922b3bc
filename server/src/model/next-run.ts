/** Work whose result several callers may share, as long as it begins after each of them has asked. */

/** Runs one at a time; all who wait share the next. */
export class NextRun<T> {
  readonly #work: () => Promise<T>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** The result of a run that begins after this was called. */
  run(): Promise<T> {
    if (this.#next !== null) return this.#next;
    const begin = () => {
      this.#next = null;
      return this.#work();
    };
    this.#next = this.#last.then(begin, begin);
    this.#last = this.#next;
    return this.#next;
  }
}
