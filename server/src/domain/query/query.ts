/** The reading side of the service: window → plan → one read → compute → frame. */
import type { Frame } from '#model/frame';
import { dataFrame } from './data-frame.ts';
import { evaluate } from './evaluate.ts';
import { ReadMemory } from './read-memory.ts';
import type { Reading } from './reading.ts';
import type { DataFrameRequest, EvaluateRequest, Evaluation, SelectDataRequest } from './request.ts';
import { selectData } from './select-data.ts';

/**
 * Reads data back. Everything is checked before anything is read; each call reads the series store once at most. `tell` is
 * told of that read.
 */
export class Query {
  readonly #parts: Omit<Reading, 'place' | 'tell'>;
  readonly #memory: ReadMemory;

  constructor(parts: Omit<Reading, 'place' | 'tell'>) {
    this.#parts = parts;
    this.#memory = new ReadMemory(parts.limits);
  }

  /** Bytes that the columns of running reads take. */
  get takenBytes(): number {
    return this.#memory.takenBytes;
  }

  /** The data half of the flat form (Q7). Fails with `invalid-params` by path; `signal` ends it early. */
  selectData(request: SelectDataRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Frame> {
    return this.#read(tell, (reading) => selectData(reading, request, signal));
  }

  /** A data frame of items (Q7, Q8). Fails with `invalid-params` by path; `signal` ends it early. */
  dataFrame(request: DataFrameRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Frame> {
    return this.#read(tell, (reading) => dataFrame(reading, request, signal));
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path; `signal` ends it early. */
  evaluate(request: EvaluateRequest, signal?: AbortSignal, tell?: Reading['tell']): Promise<Evaluation> {
    return this.#read(tell, (reading) => evaluate(reading, request, signal));
  }

  async #read<T>(tell: Reading['tell'], work: (reading: Reading) => Promise<T>): Promise<T> {
    const place = this.#memory.enter();
    try {
      return await work({ ...this.#parts, place, tell });
    } finally {
      place.leave();
    }
  }
}
