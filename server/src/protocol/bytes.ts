/** The bytes that JSON text and line protocol are made of. */

/** Ends a line. */
export const lineFeed = 0x0a;
/** May stand before it. */
export const carriageReturn = 0x0d;
/** Separates the parts of a line. */
export const space = 0x20;
/** Is white space, but separates nothing. */
export const tab = 0x09;
/** Separates elements, tags and fields. */
export const comma = 0x2c;
/** Separates a key from its value. */
export const equals = 0x3d;
/** Begins and ends a string. */
export const quoteMark = 0x22;
/** Escapes the byte after it. */
export const backslash = 0x5c;
/** Begins a negative number. */
export const minus = 0x2d;
/** Begins a comment. */
export const numberSign = 0x23;
/** `:` */
export const colon = 0x3a;
/** `[` */
export const bracket = 0x5b;
/** `]` */
export const bracketEnd = 0x5d;
/** `{` */
export const brace = 0x7b;
/** `}` */
export const braceEnd = 0x7d;

/** Whether a byte is a decimal digit; behind the end of a text it is undefined, which is none. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a byte ends a line or a part of it: white space, a line break, or the end of the text. */
export function isSpace(code: number | undefined): boolean {
  return code === space || code === lineFeed || code === undefined || code === carriageReturn || code === tab;
}

/** The position of the next line break from `at` on, or the end. */
export function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(lineFeed, at);
  return end < 0 ? bytes.length : end;
}
