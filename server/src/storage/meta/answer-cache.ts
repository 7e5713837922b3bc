/** What was read of signals and items, kept until a signal or an item changes. */
import { LruCache } from '#model/lru-cache';

/** Bytes of answers and their keys, approximately. */
const bytesMax = 8 * 1024 * 1024;

/** Longer keys, such as those of filters with a thousand terms, rarely come twice. */
const keyCharactersMax = 4096;

/** What is kept, and its size. */
type Kept = Readonly<{ answer: unknown; bytes: number }>;

/** Stands for a state of signals and items. */
type Revision = number | string;

/** Answers by key. All are dropped when the revision has changed; so an answer must not be changed, nor be from a transaction. */
export class AnswerCache {
  readonly #revision: () => Revision;
  readonly #refresh: (() => Promise<void>) | null;
  readonly #kept = new LruCache<string, Kept>(bytesMax, ({ bytes }) => bytes);
  #keptAt: Revision = -1;

  /**
   * `revision` gives the newest known revision of signals and items; it must cost no read. `refresh` reads it, where others may
   * have raised it without a notice.
   */
  constructor(revision: () => Revision, refresh: (() => Promise<void>) | null = null) {
    this.#revision = revision;
    this.#refresh = refresh;
  }

  /** The answers under some keys; undefined where one is not kept. Where the revision has to be read, all or none. */
  get<T>(keys: readonly string[]): (T | undefined)[] | Promise<(T | undefined)[]> {
    if (this.#refresh === null) return this.#look(keys);
    // Reading the missing ones takes a statement, in which the others cost less than one more.
    if (!keys.every((key) => this.#kept.has(key))) return keys.map(() => undefined);
    return this.#refresh().then(() => this.#look(keys));
  }

  #look<T>(keys: readonly string[]): (T | undefined)[] {
    this.#follow();
    return keys.map((key) => this.#kept.get(key)?.answer as T | undefined);
  }

  /** To be called before a read whose answer will be kept: the state that it is at least as new as. */
  begin(): Revision {
    return this.#follow();
  }

  /** Keeps the answer of a read that began at a state, unless something has changed since; `bytes` is its approximate size. */
  set(began: Revision, key: string, answer: unknown, bytes: number): void {
    if (this.#follow() !== began || key.length > keyCharactersMax) return;
    this.#kept.set(key, { answer, bytes: bytes + 4 * key.length });
  }

  #follow(): Revision {
    const revision = this.#revision();
    if (revision !== this.#keptAt) this.#kept.clear();
    this.#keptAt = revision;
    return revision;
  }
}
