/** A JSON-RPC answer with a data frame: bytes → the same with the frame as columns of numbers. */
import type { DataFrame } from '@tidemark/client/wire';
import { type Columns, readColumns } from './frame.ts';

/** An answer as far as it is read here; an error stays as it is. */
interface FrameAnswer<Data> {
  result?: { data: Data };
  error?: unknown;
}

/** Reads the bytes of an answer. Fails when they are no JSON. */
export function parseAnswer(bytes: ArrayBuffer): FrameAnswer<Columns> {
  const { result, ...rest } = JSON.parse(new TextDecoder().decode(bytes)) as FrameAnswer<DataFrame>;
  return result ? { ...rest, result: { ...result, data: readColumns(result.data) } } : rest;
}

/** The parts of an answer that can move to another thread in place of being copied. */
export function transferable({ result }: FrameAnswer<Columns>): ArrayBuffer[] {
  if (!result) return [];
  const { timesMs, series } = result.data;
  return [timesMs.buffer, ...series.map(({ values }) => values.buffer)];
}
