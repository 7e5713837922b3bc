/**
 * JSON.parse in steps, for texts that would block the event loop for up to a second: members of large arrays and objects are
 * grouped into texts of about 32 KiB, each of which the runtime parses. Accepts and returns exactly what JSON.parse does.
 */
import { backslash, brace, braceEnd, bracket, bracketEnd, colon, comma, quoteMark } from './bytes.ts';

/** Text that is parsed in one step, bytes: a few milliseconds at worst. */
const stepBytes = 32 * 1024;

/** Arrays and objects larger than a step are read down to this level, which is above every limit; deeper ones are omitted. */
const levelsMax = 1024;

/** A syntax error; `at` is its position in bytes. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly at: number;

  constructor(at: number) {
    super('not JSON');
    this.at = at;
  }
}

/** What is not parsed although it may be JSON, since it would hold the event loop for long. */
export class JsonTooLong extends Error {
  override readonly name = 'JsonTooLong';
}

/** Estimated memory of parsed values in bytes, by the counts made in the text. */
const containerBytes = 56;
const memberBytes = 16;

type Container = unknown[] | Record<string, unknown>;

/** One text, parsed in steps. */
export class JsonSteps {
  readonly #bytes: Buffer;
  readonly #entriesMax: number;
  #containerCount = 0;
  #memberCount = 0;

  /** An array may have at most `entriesMax` entries: while it grows it is copied as a whole. */
  constructor(bytes: Buffer, entriesMax: number) {
    this.#bytes = bytes;
    this.#entriesMax = entriesMax;
  }

  /** Estimated memory of the value in bytes; available after parsing. */
  get parsedBytes(): number {
    return this.#bytes.length + this.#containerCount * containerBytes + this.#memberCount * memberBytes;
  }

  /** Parses the text, yielding after each step. Throws {@link JsonFault} and {@link JsonTooLong}. */
  *parse(): Generator<void, unknown, void> {
    const start = yield* this.#skipSpaceInSteps(0);
    const [value, behind] = yield* this.#parseLarge(start, 0);
    const rest = yield* this.#skipSpaceInSteps(behind);
    if (rest < this.#bytes.length) throw new JsonFault(rest);
    return value;
  }

  /** Parses the array or object at `at`. Returns it and the position after it. */
  *#parseContainer(at: number, level: number): Generator<void, [Container, behind: number], void> {
    if (level > levelsMax) return [[], yield* this.#skipContainer(at)];
    const isArray = this.#bytes[at] === bracket;
    const container: Container = isArray ? [] : {};
    const closing = isArray ? bracketEnd : braceEnd;
    let from = yield* this.#skipSpaceInSteps(at + 1);
    if (this.#bytes[from] === closing) return [container, from + 1];
    for (;;) {
      let end = this.#membersEnd(from);
      if (end > from) this.#addMembers(container, from, end);
      else end = yield* this.#addLargeMember(container, from, level);
      if (Array.isArray(container) && container.length > this.#entriesMax)
        throw new JsonTooLong(`an array may have at most ${this.#entriesMax} entries`);
      yield;
      const delimiter = this.#bytes[end];
      if (delimiter === closing) return [container, end + 1];
      if (delimiter !== comma) throw new JsonFault(end);
      from = yield* this.#skipSpaceInSteps(end + 1);
    }
  }

  /**
   * The position of the delimiter after as many complete members as fit into a step: a comma or the closing bracket. Returns
   * `from` when the first member is longer than a step.
   */
  #membersEnd(from: number): number {
    const bytes = this.#bytes;
    const limit = Math.min(bytes.length, from + stepBytes);
    let [level, end, containerCount, memberCount] = [0, from, 0, 0];
    for (let at = from; at < limit; at++) {
      const code = bytes[at];
      if (code === quoteMark) at = this.#stringEnd(at) - 1;
      else if (code === bracket || code === brace) {
        level++;
        containerCount++;
      } else if (code === bracketEnd || code === braceEnd) {
        if (level === 0) {
          this.#count(containerCount, memberCount);
          return at;
        }
        level--;
      } else if (code === comma) {
        memberCount++;
        if (level === 0) end = at;
      }
    }
    if (limit === bytes.length) throw new JsonFault(limit);
    // The text after the last comma is counted again with the next members; it is short.
    if (end > from) this.#count(containerCount, memberCount);
    return end;
  }

  #count(containerCount: number, memberCount: number): void {
    this.#containerCount += containerCount;
    this.#memberCount += memberCount;
  }

  #addMembers(container: Container, from: number, end: number): void {
    if (Array.isArray(container)) {
      for (const member of this.#parseText(from, end, '[', ']') as unknown[]) container.push(member);
    } else {
      const members = this.#parseText(from, end, '{', '}') as Record<string, unknown>;
      for (const key of Object.keys(members)) setMember(container, key, members[key]);
    }
  }

  /** The position after a member that is longer than a step. */
  *#addLargeMember(container: Container, from: number, level: number): Generator<void, number, void> {
    const keyEnd = Array.isArray(container) ? from : this.#stringEnd(from);
    const key = Array.isArray(container) ? '' : this.#parseText(from, keyEnd);
    const at = Array.isArray(container) ? from : yield* this.#skipColon(keyEnd);
    const [value, behind] = yield* this.#parseLarge(at, level);
    if (Array.isArray(container)) container.push(value);
    else setMember(container, String(key), value);
    return yield* this.#skipSpaceInSteps(behind);
  }

  *#parseLarge(at: number, level: number): Generator<void, [value: unknown, behind: number], void> {
    const code = this.#bytes[at];
    if (code === bracket || code === brace) return yield* this.#parseContainer(at, level + 1);
    const behind = code === quoteMark ? this.#stringEnd(at) : this.#wordEnd(at);
    return [this.#parseText(at, behind), behind];
  }

  /** The position after the array or object at `at`. */
  *#skipContainer(at: number): Generator<void, number, void> {
    let level = 0;
    for (let end = at; end < this.#bytes.length; end++) {
      const code = this.#bytes[end];
      if (code === quoteMark) end = this.#stringEnd(end) - 1;
      else if (code === bracket || code === brace) level++;
      else if ((code === bracketEnd || code === braceEnd) && --level === 0) return end + 1;
      if (end % stepBytes === 0) yield;
    }
    throw new JsonFault(this.#bytes.length);
  }

  *#skipColon(from: number): Generator<void, number, void> {
    const at = yield* this.#skipSpaceInSteps(from);
    if (this.#bytes[at] !== colon) throw new JsonFault(at);
    return yield* this.#skipSpaceInSteps(at + 1);
  }

  /** Parses with the runtime's parser. */
  #parseText(from: number, end: number, open = '', close = ''): unknown {
    const text = this.#bytes.toString('utf8', from, end);
    try {
      return JSON.parse(open + text + close);
    } catch (cause) {
      const position = /position (\d+)/.exec(cause instanceof SyntaxError ? cause.message : '')?.[1];
      const before = text.slice(0, Math.max(0, Number(position ?? 0) - open.length));
      throw new JsonFault(from + Buffer.byteLength(before));
    }
  }

  /** The position after the string at `at`. */
  #stringEnd(at: number): number {
    const bytes = this.#bytes;
    if (bytes[at] !== quoteMark) throw new JsonFault(at);
    const first = bytes.indexOf(quoteMark, at + 1);
    if (first > 0 && bytes[first - 1] !== backslash) return first + 1;
    for (let end = at + 1; end < bytes.length; end++) {
      if (bytes[end] === backslash) end++;
      else if (bytes[end] === quoteMark) return end + 1;
    }
    throw new JsonFault(bytes.length);
  }

  /** The position after a number or literal. */
  #wordEnd(at: number): number {
    let end = at;
    while (end < this.#bytes.length && !isDelimiter(this.#bytes[end])) {
      if (++end - at > stepBytes) throw new JsonTooLong(`a number may have at most ${stepBytes} digits`);
    }
    return end;
  }

  /** A body may consist of white space only, and have any amount of it before and after a colon. */
  *#skipSpaceInSteps(from: number): Generator<void, number, void> {
    for (let at = from; ; at += stepBytes) {
      const end = this.#skipSpace(at, at + stepBytes);
      if (end < at + stepBytes) return end;
      yield;
    }
  }

  #skipSpace(from: number, limit: number): number {
    let at = from;
    while (at < limit && isSpace(this.#bytes[at])) at++;
    return at;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDelimiter(code: number): boolean {
  return code === comma || code === bracketEnd || code === braceEnd || isSpace(code);
}

/** As JSON.parse does: `__proto__` is a member like any other. */
function setMember(container: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') container[key] = value;
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
