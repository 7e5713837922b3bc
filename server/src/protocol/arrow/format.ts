/** Constants of Arrow's metadata (Message.fbs, Schema.fbs, version 1.x). */

/** The media type of a stream. */
export const arrowType = 'application/vnd.apache.arrow.stream';

/** The name of the column of times. */
export const timeName = 'time';

/** Before the length of each message. */
export const continuation = 0xffffffff;

/** The version of the metadata; the layout of plain columns is the same in both. */
export const versions = { v4: 3, v5: 4 } as const;

/** Types of messages. */
export const messageTypes = { schema: 1, dictionary: 2, batch: 3 } as const;

/** Type tags of columns that are read or written. */
export const typeTags = { int: 2, float: 3, timestamp: 10 } as const;

/** Names by type tag, for messages. */
export const typeNames = [
  ...['none', 'null', 'int', 'float', 'binary', 'utf8', 'bool', 'decimal', 'date', 'time', 'timestamp'],
  ...['interval', 'list', 'struct', 'union', 'fixed-size binary', 'fixed-size list', 'map', 'duration'],
  ...['large binary', 'large utf8', 'large list', 'run-end encoded', 'binary view', 'utf8 view'],
  ...['list view', 'large list view'],
] as const;

/** Units of timestamps, by their number. */
export const timeUnits = ['s', 'ms', 'us', 'ns'] as const;

/** Precisions of floats, by their number. */
export const precisions = ['float16', 'float32', 'float64'] as const;

/** Slots of the tables. */
export const slots = {
  message: { version: 0, headerType: 1, header: 2, bodyBytes: 3 },
  schema: { endianness: 0, fields: 1, metadata: 2 },
  field: { name: 0, nullable: 1, typeTag: 2, type: 3, dictionary: 4, children: 5 },
  int: { bits: 0, isSigned: 1 },
  float: { precision: 0 },
  timestamp: { unit: 0, zone: 1 },
  batch: { rows: 0, nodes: 1, buffers: 2, compression: 3 },
} as const;
