/** Text: an order that is the same in every store, and counts in words. */

/**
 * Negative, zero or positive as `a` is before, equal to or after `b`. By code point, which is the order of UTF-8 bytes (R14),
 * and that of every sorted set (R2).
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    if (unitA !== unitB) return orderOf(unitA) - orderOf(unitB);
  }
  return a.length - b.length;
}

/** Halves of code points above U+FFFF come after all other UTF-16 units, as they do in UTF-8. */
function orderOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** How many characters (code points) a text has, without a copy of it. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) if (isPair(text.charCodeAt(i - 1), text.charCodeAt(i))) count--;
  return count;
}

function isPair(first: number, second: number): boolean {
  return (first & 0xfc00) === 0xd800 && (second & 0xfc00) === 0xdc00;
}

/** A count with its noun: `1 signal`, `2 signals`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
