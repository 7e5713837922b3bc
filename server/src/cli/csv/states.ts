/** The states of a column of words: which number each word is stored as (R2, `enumValues`). */

/** Numbers of states are 0 to 9999 (R2). */
const numberMax = 9999;

/** No name of a state is longer (R2). */
const nameLengthMax = 128;

/** The states of one column; new words get the next free number where the column was declared to hold states. */
export class States {
  readonly #byName = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #grows: boolean;
  #next = 0;
  /** Whether there are states that the signal does not have yet. */
  isChanged = false;

  /** `enumValues` are the signal's own states, number as text → name. `grows`: new words become states. */
  constructor(enumValues: ReadonlyMap<string, string>, grows: boolean) {
    this.#grows = grows;
    for (const [number, name] of enumValues) this.#set(number, name);
  }

  /** The number of a word, by its name or written as its number; NaN when it is not a state. */
  numberOf(word: string): number {
    const known = this.#byName.get(word) ?? (this.#names.has(word) ? Number(word) : undefined);
    if (known !== undefined) return known;
    return this.#grows && word.length <= nameLengthMax ? this.#add(word) : Number.NaN;
  }

  /** All states, number as text → name. */
  get enumValues(): ReadonlyMap<string, string> {
    return this.#names;
  }

  /** The names as they are listed in messages. */
  describe(): string {
    const names = [...this.#byName.keys().take(10)].join(', ');
    return this.#byName.size > 10 ? `${names}, …` : names;
  }

  /** A word that is a free number of a state keeps it. */
  #add(word: string): number {
    const own = /^(?:0|[1-9]\d{0,3})$/.test(word) ? Number(word) : null;
    while (this.#names.has(String(this.#next))) this.#next++;
    const number = own ?? this.#next;
    if (number > numberMax) return Number.NaN;
    this.#set(String(number), word);
    this.isChanged = true;
    return number;
  }

  #set(number: string, name: string): void {
    this.#names.set(number, name);
    if (!this.#byName.has(name)) this.#byName.set(name, Number(number));
  }
}
