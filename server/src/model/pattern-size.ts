/**
 * The size of an RE2 pattern's program, estimated from its text before anything is compiled: `(?:x?){999}` has eleven
 * characters and 2,000 instructions.
 */

/** What a Unicode class such as `\pL` counts for: it has up to 700 ranges, which compiling collects and sorts. */
const unicodeClassSize = 20;

/** Ranges of a class that count as one instruction. */
const rangesPerInstruction = 8;

/** Characters of a range that count as one instruction where case is ignored: compiling then walks over them. */
const foldedPerInstruction = 256;

/** Characters that have other cases end here; wider ranges are not walked beyond. */
const lastCased = 0x1e943;

const ignoresCase = /\(\?[\w-]*i/;
const repetition = /\{(\d{1,4})(,(\d{1,4})?)?\}/y;
/** Flags for the rest of a group; a repetition after them is of what precedes them. */
const flags = /\(\?[A-Za-z-]*\)/y;
const hexEscape = /\\x\{[0-9A-Fa-f]+\}/y;
const namedClass = /\\[pP]\{[^}]*\}/y;

/**
 * At least the number of instructions to which RE2 compiles the pattern, with classes weighed by what they cost. Any text has
 * a size, also one that is not a pattern. Takes time in proportion to the text's length.
 */
export function patternSize(pattern: string): number {
  return new SizeScanner(pattern).size();
}

/** A group that is being read: the size of what is complete in it, and of the last element, which may be repeated yet. */
interface Level {
  done: number;
  last: number;
}

class SizeScanner {
  readonly #pattern: string;
  readonly #isFolded: boolean;
  readonly #outer: Level[] = [];
  #level: Level = { done: 0, last: 0 };
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#isFolded = ignoresCase.test(pattern);
  }

  size(): number {
    while (this.#at < this.#pattern.length) this.#next();
    while (this.#outer.length > 0) this.#closeGroup();
    return this.#level.done + this.#level.last + 3;
  }

  #next(): void {
    switch (this.#pattern[this.#at]) {
      case '(':
        if (this.#match(flags) !== null) return;
        this.#at++;
        this.#outer.push(this.#level);
        this.#level = { done: 0, last: 0 };
        return;
      case ')':
        this.#at++;
        this.#closeGroup();
        return;
      case '|':
        this.#at++;
        this.#level = { done: this.#level.done + Math.max(1, this.#level.last) + 1, last: 0 };
        return;
      case '*':
      case '+':
      case '?':
        this.#at++;
        this.#level.last += 2;
        return;
      case '{':
        this.#repeat();
        return;
      case '[':
        this.#element(this.#classSize());
        return;
      case '\\':
        this.#escape();
        return;
      default:
        this.#character();
    }
  }

  #character(): void {
    this.#at++;
    this.#element(1);
  }

  #element(size: number): void {
    this.#level = { done: this.#level.done + this.#level.last, last: size };
  }

  #closeGroup(): void {
    const inner = this.#level;
    this.#level = this.#outer.pop() ?? { done: 0, last: 0 };
    this.#element(Math.max(1, inner.done + inner.last) + 2);
  }

  /** `x{n,m}` is compiled as m copies of x, `x{n,}` as n of them and a loop. */
  #repeat(): void {
    const found = this.#match(repetition);
    if (found === null) {
      this.#character();
      return;
    }
    const least = Number(found[1]);
    const copies = found[2] === undefined ? least : found[3] === undefined ? least + 1 : Number(found[3]);
    this.#level.last = (this.#level.last + 2) * Math.max(1, least, copies) + 2;
  }

  #escape(): void {
    if (this.#pattern.startsWith('\\Q', this.#at)) this.#literal();
    else if (this.#match(hexEscape) !== null) this.#element(1);
    else this.#element(this.#skipEscape() ? unicodeClassSize : 1);
  }

  /** Past `\d`, `\pL`, `\p{Greek}` and the like; whether it is a Unicode class. */
  #skipEscape(): boolean {
    const isUnicode = /[pP]/.test(this.#pattern[this.#at + 1] ?? '');
    if (this.#match(namedClass) === null) this.#at += isUnicode ? 3 : 2;
    return isUnicode;
  }

  #literal(): void {
    const end = this.#pattern.indexOf('\\E', this.#at + 2);
    const length = (end < 0 ? this.#pattern.length : end) - this.#at - 2;
    this.#at = end < 0 ? this.#pattern.length : end + 2;
    if (length > 0) {
      this.#element(length - 1);
      this.#element(1);
    }
  }

  /** From `[` to its `]`. */
  #classSize(): number {
    let size = 1;
    let ranges = 0;
    let previous = 0;
    this.#at += this.#pattern[this.#at + 1] === '^' ? 2 : 1;
    for (let isFirst = true; this.#at < this.#pattern.length; isFirst = false) {
      if (this.#pattern[this.#at] === ']' && !isFirst) break;
      const isRange = this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']' && !isFirst;
      if (isRange) this.#at++;
      if (this.#pattern.startsWith('[:', this.#at)) ranges += 4;
      const { first, isUnicode } = this.#member();
      if (isUnicode) size += this.#isFolded ? 2 * unicodeClassSize : unicodeClassSize;
      if (isRange && this.#isFolded) size += foldedSize(previous, first);
      ranges++;
      previous = first;
    }
    this.#at++;
    return size + Math.ceil(ranges / rangesPerInstruction);
  }

  /** One character of a class, or a class in it. */
  #member(): { first: number; isUnicode: boolean } {
    const start = this.#at;
    const hex = this.#match(hexEscape);
    if (hex !== null) return { first: Number.parseInt(hex[0].slice(3, -1), 16), isUnicode: false };
    if (this.#pattern[start] !== '\\') {
      const first = this.#pattern.codePointAt(start) ?? 0;
      this.#at += first > 0xffff ? 2 : 1;
      return { first, isUnicode: false };
    }
    return { first: 0, isUnicode: this.#skipEscape() };
  }

  #match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#pattern);
    if (found !== null) this.#at = form.lastIndex;
    return found;
  }
}

/** What a range costs where case is ignored. */
function foldedSize(first: number, last: number): number {
  return Math.ceil(Math.max(0, Math.min(last, lastCased) - first) / foldedPerInstruction);
}
