/** Exports as Parquet (X9): the blocks go to a thread, and its bytes come back. */
import type { ExportBlock, ExportResource } from '#model/export';
import type { Description, ParquetRows, ParquetShape } from './parquet-encoder.ts';
import { ParquetFile } from './parquet-threads.ts';

/**
 * Blocks go to the thread together when there are so many values or blocks: a message and its answer take as long as to encode a
 * hundred values, and in the long form each series is a block.
 */
const gatheredValuesMin = 16_384;
const gatheredBlocksMax = 128;

/** Pieces of an answer. */
const pieceBytes = 256 * 1024;

/** A file that is encoded on another thread. Close it. */
export class ParquetFormat {
  readonly #file: ParquetFile;
  readonly #printResource: (resource: ExportResource) => string;
  #isClosed = false;
  #gathered: ParquetRows[] = [];
  #gatheredValues = 0;

  /** `printResource` describes a signal or an item as JSON. `Overload` when too many files are encoded already. */
  constructor(shape: ParquetShape, printResource: (resource: ExportResource) => string) {
    this.#printResource = printResource;
    this.#file = new ParquetFile(shape);
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
    yield* piecesOf(await this.#file.call('add', blocks, transfer));
  }

  async *#describe(resources: readonly ExportResource[]): AsyncGenerator<Buffer, void, void> {
    yield* this.#encode();
    const described = resources.map((one): Description => [one.resource.id, this.#printResource(one)]);
    yield* piecesOf(await this.#file.call('describe', described));
  }

  /** The end of the file. */
  async *tail(next: string | null): AsyncGenerator<Buffer, void, void> {
    yield* this.#encode();
    yield* piecesOf(await this.#file.call('end', next));
  }

  /** Gives up what is not encoded yet. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#file.close();
  }
}

function* piecesOf({ buffer, byteOffset, length }: Uint8Array): Generator<Buffer, void, void> {
  for (let start = 0; start < length; start += pieceBytes)
    yield Buffer.from(buffer, byteOffset + start, Math.min(pieceBytes, length - start));
}
