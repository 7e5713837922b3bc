/** Connections for concurrent tasks of one kind; further tasks wait until one is free. */

/** A connection that one task at a time may use. */
export interface Connection {
  /** Ends the task's transaction, so that the connection can be used again. */
  end(): void;
  close(): void;
}

interface Waiting<C> {
  id: number;
  start(connection: C): void;
}

/** Assigns connections to tasks, in order of their arrival. */
export class Slots<C extends Connection> {
  readonly #slotsMax: number;
  readonly #open: () => C;
  readonly #failed: (id: number, error: unknown) => void;
  readonly #free: C[] = [];
  readonly #busy = new Set<C>();
  #waiting: Waiting<C>[] = [];

  /** `open` opens another connection, `failed` is called with the ID of a task that could not be started. */
  constructor(slotsMax: number, open: () => C, failed: (id: number, error: unknown) => void) {
    this.#slotsMax = slotsMax;
    this.#open = open;
    this.#failed = failed;
  }

  /** Calls `start` when a connection is free; the task has it until {@link release}, unless `start` throws. */
  submit(id: number, start: (connection: C) => void): void {
    this.#waiting.push({ id, start });
    this.#startWaiting();
  }

  /** Forgets a task that is still waiting. */
  cancel(id: number): void {
    this.#waiting = this.#waiting.filter((task) => task.id !== id);
  }

  /** Takes a connection back from a task. */
  release(connection: C): void {
    this.#end(connection);
    this.#startWaiting();
  }

  /** Closes all connections. Must not be called while tasks are running. */
  close(): void {
    for (const connection of [...this.#free, ...this.#busy]) connection.close();
  }

  #startWaiting(): void {
    while (this.#busy.size < this.#slotsMax) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      try {
        this.#start(task);
      } catch (error) {
        this.#failed(task.id, error);
      }
    }
  }

  #start(task: Waiting<C>): void {
    const connection = this.#free.pop() ?? this.#open();
    this.#busy.add(connection);
    try {
      task.start(connection);
    } catch (error) {
      this.#end(connection);
      throw error;
    }
  }

  /** Frees the slot in any case: a connection that cannot be used again is closed. */
  #end(connection: C): void {
    this.#busy.delete(connection);
    try {
      connection.end();
      this.#free.push(connection);
    } catch {
      connection.close();
    }
  }
}
