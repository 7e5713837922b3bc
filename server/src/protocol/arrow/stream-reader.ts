/** Reads an Arrow stream, the body of a request, into the columns of a data frame (W5b). */
import type { Columns } from '#model/frame';
import type { Steps } from '#model/steps';
import { Batch, rowsOf } from './batch.ts';
import { ColumnReading } from './column-reading.ts';
import { streamFault } from './fault.ts';
import { messageTypes } from './format.ts';
import { readMessage } from './message.ts';
import { SchemaReader, type StreamSchema } from './schema-reader.ts';

/** What a stream contains, before its values are read. */
export interface StreamOutline {
  schema: StreamSchema;
  rowCount: number;
  /** Where the first batch begins. */
  batchesAt: number;
  /** Memory of the columns. */
  bytes: number;
}

/** Work of reading the metadata of a batch, ns. */
const batchWork = 2000;

/** Reads streams, one in a body. */
export class StreamReader {
  readonly #schemas = new SchemaReader();

  /**
   * Reads the schema, and counts the rows. `invalid-params` when it is no stream of such a frame; a stream is as long as its
   * rows need, so the columns take at most 8 times as much memory.
   */
  *outline(bytes: Uint8Array, seriesMax: number): Steps<StreamOutline> {
    const first = readMessage(bytes, 0);
    if (first?.type !== messageTypes.schema) throw streamFault('it must begin with its schema');
    const schema = yield* this.#schemas.read(first.metadata, first.header, seriesMax);
    let rowCount = 0;
    for (let at = first.end; ; ) {
      const message = readMessage(bytes, at);
      if (message === null) break;
      rowCount += rowsOf(message, schema);
      at = message.end;
      yield batchWork;
    }
    return { schema, rowCount, batchesAt: first.end, bytes: 8 * rowCount * schema.types.length };
  }
}

/** Reads the values. `invalid-params` for any that is none, with its row. */
export function* readColumns(bytes: Uint8Array, outline: StreamOutline): Steps<Columns> {
  const reading = new ColumnReading(outline.schema.keys, outline.rowCount);
  for (let message = readMessage(bytes, outline.batchesAt); message !== null; ) {
    const batch = new Batch(message, outline.schema);
    while (batch.next < batch.partCount) yield reading.readSome(batch);
    reading.endBatch(batch);
    message = readMessage(bytes, message.end);
    yield batchWork;
  }
  return reading.finish();
}
