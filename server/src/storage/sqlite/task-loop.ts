/** Runs several requests on one thread in time slices: a new one first, so that short ones do not wait for long ones. */
import type { Piecework } from './series-reader.ts';

/** A request that is being worked on. */
export interface Task<T = unknown> {
  id: number;
  work: Piecework<T>;
  /** Exactly one of these is called, once. Neither may throw. */
  done(result: T): void;
  failed(error: unknown): void;
}

/** Length of a time slice, ms. */
const sliceMs = 2;

/** Maximum number of first slices in succession while others wait. */
const newSlicesMax = 4;

/** Runs tasks until all are finished. */
export class TaskLoop {
  /** Tasks that have had no slice yet. */
  readonly #new: Task[] = [];
  readonly #begun: Task[] = [];
  #newSlices = 0;
  #scheduled = false;

  add<T>(task: Task<T>): void {
    this.#new.push(task);
    this.#schedule();
  }

  /** Ends a task early; it fails with `reason`, and statements that it was reading from are reset. */
  cancel(id: number, reason: unknown): void {
    const tasks = this.#new.some((task) => task.id === id) ? this.#new : this.#begun;
    const index = tasks.findIndex((task) => task.id === id);
    if (index < 0) return;
    const [task] = tasks.splice(index, 1);
    task.work.return(undefined);
    task.failed(reason);
  }

  #schedule(): void {
    if (this.#scheduled || this.#new.length + this.#begun.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const task = this.#next();
      if (task !== undefined && !this.#runSlice(task)) this.#begun.push(task);
      this.#schedule();
    });
  }

  #next(): Task | undefined {
    const isNew = this.#begun.length === 0 || (this.#new.length > 0 && this.#newSlices < newSlicesMax);
    this.#newSlices = isNew ? this.#newSlices + 1 : 0;
    return (isNew ? this.#new : this.#begun).shift();
  }

  /** Whether the task is finished. */
  #runSlice({ work, done, failed }: Task): boolean {
    const endMs = performance.now() + sliceMs;
    let step: IteratorResult<unknown>;
    try {
      do step = work.next();
      while (step.done !== true && performance.now() < endMs);
    } catch (error) {
      failed(error);
      return true;
    }
    if (step.done === true) done(step.value);
    return step.done === true;
  }
}
