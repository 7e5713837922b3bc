/** What was read of signals and items, kept until a signal or an item changes. */
import { LruCache } from '#model/lru-cache';

/** Bytes of answers and their keys, approximately. */
const bytesMax = 8 * 1024 * 1024;

/** Longer keys, such as those of filters with a thousand terms, rarely come twice. */
const keyCharactersMax = 4096;

/** What is kept, and its size. */
type Kept = Readonly<{ answer: unknown; bytes: number }>;

/** Answers by key. All are dropped when the revision has changed; so an answer must not be changed, nor be from a transaction. */
export class AnswerCache {
  readonly #revision: () => number;
  readonly #kept = new LruCache<string, Kept>(bytesMax, ({ bytes }) => bytes);
  #keptAt = -1;

  /** `revision` gives the newest known revision of signals and items; it must cost no read. */
  constructor(revision: () => number) {
    this.#revision = revision;
  }

  /** The answer under a key; undefined when it is not kept. */
  get<T>(key: string): T | undefined {
    this.#follow();
    return this.#kept.get(key)?.answer as T | undefined;
  }

  /** To be called before a read whose answer will be kept: the state that it is at least as new as. */
  begin(): number {
    return this.#follow();
  }

  /** Keeps the answer of a read that began at a state, unless something has changed since; `bytes` is its approximate size. */
  set(began: number, key: string, answer: unknown, bytes: number): void {
    if (this.#follow() !== began || key.length > keyCharactersMax) return;
    this.#kept.set(key, { answer, bytes: bytes + 4 * key.length });
  }

  #follow(): number {
    const revision = this.#revision();
    if (revision !== this.#keptAt) this.#kept.clear();
    this.#keptAt = revision;
    return revision;
  }
}
