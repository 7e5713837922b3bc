/** Groups signals that are written in the same rows of the log, and therefore have the same times. */
import type { ColumnSet } from './head.ts';
import type { RowData } from './log-row.ts';

/** Signals that share rows with one another, directly or through others. */
export interface FrameGroup {
  signals: number[];
  /** The rows that have two of them or more, in no order. */
  rows: { data: Pick<RowData, 'timesUs'> | null }[];
}

/** The group of each signal; signals that are always alone in their rows have none. */
export function frameGroups(sets: Iterable<ColumnSet>): Map<number, FrameGroup> {
  const groups = new Map<number, FrameGroup>();
  for (const { signals, rows } of sets) {
    if (signals.length < 2) continue;
    const group = joined(groups, signals);
    for (const row of rows) group.rows.push(row);
  }
  return groups;
}

/** Joins the groups of these signals; the smaller ones are added to the largest. */
function joined(groups: Map<number, FrameGroup>, signals: Uint32Array): FrameGroup {
  let group: FrameGroup = { signals: [], rows: [] };
  for (const signal of signals) {
    const other = groups.get(signal);
    if (other === group) continue;
    if (other === undefined) addSignal(groups, group, signal);
    else if (other.signals.length < group.signals.length) merge(groups, group, other);
    else {
      merge(groups, other, group);
      group = other;
    }
  }
  return group;
}

function merge(groups: Map<number, FrameGroup>, into: FrameGroup, from: FrameGroup): void {
  for (const signal of from.signals) addSignal(groups, into, signal);
  for (const row of from.rows) into.rows.push(row);
}

function addSignal(groups: Map<number, FrameGroup>, group: FrameGroup, signal: number): void {
  group.signals.push(signal);
  groups.set(signal, group);
}
