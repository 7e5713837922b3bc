/**
 * The loops over columns for operations that look at one bucket at a time. NaN stands for null on the way in and on the
 * way out; every result passes {@link finite}, so an overflow or 0/0 is null from its first moment on (F2).
 */

/** What a step of a formula yields: the same number in every bucket, or one for each. NaN is null. */
export type Value = number | Float64Array;

/** An operation on one bucket at a time. Operands that `arity` does not use are to be ignored. */
export interface Pointwise {
  arity: 1 | 2 | 3;
  /** Work for one bucket, in about nanoseconds; an addition is 1. */
  weight: number;
  /** On numbers. Never infinite. */
  scalar(a: number, b: number, c: number): number;
  /** On columns as long as `out`, which may be one of them. */
  column(out: Float64Array, a: Float64Array, b: Float64Array, c: Float64Array): void;
}

/** A number as it is, or NaN where it is NaN or infinite. */
export function finite(value: number): number {
  return value - value === 0 ? value : Number.NaN;
}

/** An operation on one number. `compute` must give NaN for NaN. */
export function unary(weight: number, compute: (a: number) => number): Pointwise {
  return {
    arity: 1,
    weight,
    scalar: (a) => finite(compute(a)),
    column(out, a) {
      for (let i = 0; i < out.length; i++) out[i] = finite(compute(a[i]));
    },
  };
}

/** An operation on two numbers. `compute` must say itself what a null operand means. */
export function binary(weight: number, compute: (a: number, b: number) => number): Pointwise {
  return {
    arity: 2,
    weight,
    scalar: (a, b) => finite(compute(a, b)),
    column(out, a, b) {
      for (let i = 0; i < out.length; i++) out[i] = finite(compute(a[i], b[i]));
    },
  };
}

/** An operation on three numbers. `compute` must say itself what a null operand means. */
export function ternary(weight: number, compute: (a: number, b: number, c: number) => number): Pointwise {
  return {
    arity: 3,
    weight,
    scalar: (a, b, c) => finite(compute(a, b, c)),
    column(out, a, b, c) {
      for (let i = 0; i < out.length; i++) out[i] = finite(compute(a[i], b[i], c[i]));
    },
  };
}

/** Arithmetic with loops of its own: a call for each bucket, which the others can afford, would cost it thrice its time. */
function arithmetic(compute: Pointwise['scalar'], column: Pointwise['column']): Pointwise {
  return { arity: 2, weight: 1, scalar: (a, b, c) => finite(compute(a, b, c)), column };
}

/** `a + b`. */
export const add = arithmetic(
  (a, b) => a + b,
  (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] + b[i]);
  },
);

/** `a - b`. */
export const subtract = arithmetic(
  (a, b) => a - b,
  (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] - b[i]);
  },
);

/** `a * b`. */
export const multiply = arithmetic(
  (a, b) => a * b,
  (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] * b[i]);
  },
);

/** `a / b`; null where b is 0. */
export const divide = arithmetic(
  (a, b) => a / b,
  (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] / b[i]);
  },
);
