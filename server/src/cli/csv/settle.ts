/**
 * Resolves local times of rows to instants. In an hour that is repeated at a clock change, the order of the rows decides: rows
 * ascend, so where they start again, the second hour begins. Rows of such an hour are buffered until it is over.
 */
import type { InstantsOf } from './local-time.ts';
import type { RowTime } from './time-pattern.ts';

/** A row whose time has been read. */
export interface TimedRow {
  time: RowTime;
  /** Approximate memory of the buffered row, bytes. */
  bytes: number;
}

/** A row with its instant, or the reason why it has none. */
export type Settled<Row> = { row: Row; us: number } | { row: Row; reason: string };

/** How to read local times. */
export interface SettleOptions {
  zone: string;
  instantsOf: InstantsOf;
  /** How to resolve times that the order of the rows does not decide; null: such rows are rejected. */
  ambiguous: 'first' | 'second' | null;
  /** Maximum bytes of buffered rows. Default 64 MiB. */
  heldBytesMax?: number;
}

interface Held<Row> {
  row: Row;
  local: number;
  instants: readonly number[];
}

/** The rows of one file, one after the other. */
export class RowSettler<Row extends TimedRow> {
  readonly #options: Required<SettleOptions>;
  #held: Held<Row>[] = [];
  #heldBytes = 0;
  /** The instant of the last row before the buffered ones. */
  #lastUs: number | null = null;
  /** Number of rows in repeated hours that were resolved by their order. */
  resolvedByOrder = 0;

  constructor(options: SettleOptions) {
    this.#options = { heldBytesMax: 64 * 1024 * 1024, ...options };
  }

  /** Adds the next row of the file. Returns the rows that are resolved now, in the file's order. */
  add(row: Row): Settled<Row>[] {
    const { us, isLocal } = row.time;
    if (!isLocal) return this.#pass(row, us);
    const instants = this.#options.instantsOf(us);
    if (instants.length === 1) return this.#pass(row, instants[0]);
    if (instants.length === 0) return [{ row, reason: this.#missing() }];
    return this.#hold({ row, local: us, instants });
  }

  /** Returns the rows that are still buffered; must be called after the last row. */
  end(): Settled<Row>[] {
    return this.#release(null);
  }

  #pass(row: Row, us: number): Settled<Row>[] {
    const released = this.#release(us);
    this.#lastUs = us;
    released.push({ row, us });
    return released;
  }

  #hold(held: Held<Row>): Settled<Row>[] {
    const first = this.#held[0];
    const isOther = first !== undefined && Math.abs(first.local - held.local) > dayUs;
    const released = isOther ? this.#release(held.instants[0]) : [];
    this.#held.push(held);
    this.#heldBytes += held.row.bytes;
    if (this.#heldBytes > this.#options.heldBytesMax) released.push(...this.#settle(null));
    return released;
  }

  /** Resolves the buffered rows, now that the row after them is known. */
  #release(nextUs: number | null): Settled<Row>[] {
    if (this.#held.length === 0) return [];
    return this.#settle(splitRuns(this.#held, this.#lastUs, nextUs));
  }

  #settle(runs: Runs | null): Settled<Row>[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    const { ambiguous } = this.#options;
    if (runs === null && ambiguous === null)
      return held.map(({ row }) => ({ row, reason: this.#doubtful() }));
    if (runs !== null) this.resolvedByOrder += held.length;
    return held.map(({ row, instants }, index) => {
      const isSecond =
        runs === null ? ambiguous === 'second' : index >= runs.secondFrom !== runs.isDescending;
      return { row, us: instants[isSecond ? 1 : 0] };
    });
  }

  #missing(): string {
    return `does not exist in ${this.#options.zone}: the clocks went forward`;
  }

  #doubtful(): string {
    return `occurs twice in ${this.#options.zone}, and the order of the rows does not show which is meant; use --ambiguous first or second`;
  }
}

const dayUs = 86_400_000_000;

/** Where the second run of an hour's rows begins; in a descending file that run is the first hour. */
interface Runs {
  secondFrom: number;
  isDescending: boolean;
}

/** Null when the rows do not show two runs. */
function splitRuns(
  held: readonly Held<unknown>[],
  beforeUs: number | null,
  afterUs: number | null,
): Runs | null {
  const ascending = { secondFrom: restart(held, 1), isDescending: false };
  const descending = { secondFrom: restart(held, -1), isDescending: true };
  const [start, end] = [beforeUs ?? held[0].instants[0], afterUs ?? held[0].instants[0]];
  const isKnown = start !== end;
  const found = [ascending, descending].filter(
    ({ secondFrom, isDescending }) => secondFrom > 0 && (!isKnown || isDescending === start > end),
  );
  if (isPair(held)) return found[0] ?? null;
  // Two rows are not enough to determine a direction.
  return found.length === 1 && (isKnown || held.length > 2) ? found[0] : null;
}

/** The index where rows that ascend (`direction` 1) or descend (-1) start again, 0 when they do so never or twice. */
function restart(held: readonly Held<unknown>[], direction: 1 | -1): number {
  if (isPair(held)) return 1;
  const places = held.keys().filter((i) => i > 0 && (held[i].local - held[i - 1].local) * direction < 0);
  const [first = 0, second] = [...places.take(2)];
  return second === undefined ? first : 0;
}

/** Rows an hour apart have the same local time twice. */
function isPair(held: readonly Held<unknown>[]): boolean {
  return held.length === 2 && held[0].local === held[1].local;
}
