/** The reading side of the service: window → plan → one read → compute → frame. */
import type { Frame } from '#model/frame';
import { dataFrame } from './data-frame.ts';
import { evaluate } from './evaluate.ts';
import type { Reading } from './reading.ts';
import type { DataFrameRequest, EvaluateRequest, Evaluation, SelectDataRequest } from './request.ts';
import { selectData } from './select-data.ts';

/**
 * Reads data back. Everything is checked before anything is read; each call reads the series store once at most. `tell` is
 * told of that read.
 */
export class Query {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** The data half of the flat form (Q7). Fails with `invalid-params` by path; `signal` ends it early. */
  selectData(request: SelectDataRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Frame> {
    return selectData({ ...this.#reading, tell }, request, signal);
  }

  /** A data frame of items (Q7, Q8). Fails with `invalid-params` by path; `signal` ends it early. */
  dataFrame(request: DataFrameRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Frame> {
    return dataFrame({ ...this.#reading, tell }, request, signal);
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path; `signal` ends it early. */
  evaluate(request: EvaluateRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Evaluation> {
    return evaluate({ ...this.#reading, tell }, request, signal);
  }
}
