/** What is inserted: frames of some shapes, each at times that were not sent before. */
import { jittered, states, steps, walk } from './data.ts';

/** The form of one request, rows × series, and what is expected of it. */
export interface Shape {
  name: string;
  rows: number;
  series: number;
  /** Distance of the rows, µs, and by how much each is late at most: whole seconds, or times that only this request has. */
  stepUs: number;
  jitterUs: number;
  /** Sets of signals that take turns, one for a request. */
  sets: number;
  values: (count: number, seed: number) => Float64Array;
  /** Points (1×1: requests) a second that a machine of two cores should reach. */
  least: number;
  /** As a share of the floor of the same run: machines differ, and have more to do at times. */
  leastOfFloor?: number;
}

const secondUs = 1e6;
const regular = { stepUs: secondUs, jitterUs: 0, sets: 1, values: walk };

/** A plant's minutes, one row of a large plant, a week of one signal with times of its own, the same of states, and a single value. */
export const shapes: readonly Shape[] = [
  { ...regular, name: '100×100', rows: 100, series: 100, least: 6e6, leastOfFloor: 0.8 },
  { ...regular, name: '1×1,000', rows: 1, series: 1000, jitterUs: 999_999, least: 1.2e6, leastOfFloor: 0.8 },
  {
    ...{ name: '10,080×1', rows: 10_080, series: 1, sets: 50, least: 2.5e6, leastOfFloor: 0.8 },
    ...{ stepUs: 60 * secondUs, jitterUs: 999_999, values: walk },
  },
  {
    ...{ name: '10,080×1 states', rows: 10_080, series: 1, sets: 50, least: 2.5e6, leastOfFloor: 0.8 },
    ...{ stepUs: 10 * secondUs, jitterUs: 999_999, values: states },
  },
  { ...regular, name: '1×1', rows: 1, series: 1, least: 5000 },
];

/** The shape with this name. */
export function shapeOf(name: string): Shape {
  const shape = shapes.find((each) => each.name === name);
  if (shape === undefined) throw new Error(`no shape ${name}`);
  return shape;
}

/** What one request inserts: the columns of the signals from `firstSignal` on. */
export interface InsertFrame {
  timesUs: Float64Array;
  firstSignal: number;
  columns: Float64Array[];
}

/** Different values that the requests of a shape have in turn. */
const valueSets = 20;

/** Makes the frames of a shape, one after the other in time. */
export class Frames {
  readonly #shape: Shape;
  readonly #values: Float64Array[];
  #count = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#values = Array.from({ length: shape.series }, (_, k) =>
      shape.values(shape.rows * valueSets, k + 1),
    );
  }

  next(): InsertFrame {
    const { rows, series, sets } = this.#shape;
    const count = this.#count++;
    const from = (count % valueSets) * rows;
    return {
      timesUs: this.#times(Math.floor(count / sets) * rows),
      firstSignal: (count % sets) * series,
      columns: this.#values.map((values) => values.subarray(from, from + rows)),
    };
  }

  #times(fromRow: number): Float64Array {
    const { rows, stepUs, jitterUs } = this.#shape;
    const startUs = Date.UTC(2024, 0, 1) * 1000 + fromRow * stepUs;
    return jitterUs === 0
      ? steps(rows, startUs, stepUs)
      : jittered(rows, startUs, { stepUs, jitterUs }, this.#count);
  }
}
