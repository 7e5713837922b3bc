/** Lengths and times in ms. */

/** A minute. */
export const minute = 60_000;
/** An hour. */
export const hour = 60 * minute;
/** A day. */
export const day = 24 * hour;

/** The milliseconds of a time in RFC 3339, or of a date at 00:00 UTC. */
export const at = (text: string): number => Date.parse(text);
