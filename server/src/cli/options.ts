/** Reads options and arguments: whole numbers, one of several words, JSON objects, and options that may be repeated. */
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { UsageError } from './usage.ts';

/** An option that takes a whole number in a range. */
export function numberOption(flags: string, help: string, min: number, max: number): Option {
  const option = new Option(flags, help);
  return option.argParser((text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = `a whole number from ${min} to ${max}`;
    throw new UsageError(`${option.long} must be ${range}, got ${JSON.stringify(text)}`);
  });
}

/** Parses an option that may be repeated: its texts in order. */
export function collect(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text];
}

/** The one of `words` that an argument is. Throws {@link UsageError}. */
export function oneOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new UsageError(`${what} must be one of ${words.join(' ')}, got ${JSON.stringify(text)}`);
}

/** The JSON object in an argument. Throws {@link UsageError}. */
export function readJsonObject(what: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new UsageError(`${what} must be JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`${what} must be a JSON object`);
}

/** Reads a file that holds a JSON object. */
export async function readJsonFile(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`cannot read ${path}: ${error.message}`);
  });
  return readJsonObject(path, text);
}
