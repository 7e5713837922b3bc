/**
 * The frequent operations on one bucket at a time, each with a loop of its own, so that its computation is compiled into
 * the loop: nothing is called and nothing is allocated for a bucket.
 */
import { finite, type Pointwise } from './kernel.ts';
import * as scalar from './scalar.ts';

/** `a + b`. */
export const add: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => finite(a + b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] + b[i]);
  },
};

/** `a - b`. */
export const subtract: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => finite(a - b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] - b[i]);
  },
};

/** `a * b`. */
export const multiply: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => finite(a * b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] * b[i]);
  },
};

/** `a / b`; null where b is 0. */
export const divide: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => finite(a / b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(a[i] / b[i]);
  },
};

/** `a % b`. */
export const modulo: Pointwise = {
  arity: 2,
  weight: 10,
  scalar: (a, b) => finite(scalar.modulo(a, b)),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(scalar.modulo(a[i], b[i]));
  },
};

/** `a ** b`. */
export const power: Pointwise = {
  arity: 2,
  weight: 12,
  scalar: (a, b) => finite(scalar.power(a, b)),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(scalar.power(a[i], b[i]));
  },
};

/** `-a`. */
export const negate: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => -a,
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = -a[i];
  },
};

/** `!a`. */
export const not: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => scalar.not(a),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.not(a[i]);
  },
};

/** `a == b`. */
export const equal: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.equal(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.equal(a[i], b[i]);
  },
};

/** `a != b`. */
export const unequal: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.unequal(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.unequal(a[i], b[i]);
  },
};

/** `a < b`. */
export const less: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.less(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.less(a[i], b[i]);
  },
};

/** `a <= b`. */
export const lessOrEqual: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.lessOrEqual(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.lessOrEqual(a[i], b[i]);
  },
};

/** `a > b`. */
export const greater: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.greater(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.greater(a[i], b[i]);
  },
};

/** `a >= b`. */
export const greaterOrEqual: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.greaterOrEqual(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.greaterOrEqual(a[i], b[i]);
  },
};

/** `a && b`. */
export const and: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.and(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.and(a[i], b[i]);
  },
};

/** `a || b`. */
export const or: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.or(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.or(a[i], b[i]);
  },
};

/** `a ? b : c`. */
export const choose: Pointwise = {
  arity: 3,
  weight: 2,
  scalar: (a, b, c) => scalar.choose(a, b, c),
  column(out, a, b, c) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.choose(a[i], b[i], c[i]);
  },
};

/** 1 where a is null, else 0. */
export const isNull: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => scalar.isNull(a),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.isNull(a[i]);
  },
};

/** a, or b where a is null. */
export const coalesce: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => scalar.coalesce(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.coalesce(a[i], b[i]);
  },
};

/** The lesser of two. */
export const least: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => Math.min(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = Math.min(a[i], b[i]);
  },
};

/** The greater of two. */
export const greatest: Pointwise = {
  arity: 2,
  weight: 2,
  scalar: (a, b) => Math.max(a, b),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = Math.max(a[i], b[i]);
  },
};

/** a without its sign. */
export const absolute: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => Math.abs(a),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = Math.abs(a[i]);
  },
};

/** The next whole number down. */
export const floor: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => Math.floor(a),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = Math.floor(a[i]);
  },
};

/** The next whole number up. */
export const ceil: Pointwise = {
  arity: 1,
  weight: 1,
  scalar: (a) => Math.ceil(a),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = Math.ceil(a[i]);
  },
};

/** a rounded to b digits. */
export const round: Pointwise = {
  arity: 2,
  weight: 15,
  scalar: (a, b) => finite(scalar.round(a, b)),
  column(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = finite(scalar.round(a[i], b[i]));
  },
};

/** The square root. */
export const squareRoot: Pointwise = {
  arity: 1,
  weight: 3,
  scalar: (a) => finite(Math.sqrt(a)),
  column(out, a) {
    for (let i = 0; i < out.length; i++) out[i] = finite(Math.sqrt(a[i]));
  },
};

/** a within b and c. */
export const clamp: Pointwise = {
  arity: 3,
  weight: 3,
  scalar: (a, b, c) => scalar.clamp(a, b, c),
  column(out, a, b, c) {
    for (let i = 0; i < out.length; i++) out[i] = scalar.clamp(a[i], b[i], c[i]);
  },
};
