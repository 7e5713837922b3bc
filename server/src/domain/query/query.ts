/** The reading side of the service: window → plan → one read → compute → frame. */
import { unlimitedReadMemory } from '#load/read-memory';
import type { Frame } from '#model/frame';
import { dataFrame } from './data-frame.ts';
import { evaluate } from './evaluate.ts';
import type { Reading } from './reading.ts';
import type { DataFrameRequest, EvaluateRequest, Evaluation, SelectDataRequest } from './request.ts';
import { selectData } from './select-data.ts';

/**
 * Reads data back. Everything is checked before anything is read; each call reads the series store once at most. `tell` is
 * called with what that read takes; `memory` is what the call may use, and whoever made it gives it back (default: any amount).
 */
export class Query {
  readonly #parts: Omit<Reading, 'place' | 'tell'>;

  constructor(parts: Omit<Reading, 'place' | 'tell'>) {
    this.#parts = parts;
  }

  /** The data half of the flat form (Q7). Fails with `invalid-params` by path; `signal` ends it early. */
  selectData(
    request: SelectDataRequest,
    signal?: AbortSignal,
    tell?: Reading['tell'],
    memory = unlimitedReadMemory,
  ): Promise<Frame> {
    return selectData({ ...this.#parts, place: memory, tell }, request, signal);
  }

  /** A data frame of items (Q7, Q8). Fails with `invalid-params` by path; `signal` ends it early. */
  dataFrame(
    request: DataFrameRequest,
    signal?: AbortSignal,
    tell?: Reading['tell'],
    memory = unlimitedReadMemory,
  ): Promise<Frame> {
    return dataFrame({ ...this.#parts, place: memory, tell }, request, signal);
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path; `signal` ends it early. */
  evaluate(
    request: EvaluateRequest,
    signal?: AbortSignal,
    tell?: Reading['tell'],
    memory = unlimitedReadMemory,
  ): Promise<Evaluation> {
    return evaluate({ ...this.#parts, place: memory, tell }, request, signal);
  }
}
