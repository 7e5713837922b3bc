/** Sizes of signals and of integrations. */
import type { Stopwatch } from '#model/environment';
import type { Signal } from '#model/signal';
import type { MetaReads, SignalOwner } from '#storage/meta-store';
import type { SeriesStore, SignalSize } from '#storage/store';

/** The total size of an integration's signals. */
interface IntegrationSize extends SignalSize {
  integration: string;
}

/** One of the largest signals. */
interface LargeSignal extends SignalSize {
  signal: Signal;
}

/** The contents of the store, possibly some minutes old. */
export interface StoreSizes {
  /** Age of these figures, s. */
  ageS: number;
  /** Of all signals together. */
  total: SignalSize;
  /** The largest first; those without signals are left out. */
  integrations: readonly IntegrationSize[];
  /** The largest first. */
  largest: readonly LargeSignal[];
}

/** Minimum time between two counts of the whole store, ms. */
const keptMs = 5 * 60_000;

/** Signals among {@link StoreSizes.largest}. */
const largestMax = 20;

/** Dependencies of {@link Sizes}. */
export interface SizesOptions {
  meta: Pick<MetaReads, 'signals'>;
  series: SeriesStore;
  stopwatch: Stopwatch;
}

/** Finds sizes. */
export class Sizes {
  readonly #options: SizesOptions;
  #known: { atMs: number; sizes: Omit<StoreSizes, 'ageS'> } | null = null;
  #counting: Promise<Omit<StoreSizes, 'ageS'>> | null = null;

  constructor(options: SizesOptions) {
    this.#options = options;
  }

  /** The size of each signal. Unknown IDs are left out. */
  async ofSignals(ids: readonly string[], signal: AbortSignal): Promise<Map<string, SignalSize>> {
    const signals = await this.#options.meta.signals.byId(ids);
    const sizes = await this.#options.series.sizes(
      signals.map(({ number }) => number),
      signal,
    );
    return new Map(signals.map(({ id }, i) => [id, sizes[i]]));
  }

  /** Everything, at most five minutes old. Scans all signals and blocks; concurrent callers share one scan. */
  async ofAll(): Promise<StoreSizes> {
    const known = this.#known;
    const ageMs =
      known === null ? Number.POSITIVE_INFINITY : this.#options.stopwatch.elapsedMs() - known.atMs;
    if (known !== null && ageMs < keptMs) return { ...known.sizes, ageS: ageMs / 1000 };
    this.#counting ??= this.#count().finally(() => {
      this.#counting = null;
    });
    return { ...(await this.#counting), ageS: 0 };
  }

  async #count(): Promise<Omit<StoreSizes, 'ageS'>> {
    const owners = await this.#options.meta.signals.owners();
    const found = await this.#options.series.sizes(owners.map(({ number }) => number));
    const sizes = {
      total: sumOf(found),
      integrations: byIntegration(owners, found),
      largest: await this.#largestOf(owners, found),
    };
    this.#known = { atMs: this.#options.stopwatch.elapsedMs(), sizes };
    return sizes;
  }

  async #largestOf(owners: readonly SignalOwner[], sizes: readonly SignalSize[]): Promise<LargeSignal[]> {
    const order = owners.map((_, i) => i).sort((a, b) => sizes[b].bytes - sizes[a].bytes);
    const top = order.slice(0, largestMax).filter((i) => sizes[i].points > 0);
    const signals = await this.#options.meta.signals.byId(top.map((i) => owners[i].id));
    const byId = new Map(signals.map((signal) => [signal.id, signal]));
    return top.flatMap((i) => {
      const signal = byId.get(owners[i].id);
      return signal === undefined ? [] : [{ signal, ...sizes[i] }];
    });
  }
}

function byIntegration(owners: readonly SignalOwner[], sizes: readonly SignalSize[]): IntegrationSize[] {
  const sums = new Map<string, IntegrationSize>();
  for (const [i, { integration }] of owners.entries()) {
    add(sums.getOrInsert(integration, { integration, points: 0, bytes: 0 }), sizes[i]);
  }
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes);
}

function sumOf(sizes: readonly SignalSize[]): SignalSize {
  const sum = { points: 0, bytes: 0 };
  for (const size of sizes) add(sum, size);
  return sum;
}

function add(sum: SignalSize, { points, bytes }: SignalSize): void {
  sum.points += points;
  sum.bytes += bytes;
}
