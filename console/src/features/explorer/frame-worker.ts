/** The thread that reads large answers, so that the page stays at hand: bytes of JSON in, columns of numbers out. */
import { parseAnswer, transferable } from './answer.ts';

/** What goes in. */
export interface Task {
  id: number;
  bytes: ArrayBuffer;
}

/** What comes out. */
export interface Done {
  id: number;
  /** What {@link parseAnswer} gives; absent when the bytes are no JSON. */
  answer?: unknown;
  problem?: string;
}

addEventListener('message', ({ data: { id, bytes } }: MessageEvent<Task>) => {
  try {
    const answer = parseAnswer(bytes);
    postMessage({ id, answer } satisfies Done, { transfer: transferable(answer) });
  } catch (error) {
    postMessage({ id, problem: String(error) } satisfies Done);
  }
});
