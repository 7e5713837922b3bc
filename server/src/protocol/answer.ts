/** Answers as text: what the protocol hands to a transport, and how it becomes bytes, piece by piece. */
import { Frame } from '#model/frame';
import type { Fault } from './fault.ts';
import { frameText } from './frame-text.ts';
import { JsonText } from './json-text.ts';

/** Texts in order; what is in a {@link Value} is printed when it is its turn. */
export type AnswerPart = string | Value;

/** The answer of one call. */
export type CallAnswer = readonly AnswerPart[];

/** The answer of a request: of one call, or of a batch, of which each answer comes when it is there. */
export type Answer = CallAnswer | AsyncGenerator<CallAnswer, void, void>;

/** A result that is not text yet. */
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

/** How much text is gathered before it is handed on, characters: a millisecond of work. */
export const pieceCharacters = 64 * 1024;

/** Containers down to this level are printed member by member: a selection has its resources there. */
const levelsMax = 3;

/**
 * The bytes of an answer in pieces of about 64 KiB, each made when it is asked for: an answer of any size takes little memory,
 * and others can run between two pieces. Bytes that a result has are a piece of their own.
 */
export function* answerPieces(answer: CallAnswer): Generator<string | Buffer, void, undefined> {
  let text = '';
  for (const part of answer) {
    for (const piece of typeof part === 'string' ? [part] : valueText(part.value, 0)) {
      if (typeof piece !== 'string') {
        if (text !== '') yield text;
        text = '';
        yield piece;
        continue;
      }
      text += piece;
      if (text.length < pieceCharacters) continue;
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

/** What `JSON.stringify` would give, `null` for undefined, in texts that are short unless one member is long. */
function* valueText(value: unknown, level: number): Generator<string | Buffer, void, undefined> {
  if (value instanceof Frame) yield* frameText(value);
  else if (value instanceof JsonText) yield value.text;
  else if (level >= levelsMax || !isContainer(value)) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* arrayText(value, level);
  else yield* objectText(value, level);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

function* arrayText(values: readonly unknown[], level: number): Generator<string | Buffer, void, undefined> {
  let separator = '[';
  for (const value of values) {
    yield separator;
    yield* valueText(value, level + 1);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* objectText(members: object, level: number): Generator<string | Buffer, void, undefined> {
  let separator = '{';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* valueText(value, level + 1);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}
