/**
 * Every function, operator, constant and variable of formulas, as data. The checker, the evaluation, the suggestions in
 * error messages and spec/formula.md all come from here; a test runs every example. Long because it is a table: one entry
 * for each function, read in order.
 */
import type { ChainOperator, UnaryOperator } from './expression.ts';
import type { Pointwise } from './kernel.ts';
import { binary, unary } from './kernel.ts';
import * as operation from './operation.ts';
import * as scalar from './scalar.ts';
import type { SeriesKernel } from './series.ts';
import * as series from './series.ts';

/** One parameter of a function. */
export interface Parameter {
  name: string;
  /**
   * `value`: any expression. `signal`: the alias of an item or group. `whole`: a whole number that is written out,
   * from `min` to `max` (`offset`: to limits.offsetBucketsMax).
   */
  kind: 'value' | 'signal' | 'whole';
  min?: number;
  max?: number | 'offset';
  /** What is meant when the argument is left out; the argument is required where there is no default. */
  default?: number;
}

/** How a function becomes steps. `fold`: from left to right, two at a time; `mean`: then divided by the number of arguments. */
export type Behaviour =
  | { as: 'each'; operation: Pointwise }
  | { as: 'fold'; operation: Pointwise; mean: boolean }
  | { as: 'series'; operation: Series };

/** A function that looks at other buckets. */
export interface Series {
  weight: number;
  kernel: SeriesKernel;
  /** Buckets looked at outside, for the literal argument n; `gap`: as many as the item's gapDetection spans. */
  back: (n: number) => number;
  ahead: (n: number) => number;
  gap: boolean;
  /** Whether a bucket may depend on every other one of the window: then the window cannot be computed in pieces. */
  whole: boolean;
}

/** An example that a test runs: over buckets of one minute from the epoch on, `given` is the column of `a`. */
export interface Example {
  formula: string;
  /** Values in compact form, `_` for null; absent: the formula has constants only. */
  given?: string;
  gives: string;
}

/** One function of the language. */
export interface FunctionEntry {
  name: string;
  family: 'numbers' | 'angles' | 'nulls' | 'series';
  parameters: readonly Parameter[];
  /** Whether the last parameter may occur again and again. */
  variadic: boolean;
  meaning: string;
  examples: readonly Example[];
  behaviour: Behaviour;
}

const x: Parameter = { name: 'x', kind: 'value' };
const a: Parameter = { name: 'a', kind: 'value' };
const last: Parameter = { name: 'n', kind: 'whole', min: 1, max: 'offset' };
const shift: Parameter = { name: 'n', kind: 'whole', min: 0, max: 'offset', default: 1 };

function value(name: string): Parameter {
  return { name, kind: 'value' };
}

/** Reads `formula → result` and `formula | values of a → values of the result`. */
function example(text: string): Example {
  const [left, gives] = text.split(' → ');
  const [formula, given] = left.split(' | ');
  return given === undefined ? { formula, gives } : { formula, given, gives };
}

/** An entry without its family. */
type Entry = Omit<FunctionEntry, 'family'>;

function inFamily(family: FunctionEntry['family'], ...entries: Entry[]): FunctionEntry[] {
  return entries.map((entry) => ({ ...entry, family }));
}

/** What each kind of entry takes: name, parameters, what it computes, what that means, examples. */
type Kind<Operation> = (
  name: string,
  parameters: readonly Parameter[],
  operation: Operation,
  meaning: string,
  ...examples: string[]
) => Entry;

function kind<Operation>(behaviourOf: (operation: Operation) => Behaviour): Kind<Operation> {
  return (name, parameters, operation, meaning, ...examples) => {
    const behaviour = behaviourOf(operation);
    const variadic = behaviour.as === 'fold';
    return { name, parameters, variadic, meaning, examples: examples.map(example), behaviour };
  };
}

const each = kind<Pointwise>((operation) => ({ as: 'each', operation }));
const fold = kind<Pointwise>((operation) => ({ as: 'fold', operation, mean: false }));
const mean = kind<Pointwise>((operation) => ({ as: 'fold', operation, mean: true }));
const looking = kind<Series>((operation) => ({ as: 'series', operation }));

const none = () => 0;

function back(weight: number, kernel: SeriesKernel, buckets: (n: number) => number): Series {
  return { weight, kernel, back: buckets, ahead: none, gap: false, whole: false };
}

/** The table, in the order of the reference. */
export const functionTable: readonly FunctionEntry[] = [
  ...inFamily(
    'numbers',
    each('abs', [x], operation.absolute, 'x without its sign.', 'abs(-3) → 3'),
    each(
      'sign',
      [x],
      unary(3, Math.sign),
      '-1, 0 or 1, as x is negative, zero or positive.',
      'sign(-3) → -1',
    ),
    each('floor', [x], operation.floor, 'The next whole number down.', 'floor(-2.5) → -3'),
    each('ceil', [x], operation.ceil, 'The next whole number up.', 'ceil(2.1) → 3'),
    each(
      'round',
      [x, { name: 'digits', kind: 'whole', min: -15, max: 15, default: 0 }],
      operation.round,
      'x rounded to so many decimals, halves away from zero. Negative digits round to tens, hundreds, and so on.',
      'round(2.5) → 3',
      'round(-2.5) → -3',
      'round(2.345, 2) → 2.35',
      'round(1234, -2) → 1200',
    ),
    each('trunc', [x], unary(15, Math.trunc), 'x without its decimals.', 'trunc(-2.7) → -2'),
    each('sqrt', [x], operation.squareRoot, 'Square root; null below 0.', 'sqrt(9) → 3', 'sqrt(-1) → _'),
    each('cbrt', [x], unary(20, Math.cbrt), 'Cube root.', 'cbrt(-27) → -3'),
    each('exp', [x], unary(20, Math.exp), 'E to the power of x.', 'exp(0) → 1', 'exp(1000) → _'),
    each('ln', [x], unary(20, Math.log), 'Natural logarithm; null unless x > 0.', 'ln(E) → 1', 'ln(0) → _'),
    each(
      'log',
      [x, { name: 'base', kind: 'value', default: 10 }],
      binary(30, scalar.logarithm),
      'Logarithm to the base, 10 when it is left out; null unless x > 0, base > 0 and base is not 1.',
      'log(1000) → 3',
      'log(125, 5) → 3',
    ),
    each('log2', [x], unary(20, Math.log2), 'Logarithm to base 2; null unless x > 0.', 'log2(8) → 3'),
    each('log10', [x], unary(20, Math.log10), 'Logarithm to base 10; null unless x > 0.', 'log10(0.01) → -2'),
    each(
      'pow',
      [x, value('y')],
      operation.power,
      'x to the power of y, the same as `x ** y`.',
      'pow(2, 10) → 1024',
      'pow(-8, 1/3) → _',
    ),
    each(
      'mod',
      [x, value('y')],
      operation.modulo,
      'The remainder of x / y, with the sign of y: the same as `x % y`. Null where y is 0.',
      'mod(7, 3) → 1',
      'mod(-7, 3) → 2',
      'mod(7, -3) → -2',
    ),
    fold('min', [a], operation.smaller, 'The smallest argument.', 'min(3, 1, 2) → 1', 'min(3, null) → _'),
    fold('max', [a], operation.larger, 'The largest argument.', 'max(3, 1, 2) → 3'),
    fold('sum', [a], operation.add, 'All arguments added.', 'sum(1, 2, 3) → 6', 'sum(1, null) → _'),
    mean('avg', [a], operation.add, 'The mean of the arguments.', 'avg(1, 2, 6) → 3'),
    each(
      'clamp',
      [x, value('low'), value('high')],
      operation.clamp,
      'x, but at least low and at most high; null where low is greater than high.',
      'clamp(12, 0, 10) → 10',
      'clamp(-1, 0, 10) → 0',
      'clamp(5, 10, 0) → _',
    ),
    fold(
      'hypot',
      [x, value('y')],
      binary(30, Math.hypot),
      'The square root of the sum of squares.',
      'hypot(3, 4) → 5',
      'hypot(2, 3, 6) → 7',
    ),
  ),
  ...inFamily(
    'angles',
    each('sin', [x], unary(30, Math.sin), 'Sine of x radians.', 'sin(PI / 2) → 1'),
    each('cos', [x], unary(30, Math.cos), 'Cosine of x radians.', 'cos(PI) → -1'),
    each('tan', [x], unary(30, Math.tan), 'Tangent of x radians.', 'round(tan(PI / 4), 9) → 1'),
    each('asin', [x], unary(20, Math.asin), 'Arc sine in radians; null outside -1 to 1.', 'asin(0) → 0'),
    each(
      'acos',
      [x],
      unary(20, Math.acos),
      'Arc cosine in radians; null outside -1 to 1.',
      'acos(1) → 0',
      'acos(2) → _',
    ),
    each('atan', [x], unary(20, Math.atan), 'Arc tangent in radians.', 'deg(atan(1)) → 45'),
    each(
      'atan2',
      [value('y'), x],
      binary(30, scalar.angle),
      'The angle of the point (x, y) in radians, above -PI up to PI.',
      'deg(atan2(1, -1)) → 135',
    ),
    each('sinh', [x], unary(30, Math.sinh), 'Hyperbolic sine.', 'sinh(0) → 0'),
    each('cosh', [x], unary(30, Math.cosh), 'Hyperbolic cosine.', 'cosh(0) → 1'),
    each('tanh', [x], unary(20, Math.tanh), 'Hyperbolic tangent.', 'tanh(0) → 0'),
    each(
      'deg',
      [x],
      unary(12, (angle) => angle * (180 / Math.PI)),
      'Radians to degrees.',
      'deg(PI) → 180',
    ),
    each(
      'rad',
      [x],
      unary(12, (angle) => angle * (Math.PI / 180)),
      'Degrees to radians.',
      'rad(180) == PI → 1',
    ),
  ),
  ...inFamily(
    'nulls',
    each(
      'if',
      [value('condition'), value('yes'), value('no')],
      operation.choose,
      'yes where the condition is true (not 0), no where it is 0, null where it is null; the same as `condition ? yes : no`. Whether the other one is null does not matter.',
      'if(2 > 1, 10, 20) → 10',
      'if(a > 0, a, null) | 5 -5 _ → 5 _ _',
    ),
    each('isnull', [x], operation.isNull, '1 where x is null, else 0.', 'isnull(a) | 5 _ → 0 1'),
    fold(
      'coalesce',
      [a],
      operation.coalesce,
      'The first argument that is not null.',
      'coalesce(a, 0) | 5 _ → 5 0',
      'coalesce(null, null) → _',
    ),
  ),
  ...inFamily(
    'series',
    looking(
      'gapfill',
      [{ name: 'x', kind: 'signal' }],
      { weight: 3, kernel: series.fillGaps, back: none, ahead: none, gap: true, whole: true },
      'Empty buckets get the last value before them. How long it is carried: at most the gapDetection of the item, measured from start of bucket to start of bucket; without gapDetection as long as needed. Values up to 1,000 buckets before the window are seen.',
      'gapfill(a) | 5 _ _ 2 → 5 5 5 2',
    ),
    looking(
      'interpolate',
      [x],
      { weight: 5, kernel: series.interpolate, back: none, ahead: none, gap: false, whole: true },
      'Empty buckets get the value that a straight line between their nearest neighbours has at the start of the bucket. Neighbours are looked for in the window; before the first and after the last value nothing is filled.',
      'interpolate(a) | _ 1 _ _ 4 _ → _ 1 2 3 4 _',
    ),
    looking(
      'lag',
      [x, shift],
      back(1, series.lag, (n) => n),
      'The value n buckets earlier.',
      'lag(a) | 1 2 _ 4 → _ 1 2 _',
      'lag(a, 2) | 1 2 _ 4 → _ _ 1 2',
    ),
    looking(
      'lead',
      [x, shift],
      { weight: 1, kernel: series.lead, back: none, ahead: (n) => n, gap: false, whole: false },
      'The value n buckets later.',
      'lead(a) | 1 2 _ 4 → 2 _ 4 _',
    ),
    looking(
      'delta',
      [x],
      back(1, series.delta, () => 1),
      'x less its value one bucket earlier; null when either is.',
      'delta(a) | 1 4 _ 4 6 → _ 3 _ _ 2',
    ),
    looking(
      'rate',
      [x],
      back(3, series.rate, () => 1),
      'delta(x) by the seconds between the starts of the two buckets: change per second.',
      'rate(a) | 0 120 60 → _ 2 -1',
    ),
    looking(
      'cumsum',
      [x],
      { weight: 3, kernel: series.cumulate, back: none, ahead: none, gap: false, whole: true },
      'The sum of x since the start of the window. Null where x is null, but the sum goes on after that.',
      'cumsum(a) | 1 2 _ 4 → 1 3 _ 7',
    ),
    looking(
      'movavg',
      [x, last],
      back(15, series.moveAverage, (n) => n - 1),
      'The mean of the last n buckets, this one included; nulls are skipped.',
      'movavg(a, 2) | 1 3 _ 5 → 1 2 3 5',
    ),
    looking(
      'movmin',
      [x, last],
      back(12, series.moveMin, (n) => n - 1),
      'The smallest value of the last n buckets, this one included; nulls are skipped.',
      'movmin(a, 2) | 1 3 _ _ → 1 1 3 _',
    ),
    looking(
      'movmax',
      [x, last],
      back(12, series.moveMax, (n) => n - 1),
      'The largest value of the last n buckets, this one included; nulls are skipped.',
      'movmax(a, 2) | 1 3 _ 2 → 1 3 3 2',
    ),
    looking(
      'movsum',
      [x, last],
      back(12, series.moveSum, (n) => n - 1),
      'The sum of the last n buckets, this one included; nulls are skipped.',
      'movsum(a, 3) | 1 2 4 8 → 1 3 7 14',
    ),
  ),
];

/** The functions by name. */
export const functionsByName: ReadonlyMap<string, FunctionEntry> = new Map(
  functionTable.map((entry) => [entry.name, entry]),
);

/** A name with a predefined value. */
export interface NamedValue {
  name: string;
  meaning: string;
  /** The value of a constant; null for a variable, which has one value for each bucket. */
  value: number | null;
}

/** Constants and variables (F1). `null` is NaN, as everywhere in columns. */
export const namedValues: readonly NamedValue[] = [
  { name: 'PI', meaning: 'The ratio of a circle to its diameter, 3.141592653589793.', value: Math.PI },
  { name: 'E', meaning: 'The base of natural logarithms, 2.718281828459045.', value: Math.E },
  { name: 'null', meaning: 'No value.', value: Number.NaN },
  {
    name: 'time_seconds',
    meaning: 'The start of the bucket, seconds since 1970-01-01T00:00:00Z.',
    value: null,
  },
  {
    name: 'bucket_seconds',
    meaning:
      'The true length of the bucket: a day may have 82,800 or 90,000. With `window`, the length of the window.',
    value: null,
  },
];

/** {@link namedValues} by name. */
export const namedValuesByName: ReadonlyMap<string, NamedValue> = new Map(
  namedValues.map((entry) => [entry.name, entry]),
);

/** What the operators between operands compute. */
export const chainOperations: ReadonlyMap<ChainOperator, Pointwise> = new Map([
  ['||', operation.or],
  ['&&', operation.and],
  ['==', operation.equal],
  ['!=', operation.unequal],
  ['<', operation.less],
  ['<=', operation.lessOrEqual],
  ['>', operation.greater],
  ['>=', operation.greaterOrEqual],
  ['+', operation.add],
  ['-', operation.subtract],
  ['*', operation.multiply],
  ['/', operation.divide],
  ['%', operation.modulo],
]);

/** What the operators before an operand compute; `+` computes nothing. */
export const unaryOperations: ReadonlyMap<UnaryOperator, Pointwise | null> = new Map([
  ['-', operation.negate],
  ['!', operation.not],
  ['+', null],
]);
