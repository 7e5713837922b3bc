/** The items that are watched in this thread, each once, with the signals that feed them now. */
import type { MetaStore } from '#storage/meta-store';

/** Items that are looked up in one read. */
const lookedUpAtOnce = 500;

type ItemsMeta = { items: Pick<MetaStore['items'], 'fedById'> } & Pick<MetaStore, 'revision'>;

interface WatchedItem {
  watchCount: number;
  /** Ascending. */
  signals: readonly number[];
}

/** Counts who watches what, and follows which signals feed it. */
export class WatchedItems {
  readonly #meta: ItemsMeta;
  readonly #items = new Map<string, WatchedItem>();
  /** Items that have not been looked up yet. */
  readonly #added = new Set<string>();
  #itemOfSignal: Map<number, string> | null = null;
  #signals: ReadonlySet<number> | null = null;
  #revision = -1;
  #version = 0;
  #lookingUp: Promise<void> | null = null;

  constructor(meta: ItemsMeta) {
    this.#meta = meta;
  }

  /** Number of different items. */
  get count(): number {
    return this.#items.size;
  }

  /** Grows whenever an item or its signals change. */
  get version(): number {
    return this.#version;
  }

  /** The signals of all items: the same object until something changes. */
  get signals(): ReadonlySet<number> {
    this.#signals ??= new Set([...this.#items.values()].flatMap(({ signals }) => signals));
    return this.#signals;
  }

  /** The signals that feed an item now, ascending. */
  signalsOf(item: string): readonly number[] {
    return this.#items.get(item)?.signals ?? [];
  }

  /** The item that a signal feeds, if it is watched. */
  itemOf(signal: number): string | undefined {
    this.#itemOfSignal ??= new Map(
      [...this.#items].flatMap(([id, { signals }]) => signals.map((fed) => [fed, id] as const)),
    );
    return this.#itemOfSignal.get(signal);
  }

  /** Watches items once more each; of those that do not exist, from when they do. */
  add(ids: readonly string[]): void {
    for (const id of ids) {
      const item = this.#items.get(id);
      if (item !== undefined) item.watchCount++;
      else {
        this.#items.set(id, { watchCount: 1, signals: [] });
        this.#added.add(id);
        this.#changed();
      }
    }
  }

  /** Watches items once less each. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) {
      const item = this.#items.get(id);
      if (item !== undefined && --item.watchCount === 0) this.#items.delete(id);
    }
    this.#changed();
  }

  /** Whether items have been added, or signals or items have changed, since they were looked up. */
  get isStale(): boolean {
    const isKnown = this.#revision === this.#meta.revision('signals');
    return this.#lookingUp !== null || this.#added.size > 0 || !isKnown;
  }

  /** Looks the items up until they are not stale: after a change all of them, else those that were added. */
  async settle(): Promise<void> {
    while (this.isStale) {
      this.#lookingUp ??= this.#lookUp().finally(() => {
        this.#lookingUp = null;
      });
      await this.#lookingUp;
    }
  }

  async #lookUp(): Promise<void> {
    const revision = this.#meta.revision('signals');
    const ids = [...(revision === this.#revision ? this.#added : this.#items.keys())];
    this.#added.clear();
    this.#revision = -1;
    for (let from = 0; from < ids.length; from += lookedUpAtOnce) {
      const some = ids.slice(from, from + lookedUpAtOnce);
      const found = new Map((await this.#meta.items.fedById(some)).map((item) => [item.id, item.signals]));
      for (const id of some) this.#feed(id, found.get(id) ?? []);
    }
    this.#revision = revision;
  }

  #feed(id: string, signals: readonly number[]): void {
    const item = this.#items.get(id);
    if (item === undefined || isSame(item.signals, signals)) return;
    item.signals = signals;
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    this.#signals = null;
    this.#itemOfSignal = null;
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((number, i) => number === b[i]);
}
