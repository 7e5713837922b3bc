/** The queues of single values, one for each integration that has some under way. */
import { ValueQueue, type ValueQueueOptions } from './value-queue.ts';

/** Options of {@link ValueQueues}. */
export type ValueQueuesOptions = Pick<ValueQueueOptions, 'calls' | 'clock' | 'room'>;

/** The queues. */
export class ValueQueues {
  readonly #options: ValueQueuesOptions;
  readonly #queues = new Map<string, ValueQueue>();

  constructor(options: ValueQueuesOptions) {
    this.#options = options;
  }

  /** The queue of an integration, whose frames are calls of `method`. */
  of(integration: string, method: string): ValueQueue {
    return this.#queues.getOrInsertComputed(integration, () => {
      return new ValueQueue({
        ...{ ...this.#options, method },
        onIdle: () => void this.#queues.delete(integration),
      });
    });
  }
}
