/** The reading side of the service: window → plan → read → compute → frame. */
import { unlimitedReadMemory } from '#load/read-memory';
import type { Frame } from '#model/frame';
import { dataFrame } from './data-frame.ts';
import { evaluate } from './evaluate.ts';
import type { ReadFacts, Reading } from './reading.ts';
import type { DataFrameRequest, EvaluateRequest, Evaluation, SelectDataRequest } from './request.ts';
import { selectData } from './select-data.ts';

/**
 * Reads data. Parameters are checked before anything is read. A call reads the series store once, or once for each piece of a
 * long window. `tell` is called with the plan and cost of reads. `memory` is the budget of the call, released by its creator
 * (default: unlimited).
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
    return selectData({ ...this.#parts, place: memory, tell: tell && summed(tell) }, request, signal);
  }

  /** A data frame of items (Q7, Q8). Fails with `invalid-params` by path; `signal` ends it early. */
  dataFrame(
    request: DataFrameRequest,
    signal?: AbortSignal,
    tell?: Reading['tell'],
    memory = unlimitedReadMemory,
  ): Promise<Frame> {
    return dataFrame({ ...this.#parts, place: memory, tell: tell && summed(tell) }, request, signal);
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path; `signal` ends it early. */
  evaluate(
    request: EvaluateRequest,
    signal?: AbortSignal,
    tell?: Reading['tell'],
    memory = unlimitedReadMemory,
  ): Promise<Evaluation> {
    return evaluate({ ...this.#parts, place: memory, tell: tell && summed(tell) }, request, signal);
  }
}

/** Sums up the costs of the pieces of one call. */
function summed(tell: (facts: ReadFacts) => void): (facts: ReadFacts) => void {
  const sums = { buckets: 0, blocks: 0, points: 0 };
  return (facts) => {
    const told = { ...facts };
    for (const key of ['buckets', 'blocks', 'points'] as const) {
      const more = facts[key];
      if (more !== undefined) told[key] = sums[key] += more;
    }
    tell(told);
  };
}
