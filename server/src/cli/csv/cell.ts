/** Cells of a CSV file: a number, no value, the name of a state, or something that cannot be read. */
import type { States } from './states.ts';

/** How the cells of a file are read. */
export interface CellReading {
  decimal: '.' | ',';
  /** Words that mean "no value", in lower case; an empty cell means it always. */
  nullWords: ReadonlySet<string>;
}

/** Words for "no value" in the exports of usual programs, in lower case. */
export const usualNullWords: readonly string[] = [
  ...['nan', 'null', 'na', 'n/a', '#n/a', '#na', '<na>', 'none', 'nil', 'nat', '-', '--', '?', '...'],
  ...['inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity', '1.#inf', '-1.#ind', '1.#qnan'],
  ...['#value!', '#ref!', '#div/0!', '#num!', '#name?', 'empty', 'missing', '\\n'],
];

const numbers = {
  '.': /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  ',': /^[+-]?(\d+,?\d*|,\d+)(e[+-]?\d+)?$/i,
};

/** A cell's number, null when it has no value, NaN when it cannot be read. `true` and `false` are 1 and 0. */
export function readCell(
  cell: string,
  states: States | null,
  { decimal, nullWords }: CellReading,
): number | null {
  const text = cell.trim();
  if (text === '' || nullWords.has(text.toLowerCase())) return null;
  if (states !== null) return states.numberOf(text);
  const value = readNumber(text, decimal);
  if (value !== null) return Number.isFinite(value) ? value : Number.NaN;
  const word = text.toLowerCase();
  return word === 'true' ? 1 : word === 'false' ? 0 : Number.NaN;
}

/** The number in a text; null when the text is not a number. */
export function readNumber(text: string, decimal: '.' | ','): number | null {
  if (!numbers[decimal].test(text)) return null;
  return Number(decimal === ',' ? text.replace(',', '.') : text);
}

/** A cell as it is quoted in messages. */
export function quoteCell(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

/**
 * The decimal mark of some cells: a comma where numbers have commas and none has a point. Null when the commas may
 * separate thousands, as in `1,234`.
 */
export function findDecimal(cells: Iterable<string>): '.' | ',' | null {
  let commas = 0;
  let thousands = 0;
  for (const cell of cells) {
    const text = cell.trim();
    if (/^[+-]?\d*\.\d+(e[+-]?\d+)?$/i.test(text)) return '.';
    if (!text.includes(',') || !numbers[','].test(text)) continue;
    commas++;
    if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) thousands++;
  }
  if (commas === 0) return '.';
  return thousands === commas ? null : ',';
}
