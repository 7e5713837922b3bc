/** Exports as Parquet (X9): the blocks go to a thread, and its bytes come back. */
import { availableParallelism } from 'node:os';
import { Lane } from '#load/lane';
import type { ExportBlock, ExportResource } from '#model/export';
import { NumberTables } from '#threads/number-table';
import type { Description, ParquetRows, ParquetShape } from './parquet-encoder.ts';
import { type ParquetThread, takeThread, threadsMax } from './parquet-threads.ts';

/** Threads that compute at one time: a processor is left for the event loop, which waits for milliseconds where more want one. */
const computingMax = Math.min(threadsMax, Math.max(1, availableParallelism() - 1));

/** Files take turns, block by block. */
const computing = new Lane(
  'Parquet blocks',
  () => ({ runningMax: computingMax, waitingMax: threadsMax, ownRunningMax: 1 }),
  new NumberTables(),
);
let fileCount = 0;

/**
 * Blocks go to the thread together when there are so many values or blocks: a message and its answer take as long as to encode a
 * hundred values, and in the long form each series is a block.
 */
const gatheredValuesMin = 16_384;
const gatheredBlocksMax = 128;

/** Pieces of an answer. */
const pieceBytes = 256 * 1024;

/** A file that is encoded on a thread. Close it. */
export class ParquetFormat {
  readonly #thread: ParquetThread;
  readonly #printResource: (resource: ExportResource) => string;
  readonly #name = String(fileCount++);
  readonly #closing = new AbortController();
  #gathered: ParquetRows[] = [];
  #gatheredValues = 0;

  /** `printResource` describes a signal or an item as JSON. `Overload` when too many files are encoded already. */
  constructor(shape: ParquetShape, printResource: (resource: ExportResource) => string) {
    this.#printResource = printResource;
    this.#thread = takeThread(shape);
  }

  /** Nothing comes before the first group of rows. */
  async *head(): AsyncGenerator<Buffer, void, void> {}

  /** Takes the rows of a block; the bytes that are ready. */
  async *rows({ columns, timesUs, values, resources }: ExportBlock): AsyncGenerator<Buffer, void, void> {
    if (resources !== undefined) return yield* this.#describe(resources);
    this.#gathered.push({
      columns,
      timesUs: timesUs.slice(),
      values: values.map((column) => column.slice()),
    });
    this.#gatheredValues += timesUs.length * (1 + values.length);
    const isFull = this.#gatheredValues >= gatheredValuesMin || this.#gathered.length >= gatheredBlocksMax;
    if (isFull) yield* this.#encode();
  }

  /** Encodes the rows that were taken. */
  async *#encode(): AsyncGenerator<Buffer, void, void> {
    const blocks = this.#gathered;
    if (blocks.length === 0) return;
    this.#gathered = [];
    this.#gatheredValues = 0;
    const arrays = blocks.flatMap(({ timesUs, values }) => [timesUs, ...values]);
    const transfer = arrays.map(({ buffer }) => buffer as ArrayBuffer);
    yield* piecesOf(await this.#compute(() => this.#thread.call('add', blocks, transfer)));
  }

  async *#describe(resources: readonly ExportResource[]): AsyncGenerator<Buffer, void, void> {
    yield* this.#encode();
    const described = resources.map((one): Description => [one.resource.id, this.#printResource(one)]);
    yield* piecesOf(await this.#compute(() => this.#thread.call('describe', described)));
  }

  /** The end of the file. */
  async *tail(next: string | null): AsyncGenerator<Buffer, void, void> {
    yield* this.#encode();
    yield* piecesOf(await this.#compute(() => this.#thread.call('end', next)));
  }

  /** Has the thread compute when it is this file's turn. Rejects when the file is closed meanwhile. */
  async #compute(call: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const leave = await computing.enter(this.#name, () => this.#closing.signal);
    try {
      return await call();
    } finally {
      leave();
    }
  }

  /** Gives up what is not encoded yet. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    void this.#thread.leave();
  }
}

function* piecesOf({ buffer, byteOffset, length }: Uint8Array): Generator<Buffer, void, void> {
  for (let start = 0; start < length; start += pieceBytes)
    yield Buffer.from(buffer, byteOffset + start, Math.min(pieceBytes, length - start));
}
