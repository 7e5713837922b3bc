/** The entry of a thread that encodes one Parquet file. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { PortCalls } from '#threads/port-calls';
import { yieldProcessor } from '#threads/scheduling';
import { type Description, ParquetEncoder, type ParquetRows, type ParquetShape } from './parquet-encoder.ts';

const { port, shape } = workerData as { port: MessagePort; shape: ParquetShape };
yieldProcessor('largeReads');
const encoder = new ParquetEncoder(shape);

new PortCalls(port, {
  add: (blocks: readonly ParquetRows[]) => encoder.add(blocks),
  describe: (descriptions: readonly Description[]) => encoder.describe(descriptions),
  end: (next: string | null) => encoder.end(next),
});
