/** The entry of a thread that encodes Parquet files. Files have numbers, which come first in the details of calls. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { PortCalls } from '#threads/port-calls';
import { yieldProcessor } from '#threads/scheduling';
import { type Description, ParquetEncoder, type ParquetRows, type ParquetShape } from './parquet-encoder.ts';

yieldProcessor('largeReads');
const encoders = new Map<number, ParquetEncoder>();

function encoderOf(file: number): ParquetEncoder {
  const encoder = encoders.get(file);
  if (encoder === undefined) throw new Error(`Parquet file ${file} was not begun`);
  return encoder;
}

new PortCalls(workerData as MessagePort, {
  begin: ([file, shape]: [number, ParquetShape]) => void encoders.set(file, new ParquetEncoder(shape)),
  add: ([file, blocks]: [number, readonly ParquetRows[]]) => encoderOf(file).add(blocks),
  describe: ([file, descriptions]: [number, readonly Description[]]) =>
    encoderOf(file).describe(descriptions),
  end: ([file, next]: [number, string | null]) => encoderOf(file).end(next),
  leave: ([file]: [number]) => void encoders.delete(file),
});
