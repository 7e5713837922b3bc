/** Finds the separator of a CSV file by looking at its first lines. */

/** The separators that are detected automatically, most common first. */
export const separators = [',', ';', '\t', '|'] as const;

const sampleLinesMax = 50;

/**
 * The separator that splits the first lines into equally many fields, and into the most; `,` when none splits them (a
 * file with one column has none). Separators inside quotes do not count.
 */
export function findSeparator(sample: string): string {
  const lines = sample.split(/\r?\n/, sampleLinesMax).filter((line) => line !== '');
  let best = { separator: ',', agreement: 0, fields: 1 };
  for (const separator of separators) {
    const counts = lines.map((line) => countFields(line, separator));
    const fields = counts[0] ?? 1;
    const agreement = counts.filter((count) => count === fields).length;
    const isBetter = agreement > best.agreement || (agreement === best.agreement && fields > best.fields);
    if (fields > 1 && isBetter) best = { separator, agreement, fields };
  }
  return best.separator;
}

function countFields(line: string, separator: string): number {
  let fields = 1;
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) fields++;
  }
  return fields;
}

/** Reads `--separator`: one character, or the word `tab`; null when it is neither. */
export function parseSeparator(text: string): string | null {
  if (text === 'tab' || text === '\\t') return '\t';
  return [...text].length === 1 && !/["\r\n]/.test(text) ? text : null;
}
