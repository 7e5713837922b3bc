/** The queues of single values, one for each integration that has some under way. */
import { ValueQueue, type ValueQueueOptions } from './value-queue.ts';

/** Options of {@link ValueQueues}. */
export interface ValueQueuesOptions extends Pick<ValueQueueOptions, 'calls' | 'clock'> {
  /** How many subscribers a message of an integration is sent to, at most. */
  subscriberCount(integration: string): number;
}

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
        subscriberCount: () => this.#options.subscriberCount(integration),
        onIdle: () => void this.#queues.delete(integration),
      });
    });
  }
}
