/** What each scalar function and operator computes (F2, F3). NaN is null. */

/** One operand null: null. For computations that would otherwise answer something else, like comparisons. */
function nullable(compute: (a: number, b: number) => number): (a: number, b: number) => number {
  return (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : compute(a, b));
}

/** `a == b` as 1 or 0. */
export const equal = nullable((a, b) => (a === b ? 1 : 0));
/** `a != b`. */
export const unequal = nullable((a, b) => (a === b ? 0 : 1));
/** `a < b`. */
export const less = nullable((a, b) => (a < b ? 1 : 0));
/** `a <= b`. */
export const lessOrEqual = nullable((a, b) => (a <= b ? 1 : 0));
/** `a > b`. */
export const greater = nullable((a, b) => (a > b ? 1 : 0));
/** `a >= b`. */
export const greaterOrEqual = nullable((a, b) => (a >= b ? 1 : 0));

/** `!a`. */
export function not(a: number): number {
  return Number.isNaN(a) ? a : a === 0 ? 1 : 0;
}

/** Three-valued `a && b`: one that is false decides, whatever the other is (F2). */
export function and(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 1;
}

/** Three-valued `a || b`: one that is true decides, whatever the other is (F2). */
export function or(a: number, b: number): number {
  if (isTrue(a) || isTrue(b)) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;
}

/** The branch that the condition picks; null when the condition is null. The other branch does not matter. */
export function choose(condition: number, yes: number, no: number): number {
  if (Number.isNaN(condition)) return condition;
  return condition === 0 ? no : yes;
}

/** 1 where a is null, else 0. */
export function isNull(a: number): number {
  return Number.isNaN(a) ? 1 : 0;
}

/** a, or b where a is null. */
export function coalesce(a: number, b: number): number {
  return Number.isNaN(a) ? b : a;
}

/** The remainder of the floored division: it has the sign of b. Null where b is 0. */
export function modulo(a: number, b: number): number {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
}

/** a to the power of b. JavaScript's `NaN ** 0` is 1; here null stays null. */
export function power(a: number, b: number): number {
  return Number.isNaN(a) ? a : a ** b;
}

/** The angle of the point (x, y); -0 is taken for 0, as there is only one zero here. */
export function angle(y: number, x: number): number {
  return Math.atan2(y + 0, x + 0);
}

/** a kept within [low, high]; null where low > high, as no number is within. */
export function clamp(a: number, low: number, high: number): number {
  return low > high ? Number.NaN : Math.min(Math.max(a, low), high);
}

/** The logarithm to a base; exact where the base's power is. Null unless x > 0, base > 0 and base ≠ 1. */
export function logarithm(x: number, base: number): number {
  if (!(base > 0)) return Number.NaN;
  if (base === 10) return Math.log10(x);
  if (base === 2) return Math.log2(x);
  const quotient = Math.log(x) / Math.log(base);
  const whole = Math.round(quotient);
  return base ** whole === x ? whole : quotient;
}

/**
 * Rounds to `digits` decimals (-15 to 15), halves away from zero, as they look when printed: 2.345 to 2 digits is 2.35,
 * though the double is a little less.
 */
export function round(x: number, digits: number): number {
  const magnitude = Math.abs(x);
  const sign = x < 0 ? -1 : 1;
  if (digits <= 0) {
    const unit = 10 ** -digits;
    return sign * Math.round(magnitude / unit) * unit;
  }
  const unit = 10 ** digits;
  const scaled = magnitude * unit;
  // Beyond 2^53 there are no decimals; near it a nudge of one unit in the last place would be a visible amount.
  if (!(scaled < 2 ** 53)) return x;
  const nudge = scaled < 2 ** 40 ? scaled * 2 ** -52 : 0;
  return (sign * Math.round(scaled + nudge)) / unit;
}

function isTrue(a: number): boolean {
  return !Number.isNaN(a) && a !== 0;
}
