/** Arrow streams of tests, written and read by the library `apache-arrow`. */
import {
  Float64,
  makeData,
  RecordBatchReader,
  Table,
  type Timestamp,
  TimestampMicrosecond,
  tableToIPC,
  Vector,
  vectorFromArray,
} from 'apache-arrow';

/** Times of any unit as a column; the numbers are written as they are. */
export function timeVector(
  times: readonly (number | bigint)[],
  type: Timestamp = new TimestampMicrosecond('UTC'),
): Vector {
  return new Vector([makeData({ type, data: BigInt64Array.from(times, BigInt) })]);
}

/** A column of doubles and nulls. */
export function doubles(values: readonly (number | null)[]): Vector {
  return vectorFromArray([...values], new Float64());
}

/** The stream of a table of these columns. */
export function streamOf(columns: Record<string, Vector>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(tableToIPC(new Table(columns), 'stream'));
}

/** What a stream has, as the library reads it: names, types, times in µs and values by column. */
export function readStream(bytes: Uint8Array) {
  const batches = [...RecordBatchReader.from(bytes)];
  const table = new Table(batches);
  const [timeField, ...fields] = table.schema.fields;
  const timesUs = batches.flatMap((batch) =>
    Array.from(batch.data.children[0].values as BigInt64Array, Number),
  );
  return {
    types: [timeField, ...fields].map((field) => `${field.name}: ${field.type}`),
    metadata: table.schema.metadata,
    rowCounts: batches.map((batch) => batch.numRows),
    timesUs,
    column: (key: string) => table.getChild(key) as Vector,
    /** The values by key. */
    get series(): Record<string, (number | null)[]> {
      return Object.fromEntries(fields.map((field, i) => [field.name, [...(table.getChildAt(i + 1) ?? [])]]));
    },
  };
}
