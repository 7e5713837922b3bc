/** Data frames as Apache Arrow streams, and as columns. The only module that needs the package `apache-arrow`. */
import {
  type Data,
  type DataType,
  Field,
  Float64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  tableFromIPC,
  tableToIPC,
} from 'apache-arrow';
import type { Columns } from './frame.ts';

/** The columns of a stream that the service answered. */
export function readArrow(stream: Uint8Array): Columns {
  const { batches, schema, numRows } = tableFromIPC(stream);
  const columns = schema.fields.map(() => new Float64Array(numRows));
  let row = 0;
  for (const { data, numRows: rows } of batches) {
    for (const [i, child] of data.children.entries()) copyValues(child, columns[i].subarray(row, row + rows));
    row += rows;
  }
  const [timesUs, ...values] = columns;
  const keys = schema.fields.slice(1).map(({ name }) => name);
  return { timesUs, series: new Map(keys.map((key, i) => [key, values[i]])) };
}

function copyValues(data: Data, into: Float64Array): void {
  const values: Float64Array | BigInt64Array = data.values;
  for (let row = 0; row < into.length; row++) {
    into[row] = data.nullCount === 0 || data.getValid(row) ? Number(values[row]) : Number.NaN;
  }
}

/** The stream of columns, to be inserted: whatever is no number in them leaves what is stored. */
export function writeArrow({ timesUs, series }: Columns): Uint8Array<ArrayBuffer> {
  const time = new TimestampMicrosecond('UTC');
  const times = makeData({ type: time, data: BigInt64Array.from(timesUs, BigInt) });
  const fields = [new Field<DataType>('time', time, false)];
  const children: Data[] = [times];
  for (const [key, values] of series) {
    fields.push(new Field<DataType>(key, new Float64(), true));
    children.push(valuesData(values));
  }
  const length = timesUs.length;
  const batch = new RecordBatch(new Schema(fields), makeData({ type: new Struct(fields), length, children }));
  return new Uint8Array(tableToIPC(new Table([batch]), 'stream'));
}

function valuesData(values: Float64Array): Data {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
  let nullCount = 0;
  for (const [row, value] of values.entries()) {
    if (Number.isFinite(value)) nullBitmap[row >> 3] |= 1 << (row & 7);
    else nullCount++;
  }
  return makeData({ type: new Float64(), data: values, nullCount, nullBitmap });
}
