/**
 * Remembers heads of lines by their bytes, so that a known series costs a comparison and no string. Bounded: what was used is in
 * the young generation; when that is full it becomes the old one, and the previous old one is forgotten.
 */
import { type Head, type HeadField, type HeadName, readName, seriesOf } from './head.ts';

/** Heads and fields of both generations; each takes up to half a kilobyte. */
const entriesDefault = 100_000;

/** A head with more fields begins anew with the next body: a program that makes field keys of values has no use for old ones. */
const fieldsMax = 1000;

interface Generation {
  /** By the hash of their bytes; those of one hash in a list. */
  heads: Map<number, Head[]>;
  names: Map<string, HeadName>;
}

/** The heads of all bodies of a thread. */
export class HeadMemory {
  readonly #generationMax: number;
  #young = newGeneration();
  #old = newGeneration();
  #count = 0;

  /** Remembers at least half of `entriesMax` heads and fields. */
  constructor(entriesMax = entriesDefault) {
    this.#generationMax = Math.max(1, entriesMax >> 1);
  }

  /** The head that is `bytes[from … to)`, whose {@link hashOf} is `key`. Fails with a `LineFault` when it is none. */
  find(bytes: Buffer, from: number, to: number, key: number): Head {
    const young = pick(this.#young.heads.get(key), bytes, from, to);
    if (young !== undefined) return young;
    const head = pick(this.#old.heads.get(key), bytes, from, to) ?? this.#newHead(bytes, from, to);
    this.#remember(key, head);
    return head;
  }

  /** To be called for each head when it first occurs in a body: its fields must not change their series within one. */
  enter(head: Head, body: number): void {
    const { named } = head;
    if (named.body !== body && named.series.size > fieldsMax) {
      named.isReplaced = true;
      this.#young.names.set(named.key, newName(named));
    }
    if (!named.isReplaced) return;
    head.named = this.#nameOf(named);
    head.fields = [];
    head.byKey = new Map();
  }

  /** Adds the field whose key is in `bytes[from … to)` to a head. Fails with a `LineFault` when it is none. */
  addField(head: Head, bytes: Buffer, from: number, to: number): HeadField {
    const series = seriesOf(head.named, bytes, from, to);
    const spelling = Uint8Array.prototype.slice.call(bytes, from, to + 1);
    const field = { bytes: spelling, place: head.fields.length, series };
    head.fields.push(field);
    head.byKey.set(bytes.toString('latin1', from, to), field);
    this.#count++;
    return field;
  }

  #newHead(bytes: Buffer, from: number, to: number): Head {
    const name = readName(bytes, from, to);
    const key = JSON.stringify([name.measurement, name.tags]);
    const named = this.#nameOf({ key, name });
    const own = Uint8Array.prototype.slice.call(bytes, from, to);
    return { bytes: own, named, fields: [], byKey: new Map(), next: null };
  }

  #nameOf(like: Pick<HeadName, 'key' | 'name'>): HeadName {
    return this.#young.names.get(like.key) ?? this.#old.names.get(like.key) ?? newName(like);
  }

  #remember(key: number, head: Head): void {
    if (this.#count >= this.#generationMax) this.#age();
    this.#count += 1 + head.fields.length;
    const { heads, names } = this.#young;
    heads.getOrInsertComputed(key, () => []).push(head);
    if (!head.named.isReplaced) names.set(head.named.key, head.named);
  }

  /** Heads that become old are found anew before they are expected again, so that those in use become young, and no other is kept. */
  #age(): void {
    this.#old = this.#young;
    for (const heads of this.#old.heads.values()) for (const head of heads) head.next = null;
    this.#young = newGeneration();
    this.#count = 0;
  }
}

function newGeneration(): Generation {
  return { heads: new Map(), names: new Map() };
}

function newName({ key, name }: Pick<HeadName, 'key' | 'name'>): HeadName {
  return { key, name, series: new Map(), body: 0, slot: 0, isReplaced: false };
}

function pick(heads: readonly Head[] | undefined, bytes: Buffer, from: number, to: number): Head | undefined {
  return heads?.find((head) => isAt(head.bytes, bytes, from, to));
}

/** Whether a head is exactly `bytes[from … to)`. */
export function isAt(head: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (head.length !== to - from) return false;
  for (let i = 0; i < head.length; i++) if (head[i] !== bytes[from + i]) return false;
  return true;
}
