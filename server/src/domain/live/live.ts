/**
 * Live values: watches of items, to which each durable insert that touches them is handed once, in the order of the store,
 * whichever thread, process or node has stored it. `GET /v1/live` and the topics of items of the message broker are made of them:
 *
 *     const watch = await live.watch({ party: caller, items, after: null });
 *     for (let news; (news = await watch.next(signal)) !== null; ) …
 *     watch.close();
 *
 * One watch of a thread may serve many subscribers: {@link LiveWatch.add} and {@link LiveWatch.drop} change its items. The last
 * value of an item before the watch began is read with `Latest.ofItems`. The seam to a store is `SeriesStore.changes`.
 */
import { Overload } from '#load/overload';
import type { Log } from '#model/environment';
import { AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { Item } from '#model/signal';
import type { MetaStore } from '#storage/meta-store';
import type { ChangePosition, SeriesChanges, SeriesStore } from '#storage/store';
import type { NumberTables } from '#threads/number-table';
import { Shares } from '#threads/shares';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import { LiveFeed } from './live-feed.ts';
import { LiveWatch } from './live-watch.ts';
import { parsePosition } from './position.ts';
import { WatchedItems } from './watched-items.ts';

/** Dependencies of {@link Live}. */
export interface LiveOptions {
  meta: Pick<MetaStore, 'items' | 'signals' | 'revision'>;
  series: Pick<SeriesStore, 'scan' | 'changes'>;
  /** Looked at at each use. */
  limits: Pick<Limits, 'liveWatchersMax' | 'liveItemsMax' | 'liveQueueBytesMax' | 'integrationSharePercent'>;
  /** In which the threads of the process count watches. */
  tables: NumberTables;
  log: Log;
}

/** What is to be watched. */
export interface WatchRequest {
  /** The client that has the watch, for the limits: the ID of an integration or person. */
  party: string;
  /** IDs of items; an unknown one brings nothing until it exists. */
  items: readonly string[];
  /** The place after which to begin, as `position` of an event gave it; null: now. One that is not known begins with a reset. */
  after: string | null;
}

/** Items of one {@link Live.itemsAfter}. */
const itemsAtOnce = 500;

const notFollowed = 'Live values are not available on this store';

/** The watches of one thread. */
export class Live {
  readonly #options: LiveOptions;
  readonly #items: WatchedItems;
  readonly #changes: SeriesChanges | null;
  readonly #feed: LiveFeed | null;
  readonly #watchers: Shares;
  readonly #parties = new WeakMap<LiveWatch, string>();

  constructor(options: LiveOptions) {
    const { meta, series, tables, log } = options;
    const { changes = null } = series;
    this.#options = options;
    this.#items = new WatchedItems(meta);
    this.#changes = changes;
    this.#watchers = new Shares(tables, 'watchers of live values');
    const onEnded = (watch: LiveWatch) => this.#ended(watch);
    this.#feed = changes && new LiveFeed({ series, changes, items: this.#items, log, onEnded });
  }

  /** Watches of all threads. */
  get watcherCount(): number {
    return this.#watchers.total;
  }

  /** Fails with `invalid-params` at `items` when there are none or too many, or when one does not exist or is calculated. */
  async checkItems(ids: readonly string[]): Promise<void> {
    const { meta } = this.#options;
    const max = this.#options.limits.liveItemsMax;
    if (ids.length === 0) throw invalidParams({ items: ['must name at least one item'] });
    if (ids.length > max) throw invalidParams({ items: [`must be at most ${max} items, got ${ids.length}`] });
    const found = await meta.items.byId(ids);
    refuseCalculated(found);
    const known = new Set(found.map(({ id }) => id));
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    const described = [...(await describeUnknownItems(meta, unknown)).values()];
    throw invalidParams({ items: described.slice(0, problemsMax) });
  }

  /** Why an item has no live values; null: it may have some, once it exists. */
  async refusalOf(id: string): Promise<string | null> {
    const [item] = await this.#options.meta.items.byId([id]);
    return item === undefined || item.calculation === null ? null : notLive;
  }

  /**
   * The next items after an ID that may have live values, and the last ID that was looked at; null at the end. Ascending, a few
   * hundred at a time.
   */
  async itemsAfter(id: string): Promise<{ ids: string[]; last: string | null }> {
    const { records } = await this.#options.meta.items.select({
      filter: { op: 'gt', path: { field: 'id' }, value: id },
      ...{ sort: [], limit: itemsAtOnce, skip: 0, total: false },
    });
    const ids = records.filter(({ calculation }) => calculation === null).map(({ id }) => id);
    return { ids, last: records.at(-1)?.id ?? null };
  }

  /** Begins a watch. `Overload` when there are too many; `unavailable` when the store cannot be followed. */
  async watch({ party, items, after }: WatchRequest): Promise<LiveWatch> {
    const [changes, feed] = [this.#changes, this.#feed];
    if (changes === null || feed === null) throw new AppError('unavailable', notFollowed);
    if (!this.#watchers.take(party, 1, (own) => this.#mayWatch(own)))
      throw new Overload('too many streams of live values are open');
    try {
      const start = await startOf(changes, after);
      const queueBytesMax = () => this.#options.limits.liveQueueBytesMax;
      const watch = new LiveWatch(this.#supply(feed), items, start, queueBytesMax);
      this.#parties.set(watch, party);
      this.#items.add([...watch.items]);
      feed.add(watch);
      return watch;
    } catch (error) {
      this.#watchers.add(party, -1);
      throw error;
    }
  }

  /** Ends all watches. */
  close(): void {
    this.#feed?.close();
  }

  #mayWatch(own: number): boolean {
    const { liveWatchersMax: max, integrationSharePercent } = this.#options.limits;
    return this.#watchers.total < max && own < Math.max(1, (max * integrationSharePercent) / 100);
  }

  #supply(feed: LiveFeed) {
    return {
      catchUp: (watch: LiveWatch) => feed.catchUp(watch),
      end: (watch: LiveWatch) => feed.end(watch),
      added: (ids: readonly string[]) => {
        this.#items.add(ids);
        return this.#items.settle();
      },
      dropped: (ids: readonly string[]) => this.#items.drop(ids),
    };
  }

  #ended(watch: LiveWatch): void {
    this.#items.drop(watch.items);
    this.#watchers.add(this.#parties.get(watch) ?? '', -1);
  }
}

/** Calculated items have no points that an insert could bring (C6). */
function refuseCalculated(items: readonly Item[]): void {
  const calculated = items.filter(({ calculation }) => calculation !== null);
  const problems = calculated.slice(0, problemsMax).map(({ id }) => `${id} ${notLive}`);
  if (problems.length > 0) throw invalidParams({ items: problems });
}

/** Why a calculated item cannot be watched. */
const notLive =
  'is a calculated item, which has no live values: watch its inputs, and read it when they change';

/** Unknown items that an error describes. */
const problemsMax = 10;

async function startOf(
  changes: SeriesChanges,
  after: string | null,
): Promise<{ position: ChangePosition; isReset: boolean }> {
  const position = after === null ? null : parsePosition(after);
  if (position !== null) return { position, isReset: false };
  return { position: await changes.now(), isReset: after !== null };
}
