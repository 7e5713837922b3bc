/** The lines of a UTF-8 file of any size, with their numbers. */
import { TextDecoder } from 'node:util';
import type { ByteSource } from '../csv/source.ts';
import { CommandError } from '../usage.ts';

/** Longer lines are not read: a file without line ends would fill the memory. */
const lineCharactersMax = 16 * 1024 * 1024;

/** A line without its end, and its number, from 1. */
export interface Line {
  number: number;
  text: string;
}

/** Every line that is not empty. Throws {@link CommandError} where the bytes are not UTF-8, or a line is too long. */
export async function* readLines(source: ByteSource): AsyncGenerator<Line, void, void> {
  let number = 0;
  let rest = '';
  for await (const text of decoded(source)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax)
      throw new CommandError(
        `line ${number + lines.length + 1} has more than ${lineCharactersMax} characters`,
      );
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield { number, text: line };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
}

async function* decoded(source: ByteSource): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of source.chunks()) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new CommandError('the file is not UTF-8 text');
  }
}
