/** A plant to read from: items fed by signals with points, in memory stores, behind a Query. */
import assert from 'node:assert/strict';
import { Query } from '#domain/query/query';
import {
  type Aggregated,
  type DataQuery,
  dataQueryDefaults,
  type EvaluateRequest,
  type ItemAggregation,
  type ItemGroup,
} from '#domain/query/request';
import { dataPaths } from '#methods/data-query';
import { parseDuration } from '#model/duration';
import type { Ending } from '#model/ending';
import { matchAll, type ResourceQuery } from '#model/filter';
import type { Frame } from '#model/frame';
import { parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import { type Limits, limitDefaults } from '#model/limits';
import type { Attributes, Item } from '#model/signal';
import type { Window } from '#model/window';
import type { Batch, ScanRequest, SeriesStore, SignalSize } from '#storage/store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { problemsIn } from '../../../support/problems.ts';
import { attributes as attributesWith } from '../../../support/resources.ts';
import { FixedClock } from '../../../support/world.ts';

/** `[time, value]` as text or UNIX seconds, and a number. */
export type Rows = readonly (readonly [string | number, number])[];

/** Counts the reads of a store, and shows the last one. */
export class CountingStore implements SeriesStore {
  readonly givesArraysAlone = true;
  reads = 0;
  scanned: ScanRequest | null = null;
  readonly #store: SeriesStore;

  constructor(store: SeriesStore) {
    this.#store = store;
  }

  append(batch: Batch): Promise<void> {
    return this.#store.append(batch);
  }

  scan(request: ScanRequest, ending?: Ending) {
    this.reads++;
    this.scanned = request;
    return this.#store.scan(request, ending);
  }

  deleteSignals(signals: readonly number[]): Promise<void> {
    return this.#store.deleteSignals(signals);
  }

  deletePoints(signals: readonly number[], window: Window): Promise<number[]> {
    return this.#store.deletePoints(signals, window);
  }

  countPoints(signals: readonly number[], window: Window): Promise<number[]> {
    return this.#store.countPoints(signals, window);
  }

  sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]> {
    return this.#store.sizes(signals, signal);
  }

  storedSignals(): Promise<number[]> {
    return this.#store.storedSignals();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** A store that rolls up by itself. */
class RollingStore extends CountingStore {
  readonly rollup: NonNullable<SeriesStore['rollup']>;

  constructor(store: SeriesStore, rollup: NonNullable<SeriesStore['rollup']>) {
    super(store);
    this.rollup = rollup;
  }
}

/** Stores with items, and a Query over them. The clock is fixed at 2026-03-01T12:00:00Z. */
export class Plant {
  readonly meta = new MemoryMetaStore();
  readonly series: CountingStore = new CountingStore(new MemorySeriesStore());
  readonly clock = new FixedClock();
  #created = 0;

  /** A Query over these stores; `rollup` gives the store that ability. */
  query(limits: Partial<Limits> = {}, rollup?: SeriesStore['rollup']): Query {
    const store = rollup === undefined ? this.series : new RollingStore(this.series, rollup);
    return new Query({
      meta: this.meta,
      series: store,
      clock: this.clock,
      limits: { ...limitDefaults, ...limits },
    });
  }

  /** An item fed by one signal for each list of points, created in that order. */
  async item(attributes: Partial<Attributes>, ...points: Rows[]): Promise<Item> {
    const item: Item = {
      id: this.#id('i'),
      attributes: attributesWith({ name: 'a', ...attributes }),
      annotations: new Map(),
      visible: true,
      calculation: null,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    await this.meta.write((tx) => tx.items.insert([item]));
    for (const rows of points) await this.#signal(item, rows);
    return item;
  }

  /** A calculated item; the inputs as of an evaluate call. */
  async calculated(
    formula: string,
    inputs: readonly ItemAggregation[],
    attributes: Partial<Attributes> = {},
    interval = 'PT10M',
  ): Promise<Item> {
    const width = parseDuration(interval);
    const intervalUs = width.kind === 'fixed' ? width.us : 0;
    const calculation = {
      ...{ formula, intervalUs, version: 1 },
      inputs: inputs.map(({ id, ...input }) => ({ item: id, ...input })),
    };
    const item: Item = {
      id: this.#id('c'),
      attributes: attributesWith({ name: 'c', sampleIntervalUs: intervalUs, ...attributes }),
      ...{ annotations: new Map(), visible: true, calculation, createdAtMs: 0, updatedAtMs: 0 },
    };
    await this.meta.write((tx) => tx.items.insert([item]));
    return item;
  }

  async #signal(item: Item, rows: Rows): Promise<void> {
    const id = this.#id('s');
    const { attributes, annotations } = item;
    const integration = '0'.repeat(20);
    const signal = {
      id,
      integration,
      input: id,
      attributes,
      annotations,
      item: item.id,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    const [{ number }] = await this.meta.write((tx) => tx.signals.insert([signal]));
    const sorted = rows.map(([time, value]) => [parseInstant(time), value]).sort(([a], [b]) => a - b);
    const timesUs = Float64Array.from(sorted, ([us]) => us);
    const values = Float64Array.from(sorted, ([, value]) => value);
    if (timesUs.length > 0) await this.series.append({ timesUs, signals: [number], values });
  }

  #id(letter: string): string {
    this.#created++;
    return `${letter}${String(this.#created).padStart(19, '0')}`;
  }
}

/** The query of these items, by ID ascending. */
export function queryOf(items: readonly Item[]): ResourceQuery {
  const values = items.map(({ id }) => id);
  const filter = { op: 'in', path: { field: 'id' }, values } as const;
  return { filter, sort: [], limit: 50, skip: 0, total: false };
}

/** Where the tests say that things come from. */
export const paths = dataPaths;

/** A data query in words: window and rollup as text. */
export function ask(
  from: string | null,
  before: string | null,
  rollup: string | null,
  more: Partial<DataQuery> = {},
): DataQuery {
  return {
    ...dataQueryDefaults,
    fromUs: from === null ? null : parseInstant(from),
    beforeUs: before === null ? null : parseInstant(before),
    rollup: rollup === null ? null : rollup === 'window' ? rollup : parseDuration(rollup),
    ...more,
  };
}

const unshifted: Omit<Aggregated, 'alias'> = { aggregation: 'avg', state: null, lead: 0, lag: 0 };

/** One item of an evaluate call. */
export function of(item: Item | string, alias: string, more: Partial<ItemAggregation> = {}): ItemAggregation {
  return { ...unshifted, id: typeof item === 'string' ? item : item.id, alias, ...more };
}

/** One group of an evaluate call; all items unless `query` says otherwise. */
export function group(alias: string, more: Partial<ItemGroup> = {}): ItemGroup {
  const query = { filter: matchAll, sort: [], limit: 51, skip: 0, total: false };
  return { ...unshifted, query, groupAggregation: 'avg', alias, ...more };
}

/** An evaluate call; formulas as `alias=formula`. */
export function evaluation(
  data: DataQuery,
  items: readonly ItemAggregation[],
  formulas: readonly string[] = [],
  groups: readonly ItemGroup[] = [],
): EvaluateRequest {
  const calculations = formulas.map((text) => {
    const at = text.indexOf('=');
    return { alias: text.slice(0, at), formula: text.slice(at + 1) };
  });
  return { items, groups, calculations, data, paths };
}

/** A frame as one line a row: the time, then the values in order, `-` for null. */
export function print(frame: Frame): string[] {
  const columns = [...frame.series.values()];
  return Array.from(frame.timesUs, printInstant).map((time, row) =>
    [time, ...columns.map((column) => (Number.isNaN(column[row]) ? '-' : String(column[row])))].join(' '),
  );
}

/** The parameter problems with which a call fails. */
export async function problemsOf(call: Promise<unknown>): Promise<Record<string, string[]>> {
  return call.then(() => assert.fail('the call did not fail'), problemsIn);
}
