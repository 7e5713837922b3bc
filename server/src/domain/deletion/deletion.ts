/** Deletion of points at an administrator's request (R15). */
import type { Act } from '#model/act';
import type { Clock } from '#model/environment';
import type { ResourceQuery } from '#model/filter';
import { printInstant } from '#model/instant-printer';
import type { MetaPart } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import type { Json } from '../audit/canonical.ts';
import { record } from '../audit/record.ts';
import { type OpenWindow, windowOf } from './open-window.ts';

/** The points to delete. */
interface DeletionRequest {
  integration: string;
  /** Selects among the integration's signals. */
  query: ResourceQuery;
  times: OpenWindow;
}

interface DeletionOptions {
  meta: MetaPart<'signals' | 'audit'>;
  series: SeriesStore;
  clock: Clock;
}

/** Deletes points. */
export class Deletion {
  readonly #options: DeletionOptions;

  constructor(options: DeletionOptions) {
    this.#options = options;
  }

  /**
   * Deletes the points of the selected signals in a time range; returns the number of each by signal ID, in the query's order. A
   * dry run only counts. The audit row is written first, with the counts: no points are deleted without it. `signal` ends only the
   * search for the signals, with its reason.
   */
  async deletePoints(
    act: Act,
    { integration, query, times }: DeletionRequest,
    { dryRun, signal }: { dryRun: boolean; signal?: AbortSignal },
  ): Promise<Map<string, number>> {
    const { meta, series } = this.#options;
    const { records } = await meta.signals.select(query, integration, signal);
    const numbers = records.map(({ number }) => number);
    const byId = (counts: readonly number[]) => new Map(records.map(({ id }, i) => [id, counts[i]]));
    const window = windowOf(times);
    const counted = byId(await series.countPoints(numbers, window));
    const isNothing = [...counted.values()].every((count) => count === 0);
    if (dryRun || isNothing) return counted;
    await this.#record(act, integration, times, counted);
    return byId(await series.deletePoints(numbers, window));
  }

  #record(
    act: Act,
    integration: string,
    times: OpenWindow,
    counted: ReadonlyMap<string, number>,
  ): Promise<void> {
    const { meta, clock } = this.#options;
    const pointsBySignal = Object.fromEntries([...counted].filter(([, count]) => count > 0));
    const change = { from: boundOf(times.fromUs), before: boundOf(times.beforeUs), pointsBySignal };
    return meta.write((tx) => record(tx, act, clock, { action: 'data.delete', target: integration, change }));
  }
}

function boundOf(us: number | null): Json {
  return us === null ? null : printInstant(us);
}
