/** Keys that move between the rows of a table. */

/** The row to which a key moves; null for other keys. */
export function targetOf(key: string, from: number, page: number, last: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: last,
  };
  return targets[key] ?? null;
}
