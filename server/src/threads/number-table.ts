/**
 * Small records of numbers that all threads of a process share: a hash table of fixed size in shared memory, under a lock.
 * What is counted there is exact however many threads count. Keys are kept as 64-bit hashes with a seed of the process, so
 * two keys share a record with a probability of less than one in a billion, and nobody can choose keys that do.
 */
import type { Random } from '#model/environment';
import { bug } from '#model/error';

/** The layout of a table. */
export interface TableLayout {
  /** Number of records that the table has room for; a power of two, at least 16. */
  records: number;
  /** Numbers in a record. */
  fields: number;
  /** Whether the least recently used record gives way when there is no room; otherwise a new record is refused. */
  evicts: boolean;
}

/** Changes a record, whose first number is `numbers[at]`; one of which all numbers are 0 is removed afterwards. */
export type RecordChange<T> = (numbers: Float64Array, at: number) => T;

/** A record is in one of this many places, counted from the one that its hash selects. */
const windowLength = 16;

/** Places in the header: 32-bit words, of which the seed has two, and then 64-bit numbers. */
const word = { lock: 0, generation: 1, waiters: 2, seed: 3, end: 6 } as const;
const number = { clock: 0, count: 1, sum: 2, end: 3 } as const;

const lockWait = {
  /** A thread that holds the lock may be interrupted by the system; then the others wait for it, so long at a time, ms. */
  ms: 1,
  /** The lock is held for microseconds: a thread that has it for 30 s has ended. */
  countMax: 30_000,
} as const;

/** A table, as one thread sees it. */
export class NumberTable {
  readonly #layout: TableLayout;
  readonly #words: Int32Array;
  readonly #hashes: Int32Array;
  readonly #header: Float64Array;
  readonly #usedAt: Float64Array;
  readonly #numbers: Float64Array;

  /** The bytes of a table. */
  static bytes({ records, fields }: TableLayout): number {
    return word.end * 4 + number.end * 8 + records * (8 + 8 + fields * 8);
  }

  /** A new table in a buffer of {@link bytes} bytes. Without `random`, others may choose keys that share a record. */
  static create(layout: TableLayout, random: Random | null): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(NumberTable.bytes(layout));
    const seed = random?.bytes(8) ?? new Uint8Array(8);
    new Uint8Array(buffer).set(seed, word.seed * 4);
    return buffer;
  }

  constructor(buffer: SharedArrayBuffer, layout: TableLayout) {
    const { records, fields } = layout;
    this.#layout = layout;
    this.#words = new Int32Array(buffer, 0, word.end);
    this.#header = new Float64Array(buffer, word.end * 4, number.end);
    const start = word.end * 4 + number.end * 8;
    this.#usedAt = new Float64Array(buffer, start, records);
    this.#numbers = new Float64Array(buffer, start + records * 8, records * fields);
    this.#hashes = new Int32Array(buffer, start + records * (8 + fields * 8), records * 2);
  }

  /** Records in use. */
  get count(): number {
    return this.#header[number.count];
  }

  /** A number that belongs to the whole table; {@link update} may change it with {@link addToSum}. */
  get sum(): number {
    return this.#header[number.sum];
  }

  /** Only inside of {@link update}. */
  addToSum(amount: number): void {
    this.#header[number.sum] += amount;
  }

  /** Changes the record of a key while no other thread looks at the table; null when there is no room for it. */
  update<T>(key: string, change: RecordChange<T>): T | null {
    const [low, high] = this.#hash(key);
    this.#lock();
    try {
      const place = this.#find(low, high);
      if (place < 0) return null;
      const { fields } = this.#layout;
      try {
        return change(this.#numbers, place * fields);
      } finally {
        this.#settle(place);
      }
    } finally {
      this.#unlock();
    }
  }

  /** Looks at the record of a key; null when there is none. */
  peek<T>(key: string, look: RecordChange<T>): T | null {
    const [low, high] = this.#hash(key);
    this.#lock();
    try {
      const place = this.#known(low, high);
      return place < 0 ? null : look(this.#numbers, place * this.#layout.fields);
    } finally {
      this.#unlock();
    }
  }

  /** If other threads wait for a change of this table, wakes them, and this one if it waits too. Returns whether there were any. */
  wakeOthers(ownWaiting: boolean): boolean {
    if (Atomics.load(this.#words, word.waiters) <= (ownWaiting ? 1 : 0)) return false;
    Atomics.add(this.#words, word.generation, 1);
    Atomics.notify(this.#words, word.generation);
    return true;
  }

  /** Calls `woken` once, after another thread has called {@link wakeOthers}. */
  waitForOthers(woken: () => void): void {
    const generation = Atomics.load(this.#words, word.generation);
    Atomics.add(this.#words, word.waiters, 1);
    const settled = () => {
      Atomics.sub(this.#words, word.waiters, 1);
      woken();
    };
    const waiting = Atomics.waitAsync(this.#words, word.generation, generation);
    if (waiting.async) void waiting.value.then(settled);
    else queueMicrotask(settled);
  }

  /** The place of a record; -1 when there is none. */
  #known(low: number, high: number): number {
    const mask = this.#layout.records - 1;
    for (let i = 0; i < windowLength; i++) {
      const place = (low + i) & mask;
      const isUsed = this.#usedAt[place] !== 0;
      if (isUsed && this.#hashes[place * 2] === low && this.#hashes[place * 2 + 1] === high) return place;
    }
    return -1;
  }

  /** The place of a record, which is made if it is missing; -1 when there is no room. */
  #find(low: number, high: number): number {
    const known = this.#known(low, high);
    if (known >= 0) return known;
    const place = this.#room(low);
    if (place < 0) return -1;
    const { fields } = this.#layout;
    this.#numbers.fill(0, place * fields, place * fields + fields);
    this.#hashes[place * 2] = low;
    this.#hashes[place * 2 + 1] = high;
    return place;
  }

  /** A place for a new record: a free one, or that of the record which was used longest ago, if that gives way; else -1. */
  #room(low: number): number {
    const mask = this.#layout.records - 1;
    let oldest = low & mask;
    for (let i = 0; i < windowLength; i++) {
      const place = (low + i) & mask;
      if (this.#usedAt[place] < this.#usedAt[oldest]) oldest = place;
    }
    if (this.#usedAt[oldest] === 0) this.#header[number.count]++;
    else if (!this.#layout.evicts) return -1;
    return oldest;
  }

  /** Notes the use of a record, or removes it. */
  #settle(place: number): void {
    const { fields } = this.#layout;
    let isUsed = false;
    for (let i = place * fields; i < place * fields + fields; i++) isUsed ||= this.#numbers[i] !== 0;
    this.#usedAt[place] = isUsed ? ++this.#header[number.clock] : 0;
    if (!isUsed) this.#header[number.count]--;
  }

  /** Two rounds of the multiplicative hash FNV-1a over UTF-16 units, with different seeds, each mixed at the end. */
  #hash(key: string): [low: number, high: number] {
    let low = this.#words[word.seed];
    let high = this.#words[word.seed + 1];
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 15);
    }
    return [mixed(low), mixed(high ^ low)];
  }

  /** States of the lock: 0 free, 1 held, 2 held and another thread waits. */
  #lock(): void {
    let state = Atomics.compareExchange(this.#words, word.lock, 0, 1);
    for (let waits = 0; state !== 0; waits++) {
      if (waits > lockWait.countMax) bug('a table that threads share stays locked');
      if (state === 2 || Atomics.compareExchange(this.#words, word.lock, 1, 2) !== 0)
        Atomics.wait(this.#words, word.lock, 2, lockWait.ms);
      state = Atomics.compareExchange(this.#words, word.lock, 0, 2);
    }
  }

  #unlock(): void {
    if (Atomics.exchange(this.#words, word.lock, 0) === 2) Atomics.notify(this.#words, word.lock, 1);
  }
}

function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x7feb352d);
  bits ^= bits >>> 15;
  bits = Math.imul(bits, 0x846ca68b);
  return bits ^ (bits >>> 16);
}

/** The tables of one process by name: every thread that asks for a name gets the same table. */
export class NumberTables {
  readonly #buffers: Map<string, SharedArrayBuffer>;
  readonly #random: Random | null;

  /** A further thread is given what {@link buffers} returned in the first one, which makes all tables, with random seeds. */
  constructor(random: Random | null = null, buffers: ReadonlyMap<string, SharedArrayBuffer> = new Map()) {
    this.#random = random;
    this.#buffers = new Map(buffers);
  }

  /** What other threads need to use the tables that exist. */
  get buffers(): ReadonlyMap<string, SharedArrayBuffer> {
    return this.#buffers;
  }

  /** Words for use with `Atomics`, all 0 at first. */
  words(name: string, count: number): Int32Array {
    return new Int32Array(this.#buffer(name, () => new SharedArrayBuffer(count * 4)));
  }

  /** A table by its name, which always has the same layout. */
  table(name: string, layout: TableLayout): NumberTable {
    return new NumberTable(
      this.#buffer(name, () => NumberTable.create(layout, this.#random)),
      layout,
    );
  }

  #buffer(name: string, make: () => SharedArrayBuffer): SharedArrayBuffer {
    const known = this.#buffers.get(name);
    if (known !== undefined) return known;
    const made = make();
    this.#buffers.set(name, made);
    return made;
  }
}
