/** Results that move to another thread without a copy: each column alone in a buffer of its own, so that nothing else goes with it. */
import type { Points } from '#model/frame';
import type { Rollup } from '#model/rollup';

/** A result, and the buffers in it that may be given away, which are asked for only if it moves. */
export interface Movable<T> {
  result: T;
  buffers(): ArrayBuffer[];
}

/** Makes points transferable: columns that are part of a larger buffer are copied. The caller must own the points. */
export function scanColumns(runs: readonly Points[]): Movable<Points[]> {
  const result = runs.map(({ timesUs, values }) => ({ timesUs: alone(timesUs), values: alone(values) }));
  return {
    result,
    buffers: () => result.flatMap(({ timesUs, values }) => [timesUs.buffer, values.buffer]),
  };
}

/** The same rollups: their columns were made for the answer, and share nothing. */
export function rollupColumns(result: Rollup[]): Movable<Rollup[]> {
  const columns = () =>
    result.flatMap(({ statistics, states }) => [...statistics.values(), ...states.values()]);
  return { result, buffers: () => columns().map((column) => column.buffer as ArrayBuffer) };
}

/** The column itself where it fills its buffer; an empty one is always made anew, since it may be a shared constant. */
function alone(column: Float64Array): Float64Array<ArrayBuffer> {
  const isAlone = column.length > 0 && column.byteLength === column.buffer.byteLength;
  return isAlone ? (column as Float64Array<ArrayBuffer>) : column.slice();
}
