/** The work that waits for the write connection, and which of it shares the next transaction. */

/** What the queue must know of a piece of work. */
export interface QueuedWork {
  /** Bytes of points that it stores; 0 when it stores none. */
  bytes: number;
  /** Runs by itself, after all that came before it and before all that comes after. */
  isAlone: boolean;
}

/** Work with more bytes than this is large: small work does not wait for more than one group of it. */
export const smallBytesMax = 64 * 1024;

/** Large work that shares one transaction. */
const groupBytesMax = 2 * 1024 * 1024;

/** Small work that shares one transaction, so that a long queue is acknowledged piece by piece. */
const groupLengthMax = 256;

/** A queue in which groups of small work and groups of large work take turns. */
export class WriteQueue<Work extends QueuedWork> {
  #waiting: Work[] = [];
  #wasLarge = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(work: Work): void {
    this.#waiting.push(work);
  }

  /** Takes the group that runs next, in the order of its arrival, at least one; something must wait. */
  take(): Work[] {
    const alone = this.#waiting.findIndex(({ isAlone }) => isAlone);
    if (alone === 0) return this.#waiting.splice(0, 1);
    const free = alone === -1 ? this.#waiting : this.#waiting.slice(0, alone);
    const large = free.filter(isLarge);
    const isLargeNext = large.length === free.length || (large.length > 0 && !this.#wasLarge);
    this.#wasLarge = isLargeNext;
    const group = isLargeNext ? firstBytes(large) : free.filter((work) => !isLarge(work));
    return this.#remove(group.slice(0, groupLengthMax));
  }

  #remove(group: Work[]): Work[] {
    const taken = new Set(group);
    this.#waiting = this.#waiting.filter((work) => !taken.has(work));
    return group;
  }
}

function isLarge({ bytes }: QueuedWork): boolean {
  return bytes > smallBytesMax;
}

/** As many of the first ones as are within the limit, at least one. */
function firstBytes<Work extends QueuedWork>(large: readonly Work[]): Work[] {
  let bytes = large[0].bytes;
  let end = 1;
  while (end < large.length && bytes + large[end].bytes <= groupBytesMax) bytes += large[end++].bytes;
  return large.slice(0, end);
}
