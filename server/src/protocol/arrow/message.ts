/** The messages of a stream: a schema and batches of rows, each with metadata and a body. */
import { streamFault } from './fault.ts';
import { FlatTable } from './flatbuffer-reader.ts';
import { continuation, slots, versions } from './format.ts';

/** A message of a stream. */
export interface Message {
  /** Where it begins in the stream. */
  at: number;
  type: number;
  /** Of the whole stream. */
  view: DataView;
  metadataAt: number;
  metadata: Uint8Array;
  header: FlatTable;
  bodyAt: number;
  /** Where the next one begins. */
  end: number;
}

const streamMagic = 'ARROW1';

/** The message that begins at a place; null for the marker of the end. */
export function readMessage(bytes: Uint8Array, at: number): Message | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (at + 8 > bytes.length) throw streamFault('it ends before its end marker; close its writer');
  if (view.getUint32(at, true) !== continuation) throw noMessage(bytes, at);
  const metadataBytes = view.getUint32(at + 4, true);
  const bodyAt = at + 8 + metadataBytes;
  if (metadataBytes === 0) return requireEnd(bytes, bodyAt);
  if (bodyAt > bytes.length) throw cutOff(at);
  const metadata = bytes.subarray(at + 8, bodyAt);
  const table = FlatTable.root(metadata);
  const { version, headerType, header: headerSlot, bodyBytes } = slots.message;
  const header = table.table(headerSlot);
  if (header === null || table.int16(version) < versions.v4) throw noMessage(bytes, at);
  const end = bodyAt + table.size(bodyBytes);
  if (end > bytes.length) throw cutOff(at);
  return { at, type: table.uint8(headerType), view, metadataAt: at + 8, metadata, header, bodyAt, end };
}

function requireEnd(bytes: Uint8Array, end: number): null {
  if (bytes.length === end) return null;
  throw streamFault(`${bytes.length - end} bytes follow its end marker; send one stream`);
}

function noMessage(bytes: Uint8Array, at: number) {
  const isFile =
    at === 0 && Buffer.from(bytes.subarray(0, streamMagic.length)).equals(Buffer.from(streamMagic));
  if (isFile) return streamFault('it is an Arrow file; write the streaming format');
  return streamFault(`no message of Arrow 0.15 or later begins at byte ${at}`);
}

function cutOff(at: number) {
  return streamFault(`the message at byte ${at} is cut off`);
}
