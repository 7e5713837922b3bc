/** Further data of signals. */
import type { PublishState, SignalSize, SignalStatus } from '@tidemark/client/wire';
import type { Trend } from './signal-trends.ts';

/** By signal ID; what is not there is not known yet. */
export interface SignalFacts {
  statuses: ReadonlyMap<string, SignalStatus | null>;
  states: ReadonlyMap<string, PublishState>;
  sizes: ReadonlyMap<string, SignalSize>;
  trends: ReadonlyMap<string, Trend>;
}
