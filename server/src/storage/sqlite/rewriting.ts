/** Blocks of a signal written anew with further points: what sealing and deletion have in common. */
import type { Points } from '#model/frame';
import { cutBlocks } from './cut.ts';
import { type BlockEntry, entryToRow } from './directory.ts';
import type { BlockChanges } from './messages.ts';
import { mergeRuns } from './runs.ts';
import type { SealGroup } from './seal-plan.ts';
import type { SnapshotReader } from './snapshot.ts';

/** Small neighbours that can be taken in on each side: enough for blocks that double in size up to a full one. */
const neighboursMax = 8;

/** Bytes a point of a signal that has no block yet: a guess. */
const densityGuess = 2;

/** The blocks between first and last point, and some on either side, ascending. */
export function blocksAround({ directory }: SnapshotReader, signal: number, { timesUs }: Points) {
  const entries = directory.backward(signal, timesUs[0], neighboursMax).reverse();
  let beyond = 0;
  for (const entry of directory.forward(signal, timesUs[0])) {
    if (entry.firstUs > timesUs[timesUs.length - 1] && ++beyond > neighboursMax) break;
    entries.push(entry);
  }
  return entries;
}

/** Collects what one step changes. */
export class ChangeBuilder {
  nextBlock: number;
  /** Points that were decoded or encoded: what the step has cost. */
  pointCount = 0;
  readonly #removed: BlockChanges['removed'] = [];
  readonly #removedBlocks = new Set<number>();
  readonly #added: BlockChanges['added'] = [];
  readonly #data: Uint8Array[] = [];

  constructor(nextBlock: number) {
    this.nextBlock = nextBlock;
  }

  /** Blocks added and removed. */
  get count(): number {
    return this.#removed.length + this.#added.length;
  }

  /** Removes a block. */
  remove(signal: number, { firstUs, block }: BlockEntry): void {
    this.#removed.push({ signal, firstUs, block });
    this.#removedBlocks.add(block);
  }

  /** Whether a block goes. */
  isRemoved(block: number): boolean {
    return this.#removedBlocks.has(block);
  }

  /** Writes the blocks of a group anew, with the group's points; `around` are blocks nearby, which tell the density. */
  rewrite(
    snapshot: SnapshotReader,
    signal: number,
    { entries, from, to }: SealGroup,
    { timesUs, values }: Points,
    around: readonly BlockEntry[],
  ): void {
    const added = { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) };
    const old = mergeRuns(entries.map((entry) => snapshot.blocks.load(signal, entry)));
    const merged = mergeRuns([old, added]);
    const density = densityOf(entries) ?? densityOf(around) ?? densityGuess;
    for (const entry of entries) this.remove(signal, entry);
    for (const { summary, data } of cutBlocks(merged, density)) this.#add(signal, summary, data);
    this.pointCount += merged.timesUs.length;
  }

  /** The changes; ends the builder. */
  finish(): BlockChanges {
    const data = new Uint8Array(this.#data.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const block of this.#data) {
      data.set(block, at);
      at += block.length;
    }
    return { nextBlock: this.nextBlock, removed: this.#removed, added: this.#added, data: data.buffer };
  }

  #add(signal: number, summary: Omit<BlockEntry, 'bytes' | 'block'>, data: Uint8Array): void {
    const entry = { ...summary, bytes: data.length, block: this.nextBlock++ };
    this.#added.push({ signal, row: entryToRow(entry) });
    this.#data.push(data);
  }
}

function densityOf(entries: readonly BlockEntry[]): number | null {
  const last = entries.at(-1);
  return last === undefined ? null : last.bytes / last.count;
}
