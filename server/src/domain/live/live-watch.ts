/** One watcher of items: what has happened since its place, in a queue of bounded size. */
import type { ChangePosition } from '#storage/store';
import type { ItemPoints } from './item-points.ts';
import { isAtOrAfter, printPosition } from './position.ts';

/** What one insert brought of the watched items. */
export interface LiveEvent {
  /** The place after it, from which a later watch continues. */
  position: string;
  /** Item → its points, times ascending; they must not be changed. */
  points: ItemPoints;
}

/**
 * What {@link LiveWatch.next} gives. `events`: inserts in their order, at least one. `reset`: inserts may have been missed that
 * the store cannot tell any more, so whatever was read before must be read again; the watch goes on from `position`.
 */
export type LiveNews = { kind: 'events'; events: readonly LiveEvent[] } | { kind: 'reset'; position: string };

/** How a watch is kept supplied; implemented by the feed. */
export interface WatchSupply {
  /** Reads from the store what the watch lacks, until its queue is full or it follows the feed. */
  catchUp(watch: LiveWatch): Promise<void>;
  /** The watch has got these items in addition, or has them no longer. */
  added(ids: readonly string[]): Promise<void>;
  dropped(ids: readonly string[]): void;
  end(watch: LiveWatch): void;
}

/** Approximate memory of an event and of a point in a queue. */
const eventBytes = 200;
const pointBytes = 16;

/**
 * A watch of items. Take what {@link next} gives again and again; a watcher that takes too slowly is not disconnected: what does
 * not fit into its queue is read from the store later. Close it in the end.
 */
export class LiveWatch {
  readonly #supply: WatchSupply;
  readonly #queueBytesMax: () => number;
  readonly #items: Set<string>;
  #queue: LiveEvent[] = [];
  #queueBytes = 0;
  /** Everything before this place was handed out or is in the queue. */
  #position: ChangePosition;
  #isFollowing = false;
  #isReset = false;
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor(
    supply: WatchSupply,
    items: Iterable<string>,
    start: { position: ChangePosition; isReset: boolean },
    queueBytesMax: () => number,
  ) {
    this.#supply = supply;
    this.#items = new Set(items);
    this.#position = start.position;
    this.#isReset = start.isReset;
    this.#queueBytesMax = queueBytesMax;
  }

  /** The watched items. */
  get items(): ReadonlySet<string> {
    return this.#items;
  }

  /** Whether the feed supplies it, else it has to catch up first. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Whether its queue has room. */
  get hasRoom(): boolean {
    return this.#queueBytes < this.#queueBytesMax();
  }

  /** Where it has come to, what is queued included. */
  get position(): ChangePosition {
    return this.#position;
  }

  /** The same as text; when nothing is queued, a later watch may continue from here. */
  get place(): string {
    return printPosition(this.#position);
  }

  /** Whether there is something to take at once. */
  get hasNews(): boolean {
    return this.#queue.length > 0 || this.#isReset;
  }

  /** Waits for news; null when the watch has been closed, or `signal` aborted. One call at a time. */
  async next(signal?: AbortSignal): Promise<LiveNews | null> {
    while (!this.#isClosed && signal?.aborted !== true) {
      if (this.#queue.length > 0) return { kind: 'events', events: this.#takeQueue() };
      if (this.#isReset) {
        this.#isReset = false;
        return { kind: 'reset', position: this.place };
      }
      if (!this.#isFollowing) await this.#supply.catchUp(this);
      if (!this.hasNews && this.#isFollowing) await this.#sleep(signal);
    }
    return null;
  }

  /** Watches further items from now on; unknown ones bring nothing until they exist. */
  async add(ids: readonly string[]): Promise<void> {
    const added = ids.filter((id) => !this.#items.has(id));
    for (const id of added) this.#items.add(id);
    if (added.length > 0) await this.#supply.added(added);
  }

  /** Watches these items no longer. */
  drop(ids: readonly string[]): void {
    const dropped = ids.filter((id) => this.#items.delete(id));
    if (dropped.length > 0) this.#supply.dropped(dropped);
  }

  /** Ends the watch; a pending {@link next} gives null. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#supply.end(this);
    this.#wake?.();
  }

  /** For the feed: from now on it supplies the watch. */
  follow(): void {
    this.#isFollowing = true;
  }

  /** For the feed: the watch has to catch up before it is supplied again. */
  fallBehind(): void {
    this.#isFollowing = false;
    this.#wake?.();
  }

  /** For the feed: an insert before `position`; one that the watch knows is ignored. False when its queue is full. */
  push(position: ChangePosition, points: ItemPoints): boolean {
    if (isAtOrAfter(this.#position, position)) return true;
    const own = [...points].filter(([item, { timesUs }]) => timesUs.length > 0 && this.#items.has(item));
    if (own.length > 0) {
      if (!this.hasRoom) {
        this.fallBehind();
        return false;
      }
      this.#queue.push({ position: printPosition(position), points: new Map(own) });
      this.#queueBytes += own.reduce((sum, [, { timesUs }]) => sum + timesUs.length * pointBytes, eventBytes);
      this.#wake?.();
    }
    this.#position = position;
    return true;
  }

  /** For the feed: there was nothing more for this watch before `position`. */
  advance(position: ChangePosition): void {
    if (!isAtOrAfter(this.#position, position)) this.#position = position;
  }

  /** For the feed: what came after the place of the watch is lost; it goes on from `position`. */
  reset(position: ChangePosition): void {
    this.#position = position;
    this.#isReset = true;
    this.#wake?.();
  }

  #takeQueue(): LiveEvent[] {
    const events = this.#queue;
    this.#queue = [];
    this.#queueBytes = 0;
    return events;
  }

  #sleep(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#wake = null;
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake = wake;
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
