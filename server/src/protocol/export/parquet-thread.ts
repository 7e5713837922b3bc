/** The entry of a thread that encodes Parquet files. Files have numbers, which come first in the details of calls. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { Moved, PortCalls } from '#threads/port-calls';
import { runnerBeside, yieldProcessor } from '#threads/scheduling';
import { type Description, ParquetEncoder, type ParquetRows, type ParquetShape } from './parquet-encoder.ts';

/** What the thread is given: the port for calls, and the thread at its other end as the system knows it. */
export interface ParquetThreadData {
  port: MessagePort;
  caller: number | null;
}

yieldProcessor('largeReads');
const { port, caller } = workerData as ParquetThreadData;
const encoders = new Map<number, ParquetEncoder>();

function encoderOf(file: number): ParquetEncoder {
  const encoder = encoders.get(file);
  if (encoder === undefined) throw new Error(`Parquet file ${file} was not begun`);
  return encoder;
}

/** Bytes that the encoder has copied out, without another copy. */
function moved(bytes: Uint8Array<ArrayBuffer>): Moved | Uint8Array {
  return bytes.length === 0 ? bytes : new Moved(bytes, [bytes.buffer]);
}

const answers = {
  begin: ([file, shape]: [number, ParquetShape]) => void encoders.set(file, new ParquetEncoder(shape)),
  add: ([file, blocks]: [number, readonly ParquetRows[]]) => moved(encoderOf(file).add(blocks)),
  describe: ([file, descriptions]: [number, readonly Description[]]) =>
    moved(encoderOf(file).describe(descriptions)),
  end: ([file, next]: [number, string | null]) => moved(encoderOf(file).end(next)),
  leave: ([file]: [number]) => void encoders.delete(file),
};

new PortCalls(port, answers, runnerBeside(caller));
