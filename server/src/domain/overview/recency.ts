/** The time of signals' newest points, and silent signals: those without a point for longer than their declared or usual gap. */
import { minuteUs } from '#model/duration';
import type { Clock } from '#model/environment';
import { conflict } from '#model/error';
import { type Filter, matchAll, type ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';
import type { Signal } from '#model/signal';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { pagesById } from '../signals/pages.ts';
import { newestOf } from './reads.ts';
import { silenceAfterUs } from './usual-gap.ts';

interface RecencyOptions {
  meta: Pick<MetaReads, 'signals'>;
  series: SeriesStore;
  clock: Clock;
  /** Read for each snapshot. */
  limits: Pick<Limits, 'recencySignalsMax'>;
}

/** The newest point of a signal. */
export interface SignalAge {
  id: string;
  integration: string;
  /** NaN: it has no points. */
  lastUs: number;
  /** The signal is silent if it has no point for longer than this, µs. */
  gapUs: number;
  isSilent: boolean;
}

/** The silent signals of one integration. */
export interface IntegrationSilence {
  integration: string;
  signals: number;
  silent: number;
  /** The newest point of all its signals; NaN: there is none. */
  lastUs: number;
}

/** A snapshot of all signals, at most some minutes old. */
interface RecencySummary {
  asOfUs: number;
  signals: number;
  silent: number;
  /** Most silent signals first. */
  integrations: readonly IntegrationSilence[];
}

/** Which signals, and in which order. */
export interface AgeQuery {
  /** Null: of all integrations. */
  integration: string | null;
  filter: Filter;
  isSilentOnly: boolean;
  /** Newest point at least so long ago, µs; signals without points are left out unless it is 0. */
  olderThanUs: number;
  /** Newest point less long ago than this, µs. */
  youngerThanUs: number;
  /** By the newest point; signals without points come last in either order. */
  order: 'newest' | 'oldest';
  skip: number;
  limit: number;
}

/** A page of signals by age. */
interface AgePage {
  asOfUs: number;
  total: number;
  ages: SignalAge[];
}

interface Snapshot {
  asOfUs: number;
  ages: readonly SignalAge[];
  summary: RecencySummary;
  /** Results by query, so that further pages of a table need no second selection. */
  selections: LruCache<string, readonly SignalAge[]>;
}

/** Signals read at a time, so that no thread is blocked for long. */
const pageSignals = 500;
/** Matches of a filter that are read at a time. */
const pageMatches = 1000;
/** A snapshot is cached for a multiple of the time that it took to create, within these bounds. */
const keptFactor = 20;
const keptUsMin = 5_000_000;
const keptUsMax = 10 * minuteUs;
/** Selections have as many signals together as this many snapshots, and there are four times as many of them at most. */
const selectedSnapshots = 2;

/**
 * Finds when signals had their newest point. Holds about 200 bytes per signal after the first call, and as many again while it
 * makes a snapshot. Its calls fail with `conflict` when there are more signals than the limit `recencySignalsMax`.
 */
export class Recency {
  readonly #options: RecencyOptions;
  #snapshot: Snapshot | null = null;
  #keptUntilUs = 0;
  #making: Promise<Snapshot> | null = null;

  constructor(options: RecencyOptions) {
    this.#options = options;
  }

  /** Counts of silent signals. Examines every signal; the result is shared by calls within the next seconds. */
  async summary(): Promise<RecencySummary> {
    return (await this.#recent()).summary;
  }

  /** A page of signals by age. */
  async list(query: AgeQuery, signal: AbortSignal): Promise<AgePage> {
    const snapshot = await this.#recent();
    const { skip, limit, ...selection } = query;
    const key = JSON.stringify(selection);
    const known = snapshot.selections.get(key);
    const found = known ?? (await this.#select(snapshot, selection, signal));
    if (known === undefined) snapshot.selections.set(key, found);
    return { asOfUs: snapshot.asOfUs, total: found.length, ages: found.slice(skip, skip + limit) };
  }

  async #select(
    { asOfUs, ages }: Snapshot,
    query: Omit<AgeQuery, 'skip' | 'limit'>,
    signal: AbortSignal,
  ): Promise<readonly SignalAge[]> {
    const { integration, filter, isSilentOnly, olderThanUs, youngerThanUs, order } = query;
    const matches = await this.#matches(filter, integration, signal);
    const isWanted = ({ id, integration: owner, lastUs, isSilent }: SignalAge) =>
      (integration === null || owner === integration) &&
      (!isSilentOnly || isSilent) &&
      (olderThanUs === 0 || asOfUs - lastUs >= olderThanUs) &&
      (youngerThanUs === Number.POSITIVE_INFINITY || asOfUs - lastUs < youngerThanUs) &&
      (matches === null || matches.has(id));
    return ages.filter(isWanted).sort(order === 'newest' ? byNewest : byOldest);
  }

  /** The IDs of the signals that a filter matches; null: it matches all. */
  async #matches(
    filter: Filter,
    integration: string | null,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string> | null> {
    if (filter.op === 'and' && filter.filters.length === 0) return null;
    const ids = new Set<string>();
    const { signals } = this.#options.meta;
    const select = (query: ResourceQuery) => signals.select(query, integration, signal);
    for await (const page of pagesById({ filter, pageMax: pageMatches }, select))
      for (const { id } of page) ids.add(id);
    return ids;
  }

  async #recent(): Promise<Snapshot> {
    if (this.#snapshot !== null && this.#options.clock.nowUs() < this.#keptUntilUs) return this.#snapshot;
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<Snapshot> {
    const { meta, clock } = this.#options;
    const asOfUs = clock.nowUs();
    await this.#requireFew();
    const owners = await meta.signals.owners();
    const ages: SignalAge[] = [];
    for (let i = 0; i < owners.length; i += pageSignals) {
      const page = owners.slice(i, i + pageSignals);
      ages.push(...(await this.#agesOf(await meta.signals.byId(page.map(({ id }) => id)), asOfUs)));
    }
    const tookUs = clock.nowUs() - asOfUs;
    this.#keptUntilUs = clock.nowUs() + Math.min(keptUsMax, Math.max(keptUsMin, keptFactor * tookUs));
    this.#snapshot = { asOfUs, ages, summary: summaryOf(asOfUs, ages), selections: selectionsOf(ages) };
    return this.#snapshot;
  }

  async #requireFew(): Promise<void> {
    const { meta, limits } = this.#options;
    const none = { filter: matchAll, sort: [], limit: 0, skip: 0, total: true };
    const { total } = await meta.signals.select(none, null);
    const max = limits.recencySignalsMax;
    if ((total ?? 0) <= max) return;
    throw conflict(
      `The newest points of at most ${max} signals are compared, and there are ${total}: raise the limit recencySignalsMax, which takes about 400 bytes of memory for each signal`,
    );
  }

  async #agesOf(signals: readonly Signal[], asOfUs: number): Promise<SignalAge[]> {
    const { series } = this.#options;
    const sources = signals.map(({ number }) => [number]);
    const newest = await newestOf({ series }, sources);
    const gapsUs = await silenceAfterUs(signals, asOfUs, series);
    return signals.map(({ id, integration }, i) => {
      const lastUs = newest[i]?.timeUs ?? Number.NaN;
      return { id, integration, lastUs, gapUs: gapsUs[i], isSilent: asOfUs - lastUs > gapsUs[i] };
    });
  }
}

/** Each counts as a quarter of a snapshot at least. */
function selectionsOf(ages: readonly SignalAge[]): Snapshot['selections'] {
  const leastSize = Math.max(1, ages.length / 4);
  return new LruCache(selectedSnapshots * Math.max(4, ages.length), ({ length }) =>
    Math.max(length, leastSize),
  );
}

function byNewest(a: SignalAge, b: SignalAge): number {
  return compareKnown(a, b) || b.lastUs - a.lastUs || compareIds(a, b);
}

function byOldest(a: SignalAge, b: SignalAge): number {
  return compareKnown(a, b) || a.lastUs - b.lastUs || compareIds(a, b);
}

/** Signals without points come last. */
function compareKnown(a: SignalAge, b: SignalAge): number {
  return Number(Number.isNaN(a.lastUs)) - Number(Number.isNaN(b.lastUs));
}

function compareIds(a: SignalAge, b: SignalAge): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function summaryOf(asOfUs: number, ages: readonly SignalAge[]): RecencySummary {
  const byId = new Map<string, IntegrationSilence>();
  for (const { integration, lastUs, isSilent } of ages) {
    const none = { integration, signals: 0, silent: 0, lastUs: Number.NaN };
    const sum = byId.getOrInsert(integration, none);
    sum.signals++;
    if (isSilent) sum.silent++;
    if (!(lastUs <= sum.lastUs)) sum.lastUs = Number.isNaN(lastUs) ? sum.lastUs : lastUs;
  }
  const integrations = [...byId.values()].sort((a, b) => b.silent - a.silent);
  const silent = integrations.reduce((sum, each) => sum + each.silent, 0);
  return { asOfUs, signals: ages.length, silent, integrations };
}
