/** Runs several requests on one thread in time slices. */
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
const sliceMs = 4;

/** Runs tasks until all are finished. */
export class TaskLoop {
  #tasks: Task[] = [];
  #scheduled = false;

  add<T>(task: Task<T>): void {
    this.#tasks.push(task);
    this.#schedule();
  }

  /** Ends a task early; it fails with `reason`, and statements that it was reading from are reset. */
  cancel(id: number, reason: unknown): void {
    const task = this.#tasks.find((other) => other.id === id);
    if (task === undefined) return;
    this.#tasks = this.#tasks.filter((other) => other !== task);
    task.work.return(undefined);
    task.failed(reason);
  }

  #schedule(): void {
    if (this.#scheduled || this.#tasks.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const task = this.#tasks.shift();
      if (task !== undefined && !this.#runSlice(task)) this.#tasks.push(task);
      this.#schedule();
    });
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
