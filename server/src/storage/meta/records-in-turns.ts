/** Makes records of rows beside other work of the event loop: many rows in several of its iterations. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { ItemRow, SignalRow } from './resource.ts';

/** Characters of JSON that all requests together parse in one iteration of the event loop. */
const turnCharacters = 128 * 1024;

/** Characters of JSON that a request parses before it waits for its turn: few records wait for none. */
const pieceCharacters = 16 * 1024;

/** A row without JSON takes as long as so many characters. */
const rowCharacters = 400;

/** The records of rows, in their order. */
export async function recordsInTurns<T, Row extends SignalRow | ItemRow>(
  rows: readonly Row[],
  recordOf: (row: Row) => T,
): Promise<T[]> {
  const records: T[] = [];
  let characters = 0;
  for (const row of rows) {
    records.push(recordOf(row));
    characters += rowCharacters + row.labels.length + row.annotations.length + row.enum_values.length;
    if (characters < pieceCharacters) continue;
    parsing.note(characters);
    characters = 0;
    await parsing.turn();
  }
  return records;
}

/** How much of something was done in this iteration of the event loop, by all requests. */
class Pace {
  readonly #most: number;
  #done = 0;

  constructor(most: number) {
    this.#most = most;
  }

  note(amount: number): void {
    if (this.#done === 0) {
      setImmediate(() => {
        this.#done = 0;
      });
    }
    this.#done += amount;
  }

  /** Resolves when more may be done. Those that wait take turns. */
  async turn(): Promise<void> {
    while (this.#done >= this.#most) await nextIteration();
  }
}

const parsing = new Pace(turnCharacters);
