/** Live values on the topics of items: the newest value when a client subscribes, then each value of each durable insert (M4). */
import type { Log } from '#model/environment';
import type { Points } from '#model/frame';
import { printInstant } from '#model/instant-printer';
import { itemFrameTopic, itemTopic } from './topics.ts';

/** A value of an item. */
export interface ItemValue {
  timeUs: number;
  value: number;
}

/** What a watch tells: inserts in the order of the store, or that some may have been missed. */
export type ItemNews =
  | { kind: 'events'; events: readonly { position: string; points: ReadonlyMap<string, Points> }[] }
  | { kind: 'reset'; position: string };

/** A watch of items, which may change. */
export interface ItemWatch {
  readonly items: ReadonlySet<string>;
  /** Where it has come to, from where a later watch may continue. */
  readonly place: string;
  /** Waits for news; null when the watch has been closed. */
  next(): Promise<ItemNews | null>;
  add(ids: readonly string[]): Promise<void>;
  drop(ids: readonly string[]): void;
  close(): void;
}

/** Messages that are sent before it is waited until clients have taken them, and how long that is, ms. */
const sentAtOnce = 200;
const takenMsMax = 250;

/** Messages after which it is waited until clients have been given them. */
const messagesAtOnce = 16;

/** Delay before the items are watched again after a failure, ms. */
const retryMs = 1000;

/** Items whose newest value is read at once. */
const latestAtOnce = 500;

/** Where live values come from. */
export interface LiveItems {
  /** Begins a watch, by default of no items and from now on. `party`: whose it is, for the limits. */
  watch(start?: { party: string; items: readonly string[]; after: string | null }): Promise<ItemWatch>;
  /** The newest value of each item; null for one without points. Unknown items are left out. */
  latest(ids: readonly string[]): Promise<ReadonlyMap<string, ItemValue | null>>;
  /** Why an item has no live values; null: it may have some. */
  refusalOf(id: string): Promise<string | null>;
}

/** Sends a message to all who have subscribed to its topic; calls back when they have it, or have gone. */
export type Send = (topic: string, payload: string, onSent: () => void) => void;

/** Options of {@link ItemFeed}. */
export interface ItemFeedOptions {
  items: LiveItems;
  send: Send;
  /** Resolves when further messages may be sent: those before have been given to their subscribers. */
  room(): Promise<void>;
  log: Log;
}

/** Follows the items that clients have subscribed to, all of them with one watch. */
export class ItemFeed {
  readonly #options: ItemFeedOptions;
  /** How many subscriptions each item has. */
  readonly #counts = new Map<string, number>();
  /** Messages since there was room. */
  #sent = 0;
  /** The time of the newest value that was sent, by item. */
  readonly #sentUs = new Map<string, number>();
  #watch: ItemWatch | null = null;
  #running: Promise<void> | null = null;
  /** Resolves when the first watch has begun, or has failed to: then values come later, from the next one. */
  readonly #begun = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: ItemFeedOptions) {
    this.#options = options;
  }

  /** A subscription to an item has begun. Its values are sent from when this has resolved. */
  async add(item: string): Promise<void> {
    const count = this.#counts.get(item) ?? 0;
    this.#counts.set(item, count + 1);
    this.#running ??= this.#run();
    if (this.#watch === null) await this.#begun.promise;
    else if (count === 0) await this.#watch.add([item]);
  }

  /** It has ended. */
  drop(item: string): void {
    const count = this.#counts.get(item) ?? 0;
    if (count > 1) {
      this.#counts.set(item, count - 1);
      return;
    }
    this.#counts.delete(item);
    this.#sentUs.delete(item);
    this.#watch?.drop([item]);
  }

  /** The message with the newest value of an item, for a new subscription; null when there is none, or that is sent meanwhile. */
  async latest(item: string, isFrame: boolean): Promise<string | null> {
    const found = await latestUnlessSent(this.#options.items, item, this.#sentUs);
    if (found === null) return null;
    return isFrame ? frameText(pointsOf(found)) : valueText(found.timeUs, found.value);
  }

  /** Ends following. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#follow();
      } catch (error) {
        this.#begun.resolve();
        this.#options.log.warn('the broker cannot follow live values now', { error });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #follow(): Promise<void> {
    const watch = await this.#options.items.watch();
    this.#watch = watch;
    try {
      await watch.add([...this.#counts.keys()]);
      this.#begun.resolve();
      if (this.#isClosed) return;
      for (let news = await watch.next(); news !== null; news = await watch.next())
        await this.#sendNews(news);
    } finally {
      this.#watch = null;
      watch.close();
    }
  }

  async #sendNews(news: ItemNews): Promise<void> {
    if (news.kind === 'reset') return this.#sendLatest();
    for (const { points } of news.events)
      for (const [item, some] of points) if (this.#counts.has(item)) await this.#sendPoints(item, some);
  }

  /** After a gap, the newest value of each item. */
  async #sendLatest(): Promise<void> {
    const ids = [...this.#counts.keys()];
    for (let from = 0; from < ids.length; from += latestAtOnce) {
      const found = await this.#options.items.latest(ids.slice(from, from + latestAtOnce));
      for (const [item, value] of found) if (value !== null) await this.#sendPoints(item, pointsOf(value));
    }
  }

  async #sendPoints(item: string, points: Points): Promise<void> {
    const { timesUs, values } = points;
    this.#sentUs.set(
      item,
      Math.max(this.#sentUs.get(item) ?? Number.NEGATIVE_INFINITY, timesUs[timesUs.length - 1]),
    );
    this.#options.send(itemFrameTopic(item), frameText(points), () => {});
    await this.#pace();
    for (let from = 0; from < timesUs.length; from += sentAtOnce) {
      const end = Math.min(from + sentAtOnce, timesUs.length);
      const texts = Array.from({ length: end - from }, (_, i) =>
        valueText(timesUs[from + i], values[from + i]),
      );
      await this.#sendAll(item, texts, end < timesUs.length);
    }
  }

  /** A message has been sent. After some, waits until there is room for further ones. */
  async #pace(): Promise<void> {
    if (++this.#sent < messagesAtOnce) return;
    this.#sent = 0;
    await this.#options.room();
  }

  /** If more follow, waits until clients have taken these, so that a long insert does not fill their buffers; slow ones are not waited for. */
  async #sendAll(item: string, texts: readonly string[], moreFollow: boolean): Promise<void> {
    const sending: Promise<void>[] = [];
    for (const text of texts) {
      sending.push(new Promise((resolve) => this.#options.send(itemTopic(item), text, resolve)));
      await this.#pace();
    }
    if (!moreFollow) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, takenMsMax);
    await Promise.race([Promise.all(sending), promise]);
    clearTimeout(timer);
  }
}

/** The newest value of an item; null when there is none, or when it or a later one is sent while it is read. */
export async function latestUnlessSent(
  items: Pick<LiveItems, 'latest'>,
  item: string,
  sentUs: ReadonlyMap<string, number>,
): Promise<ItemValue | null> {
  const beforeUs = sentUs.get(item);
  const found = (await items.latest([item])).get(item) ?? null;
  const lastUs = sentUs.get(item);
  if (found === null || lastUs === undefined || lastUs === beforeUs) return found;
  return lastUs >= found.timeUs ? null : found;
}

/** One value as points. */
export function pointsOf({ timeUs, value }: ItemValue): Points {
  return { timesUs: Float64Array.of(timeUs), values: Float64Array.of(value) };
}

/** The message of one value. */
export function valueText(timeUs: number, value: number): string {
  return `{"time":"${printInstant(timeUs)}","value":${value}}`;
}

/** The message of several values. */
export function frameText({ timesUs, values }: Points): string {
  const times = Array.from(timesUs, (us) => `"${printInstant(us)}"`);
  return `{"times":[${times.join(',')}],"values":[${values.join(',')}]}`;
}
