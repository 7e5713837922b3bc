/** Answers as text: what the protocol hands to a transport, and how it becomes bytes. */
import { Frame } from '#model/frame';
import type { Fault } from './fault.ts';
import { frameText } from './frame-text.ts';
import { JsonText } from './json-text.ts';

/** JSON text in order; a frame stands for its text, which is written when it is its turn. */
export type Answer = readonly (string | Frame)[];

/** The text of a successful call. `result` may have frames where `MethodDefinition.run` says. */
export function successAnswer(idText: string, result: unknown): Answer {
  return joinTexts([`{"jsonrpc":"2.0","id":${idText},"result":`, ...resultParts(result), '}']);
}

/** The text of a failed call. */
export function faultAnswer(idText: string, fault: Fault): Answer {
  return [`{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(fault)}}`];
}

/** The text of a batch: the answers as an array. */
export function batchAnswer(answers: readonly Answer[]): Answer {
  return joinTexts([
    '[',
    ...answers.flatMap((answer, index) => (index === 0 ? answer : [',', ...answer])),
    ']',
  ]);
}

function resultParts(result: unknown): Answer {
  if (result instanceof Frame) return [result];
  if (result instanceof JsonText) return [result.text];
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [toJson(result)];
  if (!Object.values(result).some(hasFrame)) return [toJson(result)];
  const members = Object.entries(result).filter(([, value]) => value !== undefined);
  return members
    .flatMap(([name, value], index) => [
      `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
      ...memberParts(value),
    ])
    .concat('}');
}

function hasFrame(value: unknown): boolean {
  return value instanceof Frame || (Array.isArray(value) && value[0] instanceof Frame);
}

function memberParts(value: unknown): Answer {
  if (value instanceof Frame) return [value];
  if (!Array.isArray(value) || !hasFrame(value)) return [toJson(value)];
  return ['[', ...(value as Frame[]).flatMap((frame, index) => (index === 0 ? [frame] : [',', frame])), ']'];
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** The same answer with neighbouring texts made one. */
function joinTexts(parts: Answer): Answer {
  const joined: (string | Frame)[] = [];
  for (const part of parts) {
    const last = joined.length - 1;
    if (typeof part === 'string' && typeof joined[last] === 'string') joined[last] += part;
    else joined.push(part);
  }
  return joined;
}

/** How much text is gathered before it is handed on, characters. */
const pieceCharacters = 64 * 1024;

/**
 * The bytes of an answer in pieces of about 64 KiB, each made when it is asked for: an answer of any size takes little
 * memory, and its writer can let others run between two pieces.
 */
export function* answerBytes(answer: Answer): Generator<Buffer, void, undefined> {
  let text = '';
  for (const part of answer) {
    for (const piece of typeof part === 'string' ? [part] : frameText(part)) {
      text += piece;
      if (text.length < pieceCharacters) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** The text of an answer that {@link isShort}. */
export function answerText(answer: Answer): string {
  let text = '';
  for (const part of answer) {
    if (typeof part === 'string') text += part;
    else for (const piece of frameText(part)) text += piece;
  }
  return text;
}

/** Whether an answer is short enough to be made in one go: no frames, or small ones. */
export function isShort(answer: Answer): boolean {
  let size = 0;
  for (const part of answer) size += typeof part === 'string' ? part.length : frameSize(part);
  return size <= pieceCharacters;
}

/** About how many characters a frame takes. */
function frameSize(frame: Frame): number {
  return frame.timesUs.length * (24 + 8 * frame.series.size) + 32 * frame.series.size;
}
