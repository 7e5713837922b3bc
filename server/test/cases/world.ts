/** The world of one `.case` file: a store, and the items, signals and points that the file puts into it. */
import { Query } from '#domain/query/query';
import type { Clock } from '#model/environment';
import { type Limits, limitDefaults } from '#model/limits';
import type { Attributes, Item } from '#model/signal';
import { XidSource } from '#model/xid';
import type { MetaStore } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { attributes as attributesWith } from '../support/resources.ts';
import { SeededRandom } from '../support/world.ts';

/** A store to run cases on. */
export interface StorePair {
  meta: MetaStore;
  series: SeriesStore;
  close(): Promise<void>;
}

/** A clock that a script sets. */
export class ScriptClock implements Clock {
  us: number;

  constructor(us: number) {
    this.us = us;
  }

  nowUs(): number {
    return this.us;
  }
}

/** Items by the names that a script gives them. */
export class World {
  readonly clock = new ScriptClock(1_717_243_200_000_000);
  readonly #store: StorePair;
  readonly #ids = new XidSource(this.clock, new SeededRandom(7));
  readonly #items = new Map<string, Item>();
  /** `<item>/<n>` → the number of its signal. */
  readonly #signals = new Map<string, number>();

  constructor(store: StorePair) {
    this.#store = store;
  }

  /** A Query over the store. */
  query(limits: Partial<Limits>): Query {
    const { meta, series } = this.#store;
    return new Query({ meta, series, clock: this.clock, limits: { ...limitDefaults, ...limits } });
  }

  /** Forgets all names: what comes then has nothing to do with what was before. */
  clear(): void {
    this.#items.clear();
    this.#signals.clear();
  }

  /** Makes an item. */
  async add(name: string, attributes: Partial<Attributes>): Promise<void> {
    const item: Item = {
      id: this.#ids.next(),
      attributes: attributesWith({ name, ...attributes }),
      annotations: new Map(),
      visible: true,
      calculation: null,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    await this.#store.meta.write((tx) => tx.items.insert([item]));
    this.#items.set(name, item);
  }

  /** The item of this name. */
  item(name: string): Item | undefined {
    return this.#items.get(name);
  }

  /** A key of an answer with names in place of IDs. */
  nameKey(key: string): string {
    for (const [name, { id }] of this.#items) if (key.startsWith(id)) return name + key.slice(id.length);
    return key;
  }

  /** Adds points to a signal of an item, `name` or `name/2`; the signal is made when it is first named. */
  async load(signalName: string, points: readonly (readonly [number, number])[]): Promise<void> {
    const signal = this.#signals.get(signalName) ?? (await this.#addSignal(signalName));
    const sorted = points.toSorted(([a], [b]) => a - b);
    const timesUs = Float64Array.from(sorted, ([timeUs]) => timeUs);
    const values = Float64Array.from(sorted, ([, value]) => value);
    if (timesUs.length > 0) await this.#store.series.append({ timesUs, signals: [signal], values });
  }

  async #addSignal(signalName: string): Promise<number> {
    const item = this.#items.get(signalName.split('/')[0]);
    if (item === undefined) throw new Error(`no item for the signal ${signalName}`);
    const id = this.#ids.next();
    const { attributes, annotations } = item;
    const times = { createdAtMs: 0, updatedAtMs: 0 };
    const signal = {
      id,
      integration: '0'.repeat(20),
      input: id,
      attributes,
      annotations,
      item: item.id,
      ...times,
    };
    const [{ number }] = await this.#store.meta.write((tx) => tx.signals.insert([signal]));
    this.#signals.set(signalName, number);
    return number;
  }
}
