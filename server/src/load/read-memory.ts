/** The memory of one read: columns, points, and what is computed of them. */

/** What a read needs of load control. Its creator gives everything back when the answer has been sent. */
export interface ReadMemory {
  /**
   * Takes before it is used; to be awaited. What is large waits for a place among large reads first. Rejects with `try-again`
   * when too many wait, and with the reason of `signal` when that is aborted first.
   */
  take(bytes: number, signal?: AbortSignal): Promise<void> | null;
  /** Takes what is there at once; false when it is not. For a call that holds memory already, and therefore must not wait for more. */
  tryTake(bytes: number): boolean;
  /** Counts what exists already: it can be refused no more, so take where the size is known before. */
  note(bytes: number): void;
  /** Gives a part back before the end. */
  give(bytes: number): void;
}

/** Without a limit: for tests, and for reads of the service itself. */
export const unlimitedReadMemory: ReadMemory = {
  take: () => null,
  tryTake: () => true,
  note() {},
  give() {},
};
