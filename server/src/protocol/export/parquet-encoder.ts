/**
 * Encodes the rows of an export as Parquet, a row group at a time (X9). A group takes about 0.1 s: it is done on a thread of its
 * own. The sole importer of hyparquet-writer.
 */
import {
  ByteWriter,
  type ColumnSource,
  type KeyValue,
  ParquetWriter,
  type SchemaElement,
} from 'hyparquet-writer';
import type { ExportBlock, ExportColumn, ExportSubject } from '#model/export';

/** What a file is made of. */
export interface ParquetShape {
  subject: ExportSubject;
  /** Of the wide form; null in the long form. */
  columns: readonly ExportColumn[] | null;
  /** Whether the long form has a column for the statistic. */
  isRolledUp: boolean;
  /** Whether the long form has a column for descriptions. */
  hasMetadata: boolean;
}

/** The rows of a block. */
export type ParquetRows = Pick<ExportBlock, 'columns' | 'timesUs' | 'values'>;

/** A signal or an item, described as JSON. */
export type Description = readonly [id: string, text: string];

/** Rows of a group in the long form; in the wide form fewer, so that it has about so many values as ten such groups. */
const groupRows = 100_000;
const groupValues = 1_000_000;

/** Series that are listed in the metadata of a file in the long form. */
const listedMax = 10_000;

/** Descriptions of a group of rows that has nothing else: a few MB. */
const describedMax = 4096;

const noBytes = new Uint8Array(0);

/** Encodes one file. */
export class ParquetEncoder {
  readonly #shape: ParquetShape;
  readonly #output = new ByteWriter();
  readonly #metadata: KeyValue[] = [];
  readonly #writer: ParquetWriter;
  readonly #rowsMax: number;
  readonly #listed = new Map<string, ExportColumn>();
  #descriptions: Description[] = [];
  #pending: ParquetRows[] = [];
  #rowCount = 0;

  constructor(shape: ParquetShape) {
    const { columns } = shape;
    this.#shape = shape;
    this.#rowsMax = Math.max(1, Math.min(groupRows, Math.floor(groupValues / ((columns?.length ?? 1) + 1))));
    const schema = columns === null ? longSchema(shape) : wideSchema(columns);
    this.#writer = new ParquetWriter({
      writer: this.#output,
      schema,
      kvMetadata: this.#metadata,
      createdBy: 'tidemark',
    });
    for (const column of columns ?? []) this.#listed.set(column.key, column);
  }

  /** Takes the rows of blocks; gives the bytes of the groups that are full, none if there is none. */
  add(blocks: readonly ParquetRows[]): Uint8Array<ArrayBuffer> {
    this.#writeDescriptions();
    for (const rows of blocks) this.#addRows(rows);
    return this.#take();
  }

  #addRows(rows: ParquetRows): void {
    for (const column of rows.columns)
      if (this.#listed.size < listedMax) this.#listed.set(column.key, column);
    for (let start = 0; start < rows.timesUs.length; ) {
      const end = Math.min(rows.timesUs.length, start + this.#rowsMax - this.#rowCount);
      this.#pending.push(slice(rows, start, end));
      this.#rowCount += end - start;
      if (this.#rowCount >= this.#rowsMax) this.#writeGroup();
      start = end;
    }
  }

  /** Takes descriptions, which come before the rows of what they describe; gives the bytes of full groups. */
  describe(descriptions: readonly Description[]): Uint8Array<ArrayBuffer> {
    this.#writeGroup();
    this.#descriptions.push(...descriptions);
    if (this.#descriptions.length >= describedMax) this.#writeDescriptions();
    return this.#take();
  }

  /** The rest of the file; `next` says where the export goes on, null: it is complete. */
  end(next: string | null): Uint8Array<ArrayBuffer> {
    this.#writeDescriptions();
    this.#writeGroup();
    this.#metadata.push({ key: 'tidemark.series', value: JSON.stringify([...this.#listed.values()]) });
    if (next !== null) this.#metadata.push({ key: 'tidemark.next', value: next });
    void this.#writer.finish();
    return this.#take();
  }

  #writeGroup(): void {
    const { columns } = this.#shape;
    const parts = this.#pending;
    this.#pending = [];
    this.#rowCount = 0;
    if (parts.length === 0) return;
    this.#write(columns === null ? longData(parts, this.#shape) : wideData(parts, columns));
  }

  #writeDescriptions(): void {
    const described = this.#descriptions;
    this.#descriptions = [];
    if (described.length > 0) this.#write(descriptionData(described, this.#shape));
  }

  #write(columnData: ColumnSource[]): void {
    void this.#writer.write({ columnData, rowGroupSize: Math.max(1, columnData[0].data.length) });
  }

  #take(): Uint8Array<ArrayBuffer> {
    const { index } = this.#output;
    if (index === 0) return noBytes;
    const bytes = new Uint8Array(this.#output.getBytes());
    this.#output.index = 0;
    return bytes;
  }
}

function slice({ columns, timesUs, values }: ParquetRows, start: number, end: number): ParquetRows {
  return {
    columns,
    timesUs: timesUs.subarray(start, end),
    values: values.map((column) => column.subarray(start, end)),
  };
}

const timeElement: SchemaElement = {
  name: 'time',
  type: 'INT64',
  repetition_type: 'REQUIRED',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
};

function textElement(name: string): SchemaElement {
  return {
    name,
    type: 'BYTE_ARRAY',
    repetition_type: 'REQUIRED',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  };
}

/** Rows that describe something have neither a time nor a value. */
function longSchema({ subject, isRolledUp, hasMetadata }: ParquetShape): SchemaElement[] {
  const repetition_type = hasMetadata ? 'OPTIONAL' : 'REQUIRED';
  const elements: SchemaElement[] = [
    { ...timeElement, repetition_type },
    textElement(idColumn(subject)),
    ...(isRolledUp ? [textElement('statistic')] : []),
    { name: 'value', type: 'DOUBLE', repetition_type },
    ...(hasMetadata ? [{ ...textElement('description'), repetition_type } as const] : []),
  ];
  return [{ name: 'schema', num_children: elements.length }, ...elements];
}

function wideSchema(columns: readonly ExportColumn[]): SchemaElement[] {
  const series = columns.map(({ key }): SchemaElement => {
    return { name: key, type: 'DOUBLE', repetition_type: 'OPTIONAL' };
  });
  return [{ name: 'schema', num_children: series.length + 1 }, timeElement, ...series];
}

function idColumn(subject: ExportSubject): string {
  return subject === 'items' ? 'item' : 'signal';
}

function descriptionData(described: readonly Description[], { subject }: ParquetShape): ColumnSource[] {
  const empty = new Array<null>(described.length).fill(null);
  return [
    { name: 'time', data: empty },
    { name: idColumn(subject), data: described.map(([id]) => id) },
    { name: 'value', data: empty },
    { name: 'description', data: described.map(([, text]) => text) },
  ];
}

/** One row for each value, in the order of time. */
function longData(
  parts: readonly ParquetRows[],
  { subject, isRolledUp, hasMetadata }: ParquetShape,
): ColumnSource[] {
  const times: bigint[] = [];
  const ids: string[] = [];
  const statistics: string[] = [];
  const data: number[] = [];
  for (const { columns, timesUs, values } of parts) {
    for (let row = 0; row < timesUs.length; row++) {
      for (let i = 0; i < columns.length; i++) {
        const value = values[i][row];
        if (Number.isNaN(value)) continue;
        times.push(BigInt(timesUs[row]));
        ids.push(columns[i].id);
        if (isRolledUp) statistics.push(columns[i].statistic ?? '');
        data.push(value);
      }
    }
  }
  return [
    { name: 'time', data: times },
    { name: idColumn(subject), data: ids },
    ...(isRolledUp ? [{ name: 'statistic', data: statistics }] : []),
    { name: 'value', data: Float64Array.from(data) },
    ...(hasMetadata ? [{ name: 'description', data: new Array<null>(data.length).fill(null) }] : []),
  ];
}

function wideData(parts: readonly ParquetRows[], columns: readonly ExportColumn[]): ColumnSource[] {
  const times = parts.flatMap(({ timesUs }) => Array.from(timesUs, BigInt));
  const series = columns.map(({ key }, i) => {
    const data = parts.flatMap(({ values }) =>
      Array.from(values[i], (value) => (Number.isNaN(value) ? null : value)),
    );
    return { name: key, data };
  });
  return [{ name: 'time', data: times }, ...series];
}
