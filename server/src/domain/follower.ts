/** Copies in memory of parts of the metadata, so that requests do not wait for the store. */
import type { Log } from '#model/environment';
import type { MetaStore, MetaTopic } from '#storage/meta-store';

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

interface FollowerOptions {
  meta: Pick<MetaStore, 'subscribe'>;
  /** The copy is read again after a change of one of these. */
  topics: readonly MetaTopic[];
  /** Logged when the store cannot be read. */
  warning: string;
  log: Log;
}

/** A copy that is loaded again after each change of the store, one load at a time; after a failure it tries again. */
export abstract class Follower {
  readonly #options: FollowerOptions;
  readonly #unsubscribe: () => void;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#unsubscribe = options.meta.subscribe((topic) => {
      if (options.topics.includes(topic)) this.#follow();
    });
  }

  /** Loads the copy again. When it resolves, everything committed before the call is in the copy. */
  reload(): Promise<void> {
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = null;
        this.#running = this.load();
        return this.#running;
      });
    return this.#queued;
  }

  /** Stops following the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#retry);
    await this.#queued?.catch(() => undefined);
    await this.#running.catch(() => undefined);
  }

  /** Reads the store and replaces the copy. */
  protected abstract load(): Promise<void>;

  #follow(): void {
    this.reload().catch((error: unknown) => {
      if (this.#isClosed) return;
      const { log, warning } = this.#options;
      log.warn(warning, { error });
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#follow(), retryMs);
      this.#retry.unref();
    });
  }
}

/** Oldest first; IDs decide between records of the same millisecond. */
export function byAge<T extends { id: string; createdAtMs: number }>(records: readonly T[]): T[] {
  return [...records].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
