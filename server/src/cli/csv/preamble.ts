/** The lines before the first row of a CSV file: comments, and the line by which Excel names the separator. */

/** The lines before the first row. */
export interface Preamble {
  /** Its number of characters and lines. */
  length: number;
  lines: number;
  separator: string | null;
  /** Null when there is no comment. */
  lastComment: string | null;
}

/** A `#` right before a separator is the name of a column. */
const comment = /^#(?![,;\t|"])(.*)$/s;

/** Reads the lines before the first row from the beginning of a file. */
export function readPreamble(text: string): Preamble {
  const preamble: Preamble = { length: 0, lines: 0, separator: null, lastComment: null };
  while (true) {
    const end = text.indexOf('\n', preamble.length);
    if (end < 0) return preamble;
    const line = text.slice(preamble.length, end).replace(/\r$/, '');
    const named = preamble.lines === 0 ? /^"?sep=(.)"?$/i.exec(line) : null;
    const commented = comment.exec(line);
    if (named !== null) preamble.separator = named[1];
    else if (commented !== null) preamble.lastComment = commented[1].trim();
    else if (line.trim() !== '') return preamble;
    preamble.length = end + 1;
    preamble.lines++;
  }
}
