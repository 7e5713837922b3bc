/** The place of one call that runs: in a lane, and with the memory of its read. */
import type { Hold } from './hold.ts';
import type { Lane, Leave } from './lane.ts';
import type { ReadMemory } from './read-memory.ts';

/** A read that takes more than this at once is large, bytes. */
const largeReadBytesMin = 1024 * 1024;

/** A call that runs. A read begins among the small ones, and goes over to the large ones when it turns out to be one. */
export class CallPlace {
  readonly memory: ReadMemory;
  readonly #hold: Hold;
  readonly #enterLarge: () => ReturnType<Lane['enter']>;
  #leaveLane: Leave;
  #isLarge = false;
  #hasEnded = false;

  constructor(hold: Hold, leaveLane: Leave, enterLarge: () => ReturnType<Lane['enter']>) {
    this.#hold = hold;
    this.#leaveLane = leaveLane;
    this.#enterLarge = enterLarge;
    this.memory = {
      take: (bytes, signal) =>
        bytes >= largeReadBytesMin && !this.#isLarge
          ? this.#takeLarge(bytes, signal)
          : hold.take(bytes, signal),
      tryTake: (bytes) => hold.tryTake(bytes),
      note: (bytes) => hold.note(bytes),
      give: (bytes) => hold.give(bytes),
    };
  }

  /** The call has its result: it leaves its lane, and keeps its memory until the answer has been sent. */
  end(): void {
    this.#hasEnded = true;
    this.#leaveLane();
  }

  /** The answer has been sent, or never will be. */
  leave(): void {
    this.end();
    this.#hold.leave();
  }

  async #takeLarge(bytes: number, signal?: AbortSignal): Promise<void> {
    this.#isLarge = true;
    this.#leaveLane();
    const leaveLarge = await this.#enterLarge();
    if (this.#hasEnded) return leaveLarge();
    this.#leaveLane = leaveLarge;
    await this.#hold.take(bytes, signal);
  }
}
