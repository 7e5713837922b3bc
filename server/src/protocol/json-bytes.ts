/** The bytes that JSON text is made of. */

/** `"` */
export const quoteMark = 0x22;
/** `\` */
export const backslash = 0x5c;
/** `,` */
export const comma = 0x2c;
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
