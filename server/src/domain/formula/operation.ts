/**
 * The frequent operations on one bucket at a time, each with a loop of its own, so that its computation is compiled into
 * the loop: nothing is called and nothing is allocated for a bucket.
 */
import { finite, pointwise } from './kernel.ts';
import * as scalar from './scalar.ts';

/** `a + b`. */
export const add = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(a[i] + b[i]);
});

/** `a - b`. */
export const subtract = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(a[i] - b[i]);
});

/** `a * b`. */
export const multiply = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(a[i] * b[i]);
});

/** `a / b`; null where b is 0. */
export const divide = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(a[i] / b[i]);
});

/** `a % b`. */
export const modulo = pointwise(2, 10, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(scalar.modulo(a[i], b[i]));
});

/** `a ** b`. */
export const power = pointwise(2, 12, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(scalar.power(a[i], b[i]));
});

/** `-a`. */
export const negate = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = -a[i];
});

/** `!a`. */
export const not = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.not(a[i]);
});

/** `a == b`. */
export const equal = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.equal(a[i], b[i]);
});

/** `a != b`. */
export const unequal = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.unequal(a[i], b[i]);
});

/** `a < b`. */
export const less = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.less(a[i], b[i]);
});

/** `a <= b`. */
export const lessOrEqual = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.lessOrEqual(a[i], b[i]);
});

/** `a > b`. */
export const greater = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.greater(a[i], b[i]);
});

/** `a >= b`. */
export const greaterOrEqual = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.greaterOrEqual(a[i], b[i]);
});

/** `a && b`. */
export const and = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.and(a[i], b[i]);
});

/** `a || b`. */
export const or = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.or(a[i], b[i]);
});

/** `a ? b : c`. */
export const choose = pointwise(3, 2, (out, a, b, c) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.choose(a[i], b[i], c[i]);
});

/** 1 where a is null, else 0. */
export const isNull = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.isNull(a[i]);
});

/** a, or b where a is null. */
export const coalesce = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.coalesce(a[i], b[i]);
});

/** The smaller of two. */
export const smaller = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.min(a[i], b[i]);
});

/** The larger of two. */
export const larger = pointwise(2, 2, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.max(a[i], b[i]);
});

/** a without its sign. */
export const absolute = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.abs(a[i]);
});

/** The next whole number down. */
export const floor = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.floor(a[i]);
});

/** The next whole number up. */
export const ceil = pointwise(1, 1, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = Math.ceil(a[i]);
});

/** a rounded to b digits. */
export const round = pointwise(2, 15, (out, a, b) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(scalar.round(a[i], b[i]));
});

/** The square root. */
export const squareRoot = pointwise(1, 3, (out, a) => {
  for (let i = 0; i < out.length; i++) out[i] = finite(Math.sqrt(a[i]));
});

/** a within b and c. */
export const clamp = pointwise(3, 3, (out, a, b, c) => {
  for (let i = 0; i < out.length; i++) out[i] = scalar.clamp(a[i], b[i], c[i]);
});
