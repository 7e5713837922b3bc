/**
 * Follows the sequence of batches for all watches of a thread: one read of what came serves them all. A watch that is behind
 * reads for itself until it has caught up.
 */
import type { Log } from '#model/environment';
import type { ChangePosition, Changes, SeriesChanges, SeriesStore } from '#storage/store';
import { itemPoints } from './item-points.ts';
import type { LiveWatch } from './live-watch.ts';
import { isAtOrAfter } from './position.ts';
import type { WatchedItems } from './watched-items.ts';

/** How often the store is asked without a notice, ms: other programs store points too, and other nodes. */
const pollMs = 1000;

/** Watches that are supplied in one iteration of the event loop: less than a millisecond. */
const pushesAtOnce = 256;

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

interface LiveFeedOptions {
  series: Pick<SeriesStore, 'scan'>;
  changes: SeriesChanges;
  items: WatchedItems;
  log: Log;
  /** Called once for each watch that has ended. */
  onEnded(watch: LiveWatch): void;
}

/** The feed of one thread. */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #watches = new Set<LiveWatch>();
  /** Everything before this place was passed on; null while no watch follows. */
  #position: ChangePosition | null = null;
  #stopListening: (() => void) | null = null;
  #poll: NodeJS.Timeout | undefined;
  #isDue = false;
  #isRunning = false;
  /** Grows when a watch joins or leaves, which makes a read that is under way useless. */
  #version = 0;
  #signalsOfWatch = new WeakMap<LiveWatch, { version: number; signals: ReadonlySet<number> }>();

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /** Watches that the feed supplies now. */
  get followingCount(): number {
    return [...this.#watches].filter(({ isFollowing }) => isFollowing).length;
  }

  /** Adds a watch, whose items are among the watched ones. */
  add(watch: LiveWatch): void {
    this.#watches.add(watch);
  }

  end(watch: LiveWatch): void {
    if (!this.#watches.delete(watch)) return;
    this.#options.onEnded(watch);
    if (this.#watches.size === 0) this.#stop();
  }

  async catchUp(watch: LiveWatch): Promise<void> {
    const { changes, items, series } = this.#options;
    while (this.#watches.has(watch) && watch.hasRoom) {
      await items.settle();
      const { version } = items;
      const found = await changes.since(watch.position, this.#signalsOf(watch));
      if (version !== items.version || items.isStale) continue;
      if (found === null) {
        watch.reset(await changes.now());
        continue;
      }
      await this.#pass(found, series, [watch]);
      if (!found.hasMore && this.#join(watch)) return;
    }
  }

  /** Ends following; watches get nothing more. */
  close(): void {
    for (const watch of this.#watches) watch.close();
    this.#stop();
  }

  /** Lets a watch follow that has come as far as the feed. */
  #join(watch: LiveWatch): boolean {
    this.#position ??= watch.position;
    if (!isAtOrAfter(watch.position, this.#position)) return false;
    watch.follow();
    this.#version++;
    this.#start();
    return true;
  }

  #signalsOf(watch: LiveWatch): ReadonlySet<number> {
    const { items } = this.#options;
    const known = this.#signalsOfWatch.get(watch);
    if (known?.version === items.version) return known.signals;
    const signals = new Set([...watch.items].flatMap((id) => items.signalsOf(id)));
    this.#signalsOfWatch.set(watch, { version: items.version, signals });
    return signals;
  }

  #start(): void {
    this.#stopListening ??= this.#options.changes.subscribe(() => this.#look());
    this.#poll ??= setInterval(() => this.#look(), pollMs).unref();
    this.#look();
  }

  #stop(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#position = null;
  }

  /** Passes on what has come, now or after what is being passed on. */
  #look(): void {
    this.#isDue = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    while (this.#isDue && this.#position !== null) {
      this.#isDue = false;
      try {
        await this.#passNext();
      } catch (error) {
        this.#options.log.warn('live values: the store cannot be followed now', { error });
        // What was read may have reached some of them only.
        for (const watch of this.#watches) watch.fallBehind();
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
        this.#isDue = true;
      }
      // Requests have their turn.
      if (this.#isDue) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #passNext(): Promise<void> {
    const { changes, items, series } = this.#options;
    await items.settle();
    const following = [...this.#watches].filter(({ isFollowing }) => isFollowing);
    if (this.#position === null || following.length === 0) return this.#stop();
    const versions = [this.#version, items.version];
    const found = await changes.since(this.#position, items.signals);
    if (versions[0] !== this.#version || versions[1] !== items.version || items.isStale) {
      this.#isDue = true;
      return;
    }
    if (found === null) return this.#lose(following, await changes.now());
    this.#position = found.position;
    await this.#pass(found, series, following);
    this.#isDue ||= found.hasMore;
  }

  #lose(following: readonly LiveWatch[], position: ChangePosition): void {
    this.#position = position;
    for (const watch of following) watch.reset(position);
  }

  /** A watch whose queue is full gets nothing more of them: it reads for itself from where it has come to. */
  async #pass(
    { batches, position }: Changes,
    series: Pick<SeriesStore, 'scan'>,
    watches: readonly LiveWatch[],
  ): Promise<void> {
    let active = watches;
    let pushCount = 0;
    for (const batch of batches) {
      const points = await itemPoints(this.#options.items, batch.points, series);
      const supplied: LiveWatch[] = [];
      for (const watch of active) {
        if (++pushCount % pushesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
        if (watch.push(batch.position, points)) supplied.push(watch);
      }
      active = supplied;
    }
    for (const watch of active) watch.advance(position);
  }
}
