/** The entry of a thread that encodes Parquet, one file at a time. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { PortCalls } from '#threads/port-calls';
import { yieldProcessor } from '#threads/scheduling';
import { type Description, ParquetEncoder, type ParquetRows, type ParquetShape } from './parquet-encoder.ts';

const { port } = workerData as { port: MessagePort };
yieldProcessor('largeReads');
let encoder: ParquetEncoder | null = null;

/** That of the file that was begun. */
function current(): ParquetEncoder {
  if (encoder === null) throw new Error('no Parquet file was begun');
  return encoder;
}

new PortCalls(port, {
  begin(shape: ParquetShape) {
    encoder = new ParquetEncoder(shape);
  },
  leave() {
    encoder = null;
  },
  add: (blocks: readonly ParquetRows[]) => current().add(blocks),
  describe: (descriptions: readonly Description[]) => current().describe(descriptions),
  end: (next: string | null) => current().end(next),
});
