/** Answers as text: what the protocol hands to a transport, and how it becomes bytes, piece by piece. */
import { Frame } from '#model/frame';
import { timeName } from './arrow/format.ts';
import { streamPieces } from './arrow/stream-writer.ts';
import type { Fault } from './fault.ts';
import { frameText } from './frame-text.ts';
import { JsonParts, JsonText } from './json-text.ts';

/** Texts in order; a {@link Value} is serialised when it is reached. */
export type AnswerPart = string | Value;

/** The answer of one call. */
export type CallAnswer = readonly AnswerPart[];

/** The answer to a request: of one call, or of a batch, whose answers are yielded as they become available. */
export type Answer = CallAnswer | FrameStream | AsyncGenerator<CallAnswer, void, void>;

/** A frame that is answered as an Arrow stream (W5e). */
export class FrameStream {
  readonly #frame: Frame;
  readonly #others: readonly (readonly [name: string, value: unknown])[];

  private constructor(frame: Frame, others: readonly (readonly [name: string, value: unknown])[]) {
    this.#frame = frame;
    this.#others = others;
  }

  /** The stream of a result whose member `data` is one frame without a series named like the times; else null. */
  static of(result: unknown): FrameStream | null {
    if (typeof result !== 'object' || result === null) return null;
    const { data, ...others } = result as Record<string, unknown>;
    return data instanceof Frame && !data.series.has(timeName)
      ? new FrameStream(data, Object.entries(others))
      : null;
  }

  /** The bytes in pieces, as {@link answerPieces}. The other members of the result are JSON in the metadata of the schema. */
  *pieces(): Generator<Buffer, void, undefined> {
    const metadata = new Map<string, string>();
    for (const [name, value] of this.#others) {
      let text = '';
      for (const piece of answerPieces([new Value(value)])) {
        text += piece;
        yield Buffer.alloc(0);
      }
      metadata.set(name, text);
    }
    yield* streamPieces(this.#frame, metadata);
    this.#frame.free();
  }
}

/** A result that has not been serialised yet. */
export class Value {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The answer of a call that succeeded. `result` may have frames where `MethodDefinition.run` says. */
export function successAnswer(idText: string, result: unknown): CallAnswer {
  return [`{"jsonrpc":"2.0","id":${idText},"result":`, new Value(result), '}'];
}

/** The answer of a call that failed. */
export function faultAnswer(idText: string, fault: Fault): CallAnswer {
  return [`{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(fault)}}`];
}

/** Characters collected before a piece is passed on; about a millisecond of work. */
export const pieceCharacters = 128 * 1024;

/** Bytes of a result that are at least this long are not copied. */
const ownPieceBytesMin = 8 * 1024;

/** Arrays and objects down to this level are serialised member by member: the resources of a selection are at this level. */
const levelsMax = 3;

/** A part of an answer, ready to be written. */
export type Piece = string | Buffer;

/** Pieces as one. */
export function joined(pieces: readonly Piece[]): Piece {
  if (pieces.length === 1) return pieces[0];
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  let at = 0;
  for (const piece of pieces)
    at += typeof piece === 'string' ? bytes.write(piece, at) : piece.copy(bytes, at);
  return bytes;
}

/**
 * The bytes of an answer in pieces of about 128 KiB, each produced on demand, so that an answer of any size takes little memory
 * and other work can run between two pieces. Bytes of a result that are not short are a piece of their own.
 */
export function* answerPieces(answer: CallAnswer | FrameStream): Generator<Piece, void, undefined> {
  if (answer instanceof FrameStream) return yield* answer.pieces();
  const gathered = new Gathered();
  for (const part of answer) {
    for (const piece of typeof part === 'string' ? [part] : valueText(part.value, 0)) {
      if (typeof piece !== 'string' && piece.length >= ownPieceBytesMin) {
        if (!gathered.isEmpty) yield gathered.take();
        yield piece;
      } else if (gathered.add(piece) >= pieceCharacters) yield gathered.take();
    }
  }
  if (!gathered.isEmpty) yield gathered.take();
}

/**
 * The pieces of an answer that is a string, or an object of texts that were printed before, as most small ones are; null: it has to
 * be printed.
 */
export function readyPieces(answer: CallAnswer): Piece[] | null {
  const pieces: Piece[] = [];
  let text = '';
  for (const part of answer) {
    const ready = typeof part === 'string' ? [part] : readyMembers(part.value);
    if (ready === null) return null;
    for (const piece of ready) {
      if (typeof piece === 'string') text += piece;
      else {
        pieces.push(text, piece);
        text = '';
      }
    }
  }
  pieces.push(text);
  const isShort = pieces.reduce((sum, { length }) => sum + length, 0) <= pieceCharacters;
  return isShort ? pieces : null;
}

function readyMembers(value: unknown): Piece[] | null {
  if (value instanceof JsonText) return [value.text];
  if (!isContainer(value) || Array.isArray(value) || value instanceof Frame) return null;
  const pieces: Piece[] = [];
  let separator = '{';
  for (const name of Object.keys(value)) {
    const member: unknown = value[name as keyof typeof value];
    if (!(member instanceof JsonText)) return null;
    pieces.push(`${separator}${JSON.stringify(name)}:`, member.text);
    separator = ',';
  }
  return pieces.length === 0 ? null : [...pieces, '}'];
}

/** Short pieces that become one. */
class Gathered {
  #before: Piece[] = [];
  #beforeLength = 0;
  #text = '';

  get isEmpty(): boolean {
    return this.#text === '' && this.#beforeLength === 0;
  }

  /** How long they are together. */
  add(piece: Piece): number {
    if (typeof piece === 'string') this.#text += piece;
    else {
      this.#before.push(this.#text, piece);
      this.#beforeLength += this.#text.length + piece.length;
      this.#text = '';
    }
    return this.#beforeLength + this.#text.length;
  }

  take(): Piece {
    const piece = this.#before.length === 0 ? this.#text : joined([...this.#before, this.#text]);
    this.#before = [];
    this.#beforeLength = 0;
    this.#text = '';
    return piece;
  }
}

/** The output of `JSON.stringify` (`null` for undefined) in pieces, which are short unless a single member is long. */
function* valueText(value: unknown, level: number): Generator<Piece, void, undefined> {
  if (value instanceof Frame) {
    yield* frameText(value);
    value.free();
  } else if (value instanceof JsonText) yield value.text;
  else if (value instanceof JsonParts) yield* value.parts();
  else if (level >= levelsMax || !isContainer(value)) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* arrayText(value, level);
  else yield* objectText(value, level);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

function* arrayText(values: readonly unknown[], level: number): Generator<Piece, void, undefined> {
  let separator = '[';
  for (const value of values) {
    yield separator;
    yield* valueText(value, level + 1);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* objectText(members: object, level: number): Generator<Piece, void, undefined> {
  let separator = '{';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* valueText(value, level + 1);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}
