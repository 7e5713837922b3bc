/** The ids of calls as they were written, where parsing would round them (W2a). */

import { backslash, brace, braceEnd, bracket, bracketEnd, colon, comma, quoteMark } from './bytes.ts';
import { skipSpace } from './number-scanner.ts';

/** Call → the text of its id. */
export type IdTexts = ReadonlyMap<unknown, string>;

/** Text that is searched in one step, bytes. */
const stepBytes = 64 * 1024;

/** The bytes between the quotes of the name, if both of its letters are escaped. */
const nameBytesMax = 12;

/**
 * The ids of a request by the text of its JSON, whose value is one call or an array of calls. The text of an id that is no
 * number may be cut short. Stops after each step.
 */
export function* idTexts(json: Buffer, value: unknown): Generator<void, IdTexts, void> {
  const search = new IdSearch(json, value);
  while (!search.next()) yield;
  return search.texts;
}

class IdSearch {
  readonly texts = new Map<unknown, string>();
  readonly #json: Buffer;
  readonly #calls: readonly unknown[];
  readonly #callLevel: number;
  #at = 0;
  #level = 0;
  /** Of the call. */
  #index = 0;
  /** Where the current string begins; -1 outside of strings. */
  #start = -1;

  constructor(json: Buffer, value: unknown) {
    this.#json = json;
    this.#calls = Array.isArray(value) ? value : [value];
    this.#callLevel = Array.isArray(value) ? 2 : 1;
  }

  /** Searches one step further; whether that was the end. */
  next(): boolean {
    const end = Math.min(this.#json.length, this.#at + stepBytes);
    for (; this.#at < end; this.#at++) {
      const byte = this.#json[this.#at];
      if (this.#start < 0) this.#visitByte(byte);
      else if (byte === backslash) this.#at++;
      else if (byte === quoteMark) this.#endString();
    }
    return this.#at >= this.#json.length;
  }

  #visitByte(byte: number): void {
    if (byte === quoteMark) this.#start = this.#at;
    else if (byte === bracket || byte === brace) this.#level++;
    else if (byte === bracketEnd || byte === braceEnd) this.#level--;
    else if (byte === comma && this.#level < this.#callLevel) this.#index++;
  }

  #endString(): void {
    const text = this.#level === this.#callLevel && this.#isName() ? this.#valueBehind() : null;
    if (text !== null) this.texts.set(this.#calls[this.#index], text);
    this.#start = -1;
  }

  #isName(): boolean {
    if (this.#at - this.#start - 1 > nameBytesMax) return false;
    return JSON.parse(this.#json.toString('latin1', this.#start, this.#at + 1)) === 'id';
  }

  /** The value of the member with the name that ends here; null if the string is no name, or very much white space follows. */
  #valueBehind(): string | null {
    const at = skipSpace(this.#json, this.#at + 1);
    if (this.#json[at] !== colon) return null;
    const from = skipSpace(this.#json, at + 1);
    let to = from;
    while (this.#json[to] > 0x20 && this.#json[to] !== comma && this.#json[to] !== braceEnd) to++;
    return to === from ? null : this.#json.toString('latin1', from, to);
  }
}
