/** Copies in memory of parts of the metadata, so that requests do not wait for the store. */
import type { Log } from '#model/environment';
import type { MetaStore, MetaTopic } from '#storage/meta-store';

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

interface FollowerOptions {
  meta: Pick<MetaStore, 'subscribe' | 'revision' | 'refresh'>;
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
  /** The revisions of the topics that the copy has at least. */
  #loaded = -1;

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
        this.#running = this.#load();
        return this.#running;
      });
    return this.#queued;
  }

  /** Loads the copy again if a change is known that it lacks; null when it lacks none. */
  catchUp(): Promise<void> | null {
    return this.#revision() === this.#loaded ? null : this.reload();
  }

  /** When it resolves, everything that any process has committed before the call is in the copy. `unavailable`. */
  async refresh(): Promise<void> {
    await this.#options.meta.refresh();
    await this.catchUp();
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

  async #load(): Promise<void> {
    const revision = this.#revision();
    await this.load();
    this.#loaded = revision;
  }

  /** Revisions only grow, and so does their sum. */
  #revision(): number {
    const { meta, topics } = this.#options;
    return topics.reduce((sum, topic) => sum + meta.revision(topic), 0);
  }

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

/** Records by their IDs, oldest first. */
export function byId<T extends { id: string; createdAtMs: number }>(records: readonly T[]): Map<string, T> {
  return new Map(byAge(records).map((record) => [record.id, record]));
}
