/** Results that move to another thread without a copy: each column alone in a buffer of its own, so that nothing else goes with it. */
import type { Points } from '#model/frame';
import type { Rollup } from '#model/rollup';

/** A result for this thread, and what it is made to be for another one. */
export interface Movable<T> {
  result: T;
  move(): Moved<T>;
}

/** A result, and the buffers in it that may be given away. */
export interface Moved<T> {
  result: T;
  buffers: ArrayBuffer[];
}

/** Makes points transferable: columns that are part of a larger buffer are copied. The caller must own the points. */
export function scanColumns(runs: readonly Points[]): Movable<Points[]> {
  const result = runs.map(({ timesUs, values }) => ({ timesUs: alone(timesUs), values: alone(values) }));
  const buffers = () => result.flatMap(({ timesUs, values }) => [timesUs.buffer, values.buffer]);
  return { result, move: () => ({ result, buffers: buffers() }) };
}

/** Makes rollups transferable if they move. The caller must own them. */
export function rollupColumns(result: Rollup[]): Movable<Rollup[]> {
  return { result, move: () => movedRollups(result) };
}

function movedRollups(rollups: readonly Rollup[]): Moved<Rollup[]> {
  const buffers: ArrayBuffer[] = [];
  const moved = <K>(columns: ReadonlyMap<K, Float64Array>) =>
    new Map(
      [...columns].map(([key, column]) => {
        const own = alone(column);
        buffers.push(own.buffer);
        return [key, own] as const;
      }),
    );
  const result = rollups.map(({ statistics, states }) => ({
    statistics: moved(statistics),
    states: moved(states),
  }));
  return { result, buffers };
}

/** The column itself where it fills its buffer; an empty one is always made anew, since it may be a shared constant. */
function alone(column: Float64Array): Float64Array<ArrayBuffer> {
  const isAlone = column.length > 0 && column.byteLength === column.buffer.byteLength;
  return isAlone ? (column as Float64Array<ArrayBuffer>) : column.slice();
}
