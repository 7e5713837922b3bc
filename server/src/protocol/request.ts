/** Reads calls from the bytes of a request (W1-W3): JSON text, batch, envelope. */
import { isUtf8 } from 'node:buffer';
import type { Ticket } from '#load/ticket';
import { AppError } from '#model/error';
import type { Columns } from '#model/frame';
import type { Limits } from '#model/limits';
import { quote } from '#model/problem-list';
import { resultOf } from '#model/steps';
import { backslash, brace, bracket, colon, quoteMark } from './bytes.ts';
import { type FrameLimits, type FrameLiteral, FrameScanner } from './frame-literal.ts';
import { type IdTexts, idTexts } from './id-texts.ts';
import { JsonFault, JsonSteps, JsonTooLong } from './json-steps.ts';

/** One call as its envelope gives it. */
export interface Envelope {
  method: string;
  /** Not validated yet; undefined when absent. */
  params: unknown;
  /** The id as JSON text, as it is to be echoed; null for a notification (W2). */
  idText: string | null;
}

/** A parsed request. */
export interface Request {
  /** One call or an array of calls, not validated yet. */
  value: unknown;
  /** The ids as they were written, if a double cannot represent one of them. */
  idTexts: IdTexts;
  /** Whether the text contains `\u`; without it no string can have a lone surrogate. */
  hasEscapes: boolean;
  /** The frame that was read as columns; the creator of the request releases them. */
  columns: Columns | null;
}

/** Parameters that could not be read; the call fails with the error where they would be read. */
export class UnreadParams {
  readonly error: AppError;

  constructor(error: AppError) {
    this.error = error;
  }
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bodies up to this size are parsed in one step. */
export const wholeBytesMax = 128 * 1024;

/** Bodies up to this size are made a text even if they have a frame, which is then read from the bytes. */
const shortBytesMax = 1024;

/** Ids that can be written as they were read. */
export const noTexts: IdTexts = new Map();

/** Options for reading requests. */
export interface ParseOptions {
  /** Whether a method reads the frame in its `data` as columns. */
  takesColumns(method: string): boolean;
  /** Read at each request. */
  limits: Pick<
    Limits,
    'requestEntriesMax' | 'requestMembersMax' | 'requestTextBytesMax' | 'signalsPerCallMax'
  >;
}

/** Worst-case memory of the parsed value for each byte of a body above {@link wholeBytesMax}: `{}` becomes an object. */
const parsedPerByte = 12;

/** Parses the bodies of requests. One for a service, since it caches the keys of recent frames. */
export class RequestParser {
  readonly #options: ParseOptions;
  readonly #scanner = new FrameScanner();
  /** For large bodies, one at a time: between two of its steps {@link #scanner} reads small ones. */
  readonly #stepScanner = new FrameScanner();

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  /**
   * Reads JSON in UTF-8; a byte order mark before it is skipped. `parse` when it is none. A single call of a method that
   * `takesColumns` gets the frame in its `data` as columns, where it can be read so (see frame-literal.ts).
   */
  parse(bytes: Buffer): Request {
    const json = textOf(bytes);
    if (json.length <= shortBytesMax) {
      // Most have no frame, and its name is found in a text sooner than in bytes.
      const text = json.toString('utf8');
      if (!text.includes('"data"')) return parseWhole(text);
    }
    const literal = resultOf(this.#scanner.steps(json, frameLimits(this.#options.limits)));
    return this.#parseAround(json, literal) ?? parseWhole(json.toString('utf8'));
  }

  /**
   * The same for a body above {@link wholeBytesMax}: one at a time, in steps, between which other work runs. The memory of the
   * parsed value is charged to the ticket. Fails with `invalid-request` when there are too many members, before parsing them, or
   * a text, number or array is too long; rejects as the ticket does.
   */
  parseInSteps(bytes: Buffer, ticket: Ticket): Promise<Request> {
    return ticket.run('parse', async () => {
      const { limits } = this.#options;
      const json = await ticket.step(() => textOf(bytes));
      const hold = ticket.hold('parsed');
      await hold.take(json.length * parsedPerByte);
      const literal = await inSteps(ticket, this.#stepScanner.steps(json, frameLimits(limits)));
      const framed = this.#parseAround(json, literal);
      if (framed !== null) {
        hold.change(framed.columns?.bytes ?? 0);
        return framed;
      }
      const hasEscapes = await inSteps(ticket, checkMembers(json, limits));
      const steps = new JsonSteps(json, limits.requestEntriesMax);
      const value = await inSteps(ticket, steps.parse()).catch(async (error) => {
        if (error instanceof JsonTooLong) throw invalidRequest(error.message);
        if (!(error instanceof JsonFault)) throw error;
        const characters = await inSteps(ticket, charactersBefore(json, error.at));
        throw parseError(`the body is not JSON at character ${characters}`);
      });
      hold.change(steps.parsedBytes);
      const texts = hasLargeIds(value) ? await inSteps(ticket, idTexts(json, value)) : noTexts;
      return { value, idTexts: texts, hasEscapes, columns: null };
    });
  }

  /** Parses JSON without its frame, then inserts the columns; null unless the frame is the `data` of a single such call. */
  #parseAround(json: Buffer, literal: FrameLiteral | null): Request | null {
    if (literal === null) return null;
    const { start, end, columns } = literal;
    if (json.length - (end - start) > wholeBytesMax) return null;
    const before = json.toString('utf8', 0, start);
    const around = `${before}"${placeholder}"${json.toString('utf8', end)}`;
    if (around.lastIndexOf(placeholder) !== before.length + 1 || around.includes('\\u')) return null;
    const request = parseOrNull(around);
    const call = request?.value;
    if (request === null || !isObject(call) || !isObject(call.params)) return null;
    const { method, params } = call;
    if (params.data !== placeholder || typeof method !== 'string' || !this.#options.takesColumns(method))
      return null;
    params.data = { times: columns.timesUs, series: columns };
    return { ...request, columns };
  }
}

function frameLimits({ signalsPerCallMax, requestEntriesMax }: ParseOptions['limits']): FrameLimits {
  return { seriesMax: signalsPerCallMax, rowsMax: requestEntriesMax };
}

/** Placeholder for the frame while the surrounding text is parsed; not used if the text may contain it already. */
const placeholder = '<the frame>';

const letterU = 0x75;

/** Text that is checked in one step, bytes. */
const checkedBytes = 64 * 1024;

/**
 * Counts the members, objects and arrays of JSON text, which determine the cost of parsing, in steps. Returns whether there are
 * `\\u` escapes in it. Fails with `invalid-request` soon after there are too many, or in a text that is too long.
 */
export function* checkMembers(
  json: Buffer,
  limits: Pick<Limits, 'requestMembersMax' | 'requestTextBytesMax'>,
): Generator<void, boolean, void> {
  const counts: MemberCounts = {
    at: 0,
    members: 0,
    isString: false,
    textAt: 0,
    longest: 0,
    hasEscapes: false,
  };
  for (;;) {
    countMembers(json, counts, Math.min(json.length, counts.at + checkedBytes));
    if (counts.members > limits.requestMembersMax) throw tooManyMembers(limits.requestMembersMax);
    const open = counts.isString ? counts.at - counts.textAt : 0;
    if (Math.max(counts.longest, open) > limits.requestTextBytesMax)
      throw invalidRequest(`a text in a request may have at most ${limits.requestTextBytesMax} bytes`);
    if (counts.at >= json.length) return counts.hasEscapes;
    yield;
  }
}

interface MemberCounts {
  at: number;
  members: number;
  isString: boolean;
  /** Where the last text begins. */
  textAt: number;
  /** Bytes of the longest text that has ended. */
  longest: number;
  hasEscapes: boolean;
}

/** A function of its own: the runtime does not optimise loops of generators. */
function countMembers(json: Buffer, counts: MemberCounts, end: number): void {
  let { at, members, isString, textAt, longest, hasEscapes } = counts;
  for (; at < end; at++) {
    const byte = json[at];
    if (byte === quoteMark) {
      if (isString) longest = Math.max(longest, at - textAt - 1);
      else textAt = at;
      isString = !isString;
    } else if (!isString) members += byte === colon || byte === bracket || byte === brace ? 1 : 0;
    else if (byte === backslash && json[++at] === letterU) hasEscapes = true;
  }
  Object.assign(counts, { at, members, isString, textAt, longest, hasEscapes });
}

function tooManyMembers(max: number): AppError {
  return invalidRequest(
    `a request may have at most ${max} members, objects and arrays in all; send fewer signals in one request`,
  );
}

async function inSteps<T>(ticket: Ticket, steps: Generator<void, T, void>): Promise<T> {
  for (;;) {
    const { done, value } = await ticket.step(() => steps.next());
    if (done) return value;
  }
}

/** How many characters of a string the first bytes of a text in UTF-8 are, in steps. */
function* charactersBefore(json: Buffer, end: number): Generator<void, number, void> {
  let count = 0;
  for (let at = 0; at < end; at += checkedBytes) {
    count += countCharacters(json.subarray(at, Math.min(end, at + checkedBytes)));
    yield;
  }
  return count;
}

/** One for each byte that begins a character, and two for one that begins a surrogate pair. */
function countCharacters(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) {
    if ((byte & 0xc0) !== 0x80) count++;
    if (byte >= 0xf0) count++;
  }
  return count;
}

function textOf(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw parseError('the body is not UTF-8');
  const hasBom = bytes[0] === utf8Bom[0] && bytes.length >= 3 && bytes.compare(utf8Bom, 0, 3, 0, 3) === 0;
  return hasBom ? bytes.subarray(3) : bytes;
}

function parseOrNull(text: string): Request | null {
  try {
    return parseWhole(text);
  } catch {
    return null;
  }
}

function parseWhole(text: string): Request {
  const value = parseJson(text);
  const texts = hasLargeIds(value) ? resultOf(idTexts(Buffer.from(text), value)) : noTexts;
  return { value, idTexts: texts, hasEscapes: text.includes('\\u'), columns: null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw parseError(syntaxWords(cause, text));
  }
}

function hasLargeIds(value: unknown): boolean {
  return Array.isArray(value) ? value.some(hasLargeId) : hasLargeId(value);
}

function hasLargeId(call: unknown): boolean {
  return isObject(call) && typeof call.id === 'number' && !(Math.abs(call.id) <= Number.MAX_SAFE_INTEGER);
}

function parseError(words: string): AppError {
  return new AppError('parse', `Parse error: ${words}`);
}

/** The position of a syntax error. The runtime's message is not used otherwise, since it quotes the text. */
function syntaxWords(cause: unknown, text: string): string {
  if (text.trim() === '') return 'the body is empty';
  const place = /position (\d+)/.exec(cause instanceof SyntaxError ? cause.message : '')?.[1];
  return place === undefined ? 'the body is not valid JSON' : `the body is not JSON at character ${place}`;
}

/** Reads one call. Fails with `invalid-request` for an invalid envelope; {@link idTextOf} returns the id for the answer. */
export function readEnvelope(call: unknown, request: Request): Envelope {
  if (!isObject(call)) throw invalidRequest(`a call must be an object, got ${quote(call)}`);
  const idText = readId(call, request);
  const { jsonrpc, method, params } = call;
  if (jsonrpc !== '2.0') throw invalidRequest(`"jsonrpc" must be "2.0", got ${quote(jsonrpc)}`);
  if (typeof method !== 'string') throw invalidRequest(`"method" must be a string, got ${quote(method)}`);
  return { method, params, idText };
}

/** The id for the answer to an invalid call: its own if it has one, else null. */
export function idTextOf(call: unknown, request: Request): string {
  const hasId = isObject(call) && (typeof call.id === 'string' || typeof call.id === 'number');
  return (hasId && readId(call, request)) || 'null';
}

function readId(call: Record<string, unknown>, request: Request): string | null {
  const { id } = call;
  if (id === null || id === undefined) return null;
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id === 'number') return request.idTexts.get(call) ?? JSON.stringify(id);
  throw invalidRequest(`"id" must be a string, a number or null, got ${quote(id)}`);
}

/** Creates an `invalid-request` error. */
export function invalidRequest(words: string): AppError {
  return new AppError('invalid-request', `Invalid request: ${words}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
