/** Live values for a persistent session: from the place that its client has come to, as far as the store can tell. */
import {
  frameText,
  type ItemNews,
  type ItemWatch,
  type LiveItems,
  latestUnlessSent,
  pointsOf,
  valueText,
} from '../item-feed.ts';
import { itemFrameTopic, itemTopic } from '../topics.ts';
import type { WaitingMessage } from './message.ts';
import type { Outbox } from './outbox.ts';

/** Options of {@link ItemFollower}. */
export interface ItemFollowerOptions {
  items: LiveItems;
  outbox: Pick<Outbox, 'send'>;
  /** Whether the client wants a topic, and may have it now. */
  wants(topic: string): boolean;
  /** The client has everything up to a place. */
  onPlace(place: string): void;
}

/** Follows the items of one connection. */
export class ItemFollower {
  readonly #options: ItemFollowerOptions;
  readonly #watch: ItemWatch;
  /** The time of the newest value that was sent, by item. */
  readonly #sentUs = new Map<string, number>();

  private constructor(options: ItemFollowerOptions, watch: ItemWatch) {
    this.#options = options;
    this.#watch = watch;
  }

  /** Begins after a place. Rejects when there are too many that follow. */
  static async open(
    options: ItemFollowerOptions,
    start: { party: string; items: readonly string[]; after: string | null },
  ): Promise<ItemFollower> {
    return new ItemFollower(options, await options.items.watch(start));
  }

  /** Further items, from now on. */
  add(ids: readonly string[]): Promise<void> {
    return this.#watch.add(ids);
  }

  /** Items that are not wanted any more. */
  drop(ids: readonly string[]): void {
    this.#watch.drop(ids);
  }

  /** Ends following. */
  close(): void {
    this.#watch.close();
  }

  /** Sends what comes until it is closed. Rejects when the connection has ended. */
  async run(): Promise<void> {
    for (let news = await this.#watch.next(); news !== null; news = await this.#watch.next())
      await this.#sendNews(news);
  }

  /** Sends the newest value of an item as retained, unless a newer one was sent. */
  async sendLatest(item: string, topic: string): Promise<void> {
    const found = await latestUnlessSent(this.#options.items, item, this.#sentUs);
    if (found === null) return;
    const text =
      topic === itemTopic(item) ? valueText(found.timeUs, found.value) : frameText(pointsOf(found));
    await this.#options.outbox.send({ topic, payload: Buffer.from(text) }, { retain: true });
  }

  async #sendNews(news: ItemNews): Promise<void> {
    if (news.kind === 'reset') {
      await this.#sendNewest();
      this.#options.onPlace(news.position);
      return;
    }
    for (const { points, position } of news.events) {
      await this.#sendAll([...points].flatMap(([item, some]) => this.#messagesOf(item, some)));
      this.#options.onPlace(position);
    }
  }

  /** After a gap. */
  async #sendNewest(): Promise<void> {
    const found = await this.#options.items.latest([...this.#watch.items]);
    const values = [...found].flatMap(([item, value]) => (value === null ? [] : ([[item, value]] as const)));
    await this.#sendAll(values.flatMap(([item, value]) => this.#messagesOf(item, pointsOf(value))));
  }

  #messagesOf(item: string, points: ReturnType<typeof pointsOf>): WaitingMessage[] {
    const { timesUs, values } = points;
    const last = timesUs[timesUs.length - 1] ?? Number.NEGATIVE_INFINITY;
    this.#sentUs.set(item, Math.max(this.#sentUs.get(item) ?? Number.NEGATIVE_INFINITY, last));
    const message = (topic: string, text: string) => ({ topic, payload: Buffer.from(text) });
    const [frame, each] = [itemFrameTopic(item), itemTopic(item)];
    return [
      ...(this.#options.wants(frame) ? [message(frame, frameText(points))] : []),
      ...(this.#options.wants(each)
        ? Array.from(timesUs, (us, i) => message(each, valueText(us, values[i])))
        : []),
    ];
  }

  async #sendAll(messages: readonly WaitingMessage[]): Promise<void> {
    await Promise.all(messages.map((message) => this.#options.outbox.send(message)));
  }
}
