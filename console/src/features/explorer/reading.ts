/** What an item is at an instant: its value with its unit, or its state and how long that holds. */
import { type Column, nearestRow } from './frame.ts';
import { stateText } from './item.ts';
import type { Loaded, PlottedItem } from './plot.ts';
import { partAt, type StateSpan } from './state-band.ts';
import { printNumber } from './ticks.ts';

/** A place in the loaded rows: states are read at the instant, numbers in the row. */
export interface Cursor {
  row: number;
  atMs: number;
}

/** What an item is at an instant. */
export interface Reading {
  /** Null: no number then, or its item has states. */
  value: number | null;
  /** How much older than the instant the value is, ms: points of several items seldom coincide. */
  ageMs: number;
  /** Min and max of its bucket. */
  band: readonly [low: number, high: number] | null;
  /** What it is compared with. */
  earlier: number | null;
  /** The occurrence of the state that holds; null: none, or its item has numbers. */
  held: StateSpan | null;
  /** `12.5 m³/h`, `running`, `no value`. */
  text: string;
}

/** Reads an item at an instant. */
export function readingAt(plotted: PlottedItem, loaded: Loaded, { row, atMs }: Cursor): Reading {
  const { item, band, column, earlier, line } = plotted;
  const none: Reading = { value: null, ageMs: 0, band: null, earlier: null, held: null, text: 'no value' };
  if (band) {
    const held = partAt(band, atMs);
    return { ...none, held, text: held ? stateText(item, held.state) : 'no state' };
  }
  const found = rowHeld(column, row, loaded, item.gapMs);
  const before = earlier && rowHeld(earlier, row, loaded, item.gapMs);
  const [low, high] = [line?.band?.low[row], line?.band?.high[row]];
  const value = found === null ? null : column[found]!;
  return {
    ...none,
    value,
    ageMs: found === null ? 0 : loaded.rows.timesMs[row]! - loaded.rows.timesMs[found]!,
    band: low === undefined || high === undefined ? null : [low, high],
    earlier: before === null ? null : earlier![before]!,
    text: value === null ? none.text : printAmount(value, line?.unit ?? item.unit),
  };
}

/** The place in the loaded rows that is nearest to an instant; null where no rows are, or it is outside of them. */
export function cursorAt(loaded: Loaded, atMs: number): Cursor | null {
  const { timesMs } = loaded.rows;
  const row = nearestRow(timesMs, atMs);
  const { fromMs, toMs } = loaded.span;
  return row < 0 || atMs < fromMs || atMs > toMs ? null : { row, atMs };
}

/** `12.5 m³/h`. */
function printAmount(value: number, unit: string): string {
  return unit === '' ? printNumber(value) : `${printNumber(value)} ${unit}`;
}

/** `+1.5`, `−2`, `±0`. */
export function printChange(change: number): string {
  if (change === 0) return '±0';
  return change > 0 ? `+${printNumber(change)}` : `−${printNumber(-change)}`;
}

/** Looking back further than this for a value would take longer than a frame. */
const rowsBackMax = 2000;

/** The row whose value holds: this one, or among points the last before it that is not older than the gap detection. */
function rowHeld(column: Column, row: number, { rows, rollup }: Loaded, gapMs: number | null): number | null {
  if (column[row] !== undefined) return row;
  if (rollup !== null) return null;
  const oldestMs = rows.timesMs[row]! - (gapMs ?? Number.POSITIVE_INFINITY);
  for (let at = row - 1; at >= Math.max(0, row - rowsBackMax); at--) {
    if (rows.timesMs[at]! < oldestMs) return null;
    if (column[at] !== undefined) return at;
  }
  return null;
}
