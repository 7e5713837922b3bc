/** Rewrites blocks of a signal with additional points; used by sealing and deletion. */
import type { Points } from '#model/frame';
import { columnsIn } from '../codec/block.ts';
import { encodeColumn } from '../codec/block-times.ts';
import { crcOf } from '../codec/sealed-bytes.ts';
import { findParts, type TimeColumn, type TimesPart } from '../codec/time-parts.ts';
import { cutBlocks, isFull, type NewBlock } from './cut.ts';
import { type BlockEntry, entryToRow } from './directory.ts';
import type { BlockChanges, StrandedPoints } from './messages.ts';
import { mergeRuns } from './runs.ts';
import type { SealGroup } from './seal-plan.ts';
import type { SnapshotReader } from './snapshot.ts';
import { TimesPool } from './times-pool.ts';

/** Maximum number of small adjacent blocks on each side that can be merged: enough for sizes that double up to a full block. */
const neighboursMax = 8;

/** Estimated bytes per point of a signal that has no block yet. */
const densityGuess = 2;

/** The blocks between the first and the last point, and some before and after them, ascending. */
export function blocksAround({ directory }: SnapshotReader, signal: number, { timesUs }: Points) {
  const endUs = timesUs[timesUs.length - 1] + 1;
  return directory.around(signal, timesUs[0], endUs, neighboursMax, neighboursMax);
}

interface Added extends NewBlock {
  signal: number;
}

/** Points to be written to blocks; `columns`: IDs of time columns that may have their times. */
export interface NewPoints extends Points {
  columns?: readonly number[];
}

/** Collects the changes of one step. */
export class ChangeBuilder {
  nextBlock: number;
  /** Points decoded or encoded: the cost of the step. */
  pointCount = 0;
  /** Bytes of the added blocks and time columns, which the writer has to write. */
  byteCount = 0;
  readonly #removed: BlockChanges['removed'] = [];
  readonly #removedBlocks = new Set<number>();
  readonly #full: Added[] = [];
  readonly #small: Added[] = [];
  readonly #stranded: StrandedPoints[] = [];
  readonly #damage: string[] = [];
  readonly #columns: { id: number; data: Uint8Array }[] = [];
  readonly #pool: TimesPool;

  /** `pool`: the times that blocks can share, in addition to those of the blocks that they replace. */
  constructor(nextBlock: number, pool = new TimesPool()) {
    this.nextBlock = nextBlock;
    this.#pool = pool;
  }

  /** Blocks added and removed. */
  get count(): number {
    return this.#removed.length + this.#full.length + this.#small.length;
  }

  /** Removes a block. */
  remove(signal: number, { firstUs, block, count, bytes }: BlockEntry): void {
    this.#removed.push({ signal, firstUs, block, count, bytes });
    this.#removedBlocks.add(block);
  }

  /** Whether a block is removed. */
  isRemoved(block: number): boolean {
    return this.#removedBlocks.has(block);
  }

  /** Rewrites the blocks of a group, with the group's points; the density is estimated from `around`, the adjacent blocks. */
  rewrite(
    snapshot: SnapshotReader,
    signal: number,
    { entries, from, to }: SealGroup,
    { timesUs, values, columns = [] }: NewPoints,
    around: readonly BlockEntry[],
  ): void {
    const added = { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) };
    const old = entries.map((entry) => snapshot.blocks.load(signal, entry));
    const merged = mergeRuns([mergeRuns(old), added]);
    const known = new Set([...columns, ...old.flatMap((block) => block.columns)]);
    const parts = this.#partsOf(merged, signal, known, snapshot);
    const density = densityOf(entries) ?? densityOf(around) ?? densityGuess;
    for (const entry of entries) this.remove(signal, entry);
    for (const block of cutBlocks(merged, density, parts)) this.#add({ signal, ...block });
    this.pointCount += merged.timesUs.length;
  }

  /** Adds points that stay in the log, since they are within the time range of a damaged block. */
  strand(points: StrandedPoints): void {
    this.#stranded.push(points);
  }

  /** Adds a description of a damaged block. */
  noteDamage(what: string): void {
    this.#damage.push(what);
  }

  /**
   * Returns the changes; the builder must not be used afterwards. Full blocks are numbered before small ones: the rows of a
   * table are stored in order of their number, and a small block between two full ones would occupy a whole page.
   */
  finish(): BlockChanges {
    const data = new Uint8Array(this.byteCount);
    const added: BlockChanges['added'] = [];
    let at = 0;
    for (const block of [...this.#full, ...this.#small]) {
      const { signal, summary } = block;
      const entry = {
        ...{ ...summary, crc: crcOf(block.data) },
        ...{ bytes: block.data.length, block: this.nextBlock++ },
      };
      const { firstUs, count, bytes } = entry;
      added.push({ signal, firstUs, count, bytes, block: entry.block, row: entryToRow(entry) });
      data.set(block.data, at);
      at += block.data.length;
    }
    for (const column of this.#columns) {
      data.set(column.data, at);
      at += column.data.length;
    }
    const columns = this.#columns.map(({ id, data: { length } }) => ({ id, bytes: length }));
    const { nextBlock } = this;
    const [removed, stranded, damage] = [this.#removed, this.#stranded, this.#damage];
    return { nextBlock, removed, added, columns, data: data.buffer, stranded, damage };
  }

  #add(block: Added): void {
    const { data, summary } = block;
    (isFull(data.length, summary.count) ? this.#full : this.#small).push(block);
    this.byteCount += data.length;
    for (const id of columnsIn(data) ?? []) this.#addColumn(this.#pool.take(id));
  }

  #addColumn(column: TimeColumn | null): void {
    if (column === null) return;
    const data = encodeColumn(column);
    this.#columns.push({ id: column.id, data });
    this.byteCount += data.length;
  }

  /** Where times are in the new columns of the pool, or in those that are known. */
  #partsOf(
    { timesUs }: Points,
    signal: number,
    known: ReadonlySet<number>,
    { blocks }: SnapshotReader,
  ): TimesPart[] | null {
    const columns = [
      ...this.#pool.columnsFor(signal, () => this.nextBlock++),
      ...Array.from(known, (id) => ({ id, timesUs: blocks.timesOf(id) })),
    ];
    return columns.length === 0 ? null : findParts(timesUs, columns);
  }
}

function densityOf(entries: readonly BlockEntry[]): number | null {
  const last = entries.at(-1);
  return last === undefined ? null : last.bytes / last.count;
}
