/** Shares one thread among several requests: each in turn works for a slice of time. */
import type { Piecework } from './series-reader.ts';

/** A request under way. */
export interface Task {
  id: number;
  work: Piecework<unknown>;
  /** Called once: with the result, or with what went wrong. */
  done(result: unknown): void;
  failed(error: unknown): void;
}

/** How long one request works before others, and messages, have their turn, ms. */
const sliceMs = 4;

/** Runs tasks until there are none. */
export class TaskLoop {
  #tasks: Task[] = [];
  #scheduled = false;

  add(task: Task): void {
    this.#tasks.push(task);
    this.#schedule();
  }

  /** Ends a task early; it fails with `reason`. */
  cancel(id: number, reason: unknown): void {
    const task = this.#tasks.find((other) => other.id === id);
    if (task === undefined) return;
    this.#tasks = this.#tasks.filter((other) => other !== task);
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
  #runSlice(task: Task): boolean {
    const endMs = performance.now() + sliceMs;
    try {
      while (performance.now() < endMs) {
        const step = task.work.next();
        if (step.done !== true) continue;
        task.done(step.value);
        return true;
      }
      return false;
    } catch (error) {
      task.failed(error);
      return true;
    }
  }
}
