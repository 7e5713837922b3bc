/** Reads the lines of a body into rows, in steps. Lines that cannot be read are reported, the others are kept. */
import type { Steps } from '#model/steps';
import {
  backslash,
  carriageReturn,
  comma,
  equals,
  isSpace,
  lineEnd,
  lineFeed,
  numberSign,
  quoteMark,
  space,
  tab,
} from '../bytes.ts';
import { SeriesRows, type TextValue } from '../series/series-rows.ts';
import { type Head, type HeadField, tagsMax, tooManyTags } from './head.ts';
import { type HeadMemory, isAt } from './head-memory.ts';
import { LineFault, LineProblems, problemsDefault } from './line-fault.ts';
import { type Precision, ValueScanner } from './value-scanner.ts';

/** Bytes of a step. */
const stepBytes = 16 * 1024;

/** New heads, new fields and wrong lines of a step: about a millisecond. */
const stepDear = 128;

/** Bytes of measurement and tags. */
const headBytesMax = 1024 * 1024;

/** Fields of a line, which is read in one go. */
const fieldsMax = 1024;

/** Bytes of a line that cannot be read in which strings are looked for. */
const faultyBytesMax = 1024 * 1024;

/** Lines as long as this are looked through by the runtime before strings are looked for. */
const plainBytesMin = 1024;

/** What reading takes, nanoseconds: each of these, and all else in a step. */
const dearWork = 8000;
const stepWork = 200_000;

/** How lines are read. */
export interface LineOptions {
  precision: Precision;
  /** The time of lines without one, µs; null: such lines are refused. */
  nowUs: number | null;
  /** Of a text that is read in parts; without it the bytes are the whole text. */
  part?: TextPart;
}

/** Which part of a text the bytes are. */
export interface TextPart {
  /** The lines of the parts before. */
  linesBefore: number;
  /** Else the last line may be continued by the next part: it is left unread. */
  isLast: boolean;
}

/** What the lines of a body say. */
export interface ReadLines {
  rows: SeriesRows;
  problems: LineProblems;
  /** Where the line that was left unread begins; without one the length of the bytes. */
  end: number;
  /** Lines that have been read, those of the parts before included. */
  lines: number;
}

/** New heads and fields that are read before their rows are handed on: each takes up to two kilobytes. */
const portionNew = 2000;

/** Values that are read before their rows are handed on: some of what follows looks at all of them at one go. */
const portionValues = 128 * 1024;

/** Reads one body. */
export class LineReader {
  readonly #bytes: Buffer;
  readonly #memory: HeadMemory;
  readonly #options: LineOptions;
  readonly #values = new ValueScanner();
  /** What is wrong with the lines so far. */
  readonly problems: LineProblems;
  #rows = new SeriesRows();
  readonly #isLast: boolean;
  #at = 0;
  /** Whether a line was left unread. */
  #isCut = false;
  #line: number;
  #newHeads = 0;
  #last: Head | null = null;
  /** The fields of the row that is being read. */
  #fieldCount = 0;
  #isHeadRead = false;

  constructor(bytes: Buffer, memory: HeadMemory, options: LineOptions) {
    this.#bytes = bytes;
    this.#memory = memory;
    this.#options = options;
    const { part } = options;
    this.#line = part?.linesBefore ?? 0;
    this.#isLast = part?.isLast ?? true;
    this.problems = new LineProblems(part === undefined ? problemsDefault : Number.POSITIVE_INFINITY);
  }

  /** Whether all lines have been read. */
  get isOver(): boolean {
    return this.#isCut || this.#at >= this.#bytes.length;
  }

  /** Reads the next lines: to the end, or in a whole text until many series were new or there are many values. */
  *read(): Steps<ReadLines> {
    const rows = new SeriesRows();
    this.#rows = rows;
    const isWhole = this.#options.part === undefined;
    const newMax = isWhole ? this.#newHeads + portionNew : Number.POSITIVE_INFINITY;
    const valuesMax = isWhole ? portionValues : Number.POSITIVE_INFINITY;
    while (!this.isOver && this.#newHeads < newMax && rows.valueCount < valuesMax) {
      const before = this.#dearCount;
      this.#at = this.#readSome(this.#at, this.#at + stepBytes);
      yield stepWork + (this.#dearCount - before) * dearWork;
    }
    return { rows, problems: this.problems, end: this.#at, lines: this.#line };
  }

  /** What took long to read. */
  get #dearCount(): number {
    return this.#newHeads + this.problems.lineCount;
  }

  /**
   * Reads lines until one begins at or after `stop`, many took long, or one is left unread. Returns where the next one
   * begins.
   */
  #readSome(from: number, stop: number): number {
    const bytes = this.#bytes;
    const end = Math.min(stop, bytes.length);
    const dearMax = this.#dearCount + stepDear;
    let at = from;
    while (at < end && this.#dearCount < dearMax) {
      const line = ++this.#line;
      const next = this.#readLine(skipBlank(bytes, at));
      if (next > bytes.length && !this.#isLast) {
        this.#line = line - 1;
        this.#isCut = true;
        return at;
      }
      at = next;
    }
    return Math.min(at, bytes.length);
  }

  /** Reads the line whose first byte that is not blank is at `at`. Returns the position behind its end. */
  #readLine(at: number): number {
    const code = this.#bytes[at];
    if (code === lineFeed || code === undefined) return at + 1;
    return code === numberSign ? lineEnd(this.#bytes, at) + 1 : this.#readPoints(at);
  }

  #readPoints(at: number): number {
    const line = this.#line;
    this.#isHeadRead = false;
    this.#rows.begin();
    try {
      return this.#readRow(at);
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      this.#rows.drop();
      const end = this.#faultyEnd(at);
      if (end >= this.#bytes.length && !this.#isLast) return end + 1;
      this.problems.addLine(line, this.#bytes.toString('utf8', at, Math.min(end, at + 200)), error.message);
      return end + 1;
    }
  }

  #readRow(start: number): number {
    const bytes = this.#bytes;
    const head = this.#readHead(start);
    this.#isHeadRead = true;
    let at = skipBlank(bytes, start + head.bytes.length);
    this.#fieldCount = 0;
    for (let count = 1; ; count++) {
      if (count > fieldsMax) throw new LineFault(`more than ${fieldsMax} fields`);
      at = this.#readField(head, at);
      if (bytes[at] !== comma) break;
      at++;
    }
    at = skipBlank(bytes, at);
    let timeUs = this.#options.nowUs;
    if (bytes[at] !== lineFeed && bytes[at] !== undefined) {
      at = skipBlank(bytes, this.#values.scanTime(bytes, at, this.#options.precision));
      timeUs = this.#values.timeUs;
      if (bytes[at] !== lineFeed && bytes[at] !== undefined) throw new LineFault('bad timestamp');
    }
    if (timeUs === null) throw new LineFault('it has no time');
    if (bytes[at] === undefined && !this.#isLast) this.#rows.drop();
    else this.#rows.end(head.named, timeUs);
    return at + 1;
  }

  /** The head at `start`: the one of the line before, or the one that followed it last time, or else it is looked for. */
  #readHead(start: number): Head {
    const last = this.#last;
    if (last !== null) {
      if (this.#isHeadAt(last, start)) return last;
      if (last.next !== null && this.#isHeadAt(last.next, start)) return this.#enter(last.next);
    }
    const head = this.#findHead(start);
    if (head.fields.length === 0) this.#newHeads++;
    if (last !== null) last.next = head;
    return this.#enter(head);
  }

  #isHeadAt({ bytes: expected }: Head, start: number): boolean {
    const end = start + expected.length;
    return this.#bytes[end] === space && isAt(expected, this.#bytes, start, end);
  }

  #enter(head: Head): Head {
    if (head.named.body !== this.#rows.body || head.named.isReplaced)
      this.#memory.enter(head, this.#rows.body);
    this.#last = head;
    return head;
  }

  #findHead(start: number): Head {
    const bytes = this.#bytes;
    let key = 0x811c9dc5;
    let end = start;
    let tags = 0;
    for (let code = bytes[end]; code !== space; code = bytes[++end]) {
      if (end - start > headBytesMax) throw new LineFault(`a key of more than ${headBytesMax} bytes`);
      if (code === lineFeed || code === undefined) throw new LineFault('missing fields');
      if (code === comma && ++tags > tagsMax) throw tooManyTags();
      key = Math.imul(key ^ code, 0x01000193);
      if (code === backslash && bytes[end + 1] !== lineFeed && end + 1 < bytes.length)
        key = Math.imul(key ^ bytes[++end], 0x01000193);
    }
    return this.#memory.find(bytes, start, end, key);
  }

  /** Reads `key=value` at `at`. Returns the position behind it. */
  #readField(head: Head, at: number): number {
    const bytes = this.#bytes;
    const field = this.#findField(head, at);
    const start = at + field.bytes.length;
    const end = this.#values.scanValue(bytes, start);
    const { isText, refusal, value } = this.#values;
    const text: TextValue | null = isText
      ? { from: start + 1, to: this.#values.textEnd, line: this.#line }
      : null;
    this.#rows.add(field.series, value, text);
    if (refusal !== null) this.#rows.refuse(this.#line, field.series, refusal);
    this.#line += isText ? lineBreaks(bytes, start, end) : 0;
    return end;
  }

  #findField(head: Head, at: number): HeadField {
    const bytes = this.#bytes;
    const { fields } = head;
    const expected = fields[this.#fieldCount++];
    if (expected !== undefined && startsWith(bytes, at, expected.bytes)) return expected;
    const end = keyEnd(bytes, at);
    const known = head.byKey.get(bytes.toString('latin1', at, end));
    if (known !== undefined) {
      this.#fieldCount = known.place + 1;
      return known;
    }
    this.#newHeads++;
    return this.#memory.addField(head, bytes, at, end);
  }

  /** The end of a line that cannot be read: its strings may hold line breaks, if each of them ends. */
  #faultyEnd(start: number): number {
    const bytes = this.#bytes;
    const plainEnd = plainLineEnd(bytes, start);
    if (plainEnd !== null) return plainEnd;
    const stop = Math.min(bytes.length, start + faultyBytesMax);
    let isText = false;
    let hasHead = this.#isHeadRead;
    for (let at = start; at < stop; at++) {
      const code = bytes[at];
      if (code === backslash) at++;
      else if (code === lineFeed && !isText) {
        this.#line += lineBreaks(bytes, start, at);
        return at;
      } else if (code === space) hasHead = true;
      else if (code === quoteMark && hasHead) isText = !isText;
    }
    return this.#isLast || stop < bytes.length ? lineEnd(bytes, start) : bytes.length;
  }
}

function skipBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let code = bytes[at]; code === space || code === tab || code === carriageReturn; ) code = bytes[++at];
  return at;
}

/** The position of the `=` behind a field key. */
function keyEnd(bytes: Buffer, at: number): number {
  for (let i = at; i < bytes.length; i++) {
    const code = bytes[i];
    if (code === equals) {
      if (i === at) throw new LineFault('missing field key');
      return i;
    }
    if (code === backslash && bytes[i + 1] !== lineFeed) i++;
    else if (code === comma || isSpace(code)) break;
  }
  throw new LineFault(isSpace(bytes[at]) ? 'missing fields' : 'invalid field format');
}

/** Where a long line ends, if it is easy to tell: it has no string, and its line break is not escaped; else null. */
function plainLineEnd(bytes: Buffer, start: number): number | null {
  const end = lineEnd(bytes, start);
  const isLong = end - start >= plainBytesMin;
  if (!isLong || bytes[end - 1] === backslash) return null;
  return bytes.subarray(start, end).includes(quoteMark) ? null : end;
}

function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[at + i] !== start[i]) return false;
  return true;
}

function lineBreaks(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === lineFeed) count++;
  return count;
}
