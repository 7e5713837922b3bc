/** Signals to publish by their states: which are selected, and how many there are. */
import type { Item, PublishState, Signal } from '@tidemark/client/wire';
import type { ResultOf } from '../../platform/rpc/rpc.ts';

/** Which signals are published. */
export interface ManyOptions {
  /** Those without an item. */
  takesNew: boolean;
  /** Those that have changed since they were published. */
  takesChanged: boolean;
  /** Those whose items were edited; the edits are overwritten. */
  takesEdited: boolean;
  isVisible: boolean;
}

/** The counts by state, and of created and updated items, at the start. */
export const noCounts = {
  seen: 0,
  total: null as number | null,
  unpublished: 0,
  changed: 0,
  edited: 0,
  inSync: 0,
  created: 0,
  updated: 0,
};

/** Counts by state, and of created and updated items. */
export type ManyCounts = typeof noCounts;

/** The options by the states that they select. */
const optionOf = { unpublished: 'takesNew', changed: 'takesChanged', edited: 'takesEdited' } as const;

/** The number of signals that `options` would publish. */
export function countTaken(counts: ManyCounts, options: ManyOptions): number {
  const kinds = Object.keys(optionOf) as (keyof typeof optionOf)[];
  return kinds.reduce((sum, kind) => sum + (options[optionOf[kind]] ? counts[kind] : 0), 0);
}

/** A page of signals with their items and states. */
export interface Page {
  signals: readonly Signal[];
  items: ReadonlyMap<string, Item>;
  states: Readonly<Record<string, PublishState>>;
  total: number;
}

/** The result of publishing one signal. */
export type Saved = ResultOf<'console.publish.apply'>['itemsBySignal'][string];

type Kind = keyof typeof optionOf | 'inSync';

/** An edited item counts as edited even if its signal has changed too. */
function kindOf({ state, isItemEdited }: PublishState): Kind {
  if (state === 'unpublished') return 'unpublished';
  if (isItemEdited) return 'edited';
  return state === 'signal-changed' ? 'changed' : 'inSync';
}

/** Whether a signal in this state is selected. */
export function isTaken(state: PublishState | undefined, options: ManyOptions): boolean {
  const kind = state ? kindOf(state) : 'inSync';
  return kind !== 'inSync' && options[optionOf[kind]];
}

/** The counts with those of a page, and of what was saved of it. */
export function addPage(
  counts: ManyCounts,
  { signals, states, total }: Page,
  saved: readonly Saved[],
): ManyCounts {
  const kinds = signals.flatMap(({ id }) => (states[id] ? [kindOf(states[id])] : []));
  const add = (kind: Kind) => counts[kind] + kinds.filter((each) => each === kind).length;
  return {
    seen: counts.seen + signals.length,
    total,
    unpublished: add('unpublished'),
    changed: add('changed'),
    edited: add('edited'),
    inSync: add('inSync'),
    created: counts.created + saved.filter(({ created }) => created).length,
    updated: counts.updated + saved.filter(({ updated }) => updated).length,
  };
}
