/**
 * The loops over columns for operations that look at one bucket at a time. NaN is null in operands and
 * results; every result passes {@link finite}, so an overflow or 0/0 becomes null at once (F2).
 */

/** What a step of a formula yields: the same number in every bucket, or one for each. NaN is null. */
export type Value = number | Float64Array;

/** Computes columns as long as `out`, which may be one of the operands. Operands beyond the arity are to be ignored. */
export type Loop = (out: Float64Array, a: Float64Array, b: Float64Array, c: Float64Array) => void;

/** An operation on one bucket at a time. */
export interface Pointwise {
  arity: 1 | 2 | 3;
  /** Work for one bucket, in about nanoseconds; an addition is 2. */
  weight: number;
  column: Loop;
}

/** A number as it is, or NaN where it is NaN or infinite. */
export function finite(value: number): number {
  return value - value === 0 ? value : Number.NaN;
}

/** An operation with a loop of its own. */
export function pointwise(arity: Pointwise['arity'], weight: number, column: Loop): Pointwise {
  return { arity, weight, column };
}

/**
 * Any function as an operation. Called for each bucket through a variable, it costs about 10 ns more than its own work:
 * good enough for what is slow or rare. What is fast and frequent has a loop of its own in operation.ts.
 */
export function unary(weight: number, compute: (a: number) => number): Pointwise {
  return pointwise(1, weight, (out, a) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(compute(a[i]));
  });
}

/** As {@link unary}, of two numbers. `compute` must say itself what a null operand means. */
export function binary(weight: number, compute: (a: number, b: number) => number): Pointwise {
  return pointwise(2, weight, (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = finite(compute(a[i], b[i]));
  });
}

/** An operation on single numbers. */
export function compute({ column }: Pointwise, operands: readonly number[]): number {
  const [a, b = a, c = a] = operands.map((operand) => Float64Array.of(operand));
  const out = new Float64Array(1);
  column(out, a, b, c);
  return out[0];
}
