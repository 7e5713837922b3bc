/** The newest revision of each topic that a thread of this process knows. */
import type { NumberTables } from '#threads/number-table';
import { type MetaTopic, metaTopics } from '../meta-store.ts';

/** Revisions by topic; looking at one costs no more than looking at a variable. */
export class Revisions {
  readonly #words: Int32Array;

  constructor(tables: NumberTables) {
    this.#words = tables.words('revisions of the metadata', metaTopics.length);
  }

  /** The newest known revision. */
  of(topic: MetaTopic): number {
    return Atomics.load(this.#words, metaTopics.indexOf(topic));
  }

  /** Notes a revision, if it is newer. */
  raise(topic: MetaTopic, revision: number): void {
    const index = metaTopics.indexOf(topic);
    for (;;) {
      const known = Atomics.load(this.#words, index);
      if (revision <= known || Atomics.compareExchange(this.#words, index, known, revision) === known) return;
    }
  }
}
