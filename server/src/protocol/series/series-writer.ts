/** The interface through which protocols of other databases store their series; implemented by domain/ingest's `SeriesIngest`. */
import type { Account } from '#load/account';
import type { Columns } from '#model/frame';
import type { Series, SeriesDescription } from './series.ts';

/** Columns of series, in their order. */
export interface SeriesFrame {
  series: readonly Series[];
  /** Its keys are the input keys of the series. */
  columns: Columns;
}

/** Describes the signal that an input key makes when it is new. */
export type DescribeInput = (input: string) => SeriesDescription & { gapDetectionUs?: number };

/** Stores series of an integration. */
export interface SeriesWriter {
  /**
   * Stores frames that have no signal in common; all points are durable when it resolves. A failure may leave some of the frames
   * stored; storing them again is harmless.
   */
  insertAll(
    integration: string,
    frames: readonly Columns[],
    account: Account,
    describe: DescribeInput,
  ): Promise<void>;
  /** Input key → name of a state → its number, of those of these input keys whose signals have states. */
  states(
    integration: string,
    inputs: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
}
