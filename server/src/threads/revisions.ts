/** The newest revision of each topic that a thread of this process knows. */
import type { Notices } from '#storage/coordination';
import { type MetaTopic, metaTopics } from '#storage/meta-store';
import type { NumberTables } from './number-table.ts';

/** Revisions by topic; looking at one costs no more than looking at a variable. */
export class Revisions implements Notices {
  readonly #words: Int32Array;

  constructor(tables: NumberTables) {
    this.#words = tables.words('revisions of the metadata', metaTopics.length);
  }

  revision(topic: MetaTopic): number {
    return Atomics.load(this.#words, metaTopics.indexOf(topic));
  }

  raise(topic: MetaTopic, revision: number): void {
    const index = metaTopics.indexOf(topic);
    for (;;) {
      const known = Atomics.load(this.#words, index);
      if (revision <= known || Atomics.compareExchange(this.#words, index, known, revision) === known) return;
    }
  }
}
