/** Signals and items: what saving, publishing, connecting and annotating mean (R8-R11), and the numbers that ingest needs. */

import { bug } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Annotations, Item, Signal } from '#model/signal';
import type { Clock } from '#model/world';
import type { XidSource } from '#model/xid';
import type { MetaStore, Selected } from '#storage/store';

/**
 * A write of a signal, as read from the wire: well-typed, not yet checked against R2. Attributes that are left out take
 * their default; annotations are merged into the stored ones, and `""` removes one (R8).
 */
export interface SignalChange {
  /** Default: the input key (signals), the signal's name (items). */
  name?: string;
  description?: string;
  /** `""` means the default. */
  valueType?: string;
  /** `""` means the default. */
  sourceType?: string;
  engUnit?: string;
  /** Microseconds; null and 0 mean unset. */
  sampleIntervalUs?: number | null;
  /** Microseconds; null and 0 mean unset. */
  gapDetectionUs?: number | null;
  /** In any order, duplicates allowed. */
  labels?: ReadonlyMap<string, readonly string[]>;
  enumValues?: ReadonlyMap<string, string>;
  annotations?: Annotations;
}

/** A write of an item: as a signal's, and whether screens show it (default false). */
export interface ItemChange extends SignalChange {
  visible?: boolean;
}

/** What became of one resource of a save (R8, R10). Neither: it was there and is as it was. */
export interface Saved {
  id: string;
  created: boolean;
  updated: boolean;
}

/** How to save. */
export interface SaveOptions {
  /** Leave what exists untouched; it is listed with `created` and `updated` false. */
  createOnly: boolean;
}

/** How to change a selection of signals (R11). */
export interface ChangeOptions {
  /** Write nothing; answer with what would be. */
  dryRun: boolean;
}

/** What ingest needs to know of a signal. */
export interface SignalNumber {
  id: string;
  /** {@link Signal.number}. */
  number: number;
}

/** What {@link Signals} works with. */
export interface SignalsOptions {
  meta: MetaStore;
  clock: Clock;
  ids: XidSource;
  /** How many input keys are remembered for ingest. Default 200,000 (about 200 bytes each). */
  numbersMax?: number;
}

/** Signals and items of every integration. */
export class Signals {
  readonly #meta: MetaStore;

  constructor(options: SignalsOptions) {
    this.#meta = options.meta;
  }

  /** Creates or replaces signals by input key (R8); the answer has every key, in order. `invalid-params` under `signalsByInput.<key>`. */
  async save(
    _integration: string,
    _changes: ReadonlyMap<string, SignalChange>,
    _options: SaveOptions,
  ): Promise<Map<string, Saved>> {
    return bug('not written yet');
  }

  /** Creates or replaces the items of signals, by signal ID (R10); the answer has every ID, in order. `invalid-params` under `itemsBySignal.<id>`. */
  async publish(
    _integration: string,
    _changes: ReadonlyMap<string, ItemChange>,
    _options: SaveOptions,
  ): Promise<Map<string, Saved>> {
    return bug('not written yet');
  }

  /** Lets the selected signals of an integration feed `item`; the signals as they are afterwards, in the query's order (R11). `invalid-params` at `item` when there is no such item. */
  async connect(
    _integration: string,
    _query: ResourceQuery,
    _item: string,
    _options: ChangeOptions,
  ): Promise<Selected<Signal>> {
    return bug('not written yet');
  }

  /** Lets the selected signals of an integration feed no item; the signals as they are afterwards, in the query's order (R11). */
  async disconnect(
    _integration: string,
    _query: ResourceQuery,
    _options: ChangeOptions,
  ): Promise<Selected<Signal>> {
    return bug('not written yet');
  }

  /** Merges annotations into signals by ID (R11); the signals as they are afterwards, in the order given. `invalid-params` under `data.<index>`. */
  async annotate(
    _integration: string,
    _changes: readonly { id: string; annotations: Annotations }[],
    _options: ChangeOptions,
  ): Promise<Selected<Signal>> {
    return bug('not written yet');
  }

  /** Signals of one integration, or of all when it is null (R13). */
  selectSignals(query: ResourceQuery, integration: string | null): Promise<Selected<Signal>> {
    return this.#meta.selectSignals(query, integration);
  }

  /** Items (R13). */
  selectItems(query: ResourceQuery): Promise<Selected<Item>> {
    return this.#meta.selectItems(query);
  }

  /** Items by ID, ascending by ID; unknown ones are left out. For `included` (R12). */
  async itemsById(_ids: readonly string[]): Promise<Item[]> {
    return bug('not written yet');
  }

  /** The signals that feed these items, ascending by number (R10). */
  signalsOfItems(items: readonly string[]): Promise<Signal[]> {
    return this.#meta.signalsOfItems(items);
  }

  /** The numbers of these input keys in their order, when all are remembered; else null: ask {@link numbers}. For the hot path. */
  cachedNumbers(_integration: string, _inputs: readonly string[]): SignalNumber[] | null {
    return bug('not written yet');
  }

  /** The numbers of these input keys (distinct) in their order; unknown ones become signals named by their key, in one transaction (R9). `invalid-params` under `data.series.<key>`. */
  async numbers(
    _integration: string,
    _inputs: readonly string[],
  ): Promise<(SignalNumber & { created: boolean })[]> {
    return bug('not written yet');
  }

  /** Ends following the store's changes. */
  close(): void {}
}
