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

/** Counts by state, and of created and updated items. */
export interface ManyCounts {
  seen: number;
  total: number | null;
  unpublished: number;
  changed: number;
  edited: number;
  inSync: number;
  created: number;
  updated: number;
}

/** The counts at the start. */
export const noCounts: ManyCounts = {
  seen: 0,
  total: null,
  unpublished: 0,
  changed: 0,
  edited: 0,
  inSync: 0,
  created: 0,
  updated: 0,
};

/** The number of signals that `options` would publish. */
export function countTaken({ unpublished, changed, edited }: ManyCounts, options: ManyOptions): number {
  return (
    (options.takesNew ? unpublished : 0) +
    (options.takesChanged ? changed : 0) +
    (options.takesEdited ? edited : 0)
  );
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

type Kind = 'unpublished' | 'changed' | 'edited' | 'inSync';

/** An edited item counts as edited even if its signal has changed too. */
function kindOf({ state, isItemEdited }: PublishState): Kind {
  if (state === 'unpublished') return 'unpublished';
  if (isItemEdited) return 'edited';
  return state === 'signal-changed' ? 'changed' : 'inSync';
}

/** Whether a signal in this state is selected. */
export function isTaken(state: PublishState | undefined, options: ManyOptions): boolean {
  if (!state) return false;
  const takes = {
    unpublished: options.takesNew,
    changed: options.takesChanged,
    edited: options.takesEdited,
    inSync: false,
  };
  return takes[kindOf(state)];
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
