/** The only place where the console asks for the present. */

/** Milliseconds since 1970. */
export function nowMs(): number {
  return Date.now();
}
