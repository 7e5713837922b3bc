/** Live values at another broker: the newest value of every item as a retained message, then each value of each durable insert (M6). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#model/environment';
import type { Points } from '#model/frame';
import {
  frameText,
  type ItemNews,
  type ItemWatch,
  type LiveItems,
  pointsOf,
  valueText,
} from '../item-feed.ts';
import { itemFrameTopic, itemTopic } from '../topics.ts';
import type { OutgoingMessage } from './sender.ts';

/** Where live values come from, and which items there are. */
export interface PublishedItems extends Pick<LiveItems, 'watch' | 'latest'> {
  /** Grows when an item has been added. Costs no read. */
  revision(): number;
  /** The next items after an ID that may have live values, and the last ID that was looked at; null at the end. */
  after(id: string): Promise<{ ids: readonly string[]; last: string | null }>;
}

/** Options of {@link ItemPublisher}. */
export interface ItemPublisherOptions {
  items: PublishedItems;
  /** Resolves when the broker has a message. Rejects when there is no connection. */
  send(message: OutgoingMessage): Promise<void>;
  log: Log;
}

/** How often it is looked whether there are new items, and the wait after a failure, ms. */
const lookMs = 1000;

/** Messages that are made before it is waited for the broker to have them. */
const sentAtOnce = 100;

/** Values of one message of several. */
const frameValuesMax = 5000;

/** Publishes the values of all items, for as long as it runs. */
export class ItemPublisher {
  readonly #options: ItemPublisherOptions;
  readonly #known = new Set<string>();
  /** The time of the newest value that was sent, by item. */
  readonly #newestUs = new Map<string, number>();
  /** What the broker has is all before this place; null: nothing is known. */
  #place: string | null = null;
  #revision = -1;
  #lastProblem = '';
  #watch: ItemWatch | null = null;
  #isClosed = false;
  readonly #running: Promise<void>;

  constructor(options: ItemPublisherOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends publishing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.close();
    await Promise.race([this.#running, sleep(lookMs, null, { ref: false })]);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#follow();
        this.#lastProblem = '';
      } catch (error) {
        this.#note(error);
      }
      if (!this.#isClosed) await sleep(lookMs, null, { ref: false });
    }
  }

  /** A failure is logged once, until it is another one. */
  #note(error: unknown): void {
    const problem = String(error);
    if (problem !== this.#lastProblem)
      this.#options.log.info('live values cannot be published now; trying again', { error });
    this.#lastProblem = problem;
  }

  async #follow(): Promise<void> {
    const start = { party: 'message broker', items: [...this.#known], after: this.#place };
    const watch = await this.#options.items.watch(start);
    this.#watch = watch;
    const looking = setInterval(() => void this.#look(watch).catch(() => watch.close()), lookMs).unref();
    try {
      // The broker may have started again, without what it had retained.
      await this.#sendAllLatest();
      await this.#look(watch);
      this.#place ??= watch.place;
      for (let news = await watch.next(); news !== null; news = await watch.next())
        await this.#sendNews(news);
    } finally {
      clearInterval(looking);
      this.#watch = null;
      watch.close();
    }
  }

  /** Watches the items that are new, and sends their newest values. */
  async #look(watch: ItemWatch): Promise<void> {
    const revision = this.#options.items.revision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    try {
      for (let at: string | null = ''; at !== null && !this.#isClosed; ) {
        const { ids, last }: Awaited<ReturnType<PublishedItems['after']>> =
          await this.#options.items.after(at);
        await this.#add(
          watch,
          ids.filter((id) => !this.#known.has(id)),
        );
        at = last;
      }
    } catch (error) {
      this.#revision = -1;
      throw error;
    }
  }

  async #add(watch: ItemWatch, ids: readonly string[]): Promise<void> {
    await watch.add(ids);
    await this.#sendLatest(ids);
    for (const id of ids) this.#known.add(id);
  }

  async #sendNews(news: ItemNews): Promise<void> {
    if (news.kind === 'reset') {
      await this.#sendAllLatest();
      this.#place = news.position;
      return;
    }
    for (const { points, position } of news.events) {
      await this.#sendAll([...points].flatMap(([item, some]) => this.#messagesOf(item, some)));
      this.#place = position;
    }
  }

  async #sendAllLatest(): Promise<void> {
    const ids = [...this.#known];
    for (let from = 0; from < ids.length; from += sentAtOnce)
      await this.#sendLatest(ids.slice(from, from + sentAtOnce));
  }

  async #sendLatest(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const found = await this.#options.items.latest(ids);
    for (const [item, value] of found)
      if (value !== null && value.timeUs >= this.#newestOf(item))
        await this.#sendAll(this.#messagesOf(item, pointsOf(value)));
  }

  #newestOf(item: string): number {
    return this.#newestUs.get(item) ?? Number.NEGATIVE_INFINITY;
  }

  /** A value that is older than the newest one is not retained. */
  #messagesOf(item: string, points: Points): OutgoingMessage[] {
    const { timesUs, values } = points;
    const newestUs = this.#newestOf(item);
    const lastUs = timesUs[timesUs.length - 1];
    this.#newestUs.set(item, Math.max(newestUs, lastUs));
    const topic = itemTopic(item);
    const each = Array.from(timesUs, (us, i) => {
      return { topic, payload: valueText(us, values[i]), retain: us >= newestUs && i === timesUs.length - 1 };
    });
    return [...framesOf(item, points), ...each];
  }

  /** A few at a time, in their order. */
  async #sendAll(messages: readonly OutgoingMessage[]): Promise<void> {
    for (let from = 0; from < messages.length; from += sentAtOnce)
      await Promise.all(
        messages.slice(from, from + sentAtOnce).map((message) => this.#options.send(message)),
      );
  }
}

/** The values of an insert; brokers limit the size of a message, so those of a long one are divided. */
function framesOf(item: string, { timesUs, values }: Points): OutgoingMessage[] {
  const topic = itemFrameTopic(item);
  const frames: OutgoingMessage[] = [];
  for (let from = 0; from < timesUs.length; from += frameValuesMax) {
    const end = from + frameValuesMax;
    const some = { timesUs: timesUs.subarray(from, end), values: values.subarray(from, end) };
    frames.push({ topic, payload: frameText(some), retain: false });
  }
  return frames;
}
