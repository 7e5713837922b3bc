/**
 * Formulas reckoned the slow way: one bucket at a time, by recursion, straight from query.md F. Shares nothing with the
 * product but the tree. null is null here.
 */
import type { Expression } from '#domain/formula/expression';

/** The buckets, and the columns of the aliases (NaN for null). */
export interface Reckoning {
  columns: ReadonlyMap<string, Float64Array>;
  edgesUs: Float64Array;
  first: number;
  count: number;
}

type Cell = number | null;

/** The values of the window's buckets, NaN for null. */
export function reckon(expression: Expression, setting: Reckoning): number[] {
  return Array.from(
    { length: setting.count },
    (_, i) => (at(expression, setting.first + i, setting) ?? Number.NaN) + 0,
  );
}

function at(expression: Expression, i: number, setting: Reckoning): Cell {
  return checked(bare(expression, i, setting));
}

/** A result that is NaN or infinite is null (F2). */
function checked(value: Cell): Cell {
  return value === null || !Number.isFinite(value) ? null : value;
}

function bare(expression: Expression, i: number, setting: Reckoning): Cell {
  const get = (child: Expression) => at(child, i, setting);
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'name':
      return named(expression.name, i, setting);
    case 'unary': {
      const value = get(expression.operand);
      if (value === null || expression.operator === '+') return value;
      return expression.operator === '-' ? -value : Number(value === 0);
    }
    case 'power':
      return strict((x, y) => x ** y, get(expression.base), get(expression.exponent));
    case 'choice':
      return chosen(
        get(expression.condition),
        () => get(expression.yes),
        () => get(expression.no),
      );
    case 'chain':
      return expression.rest.reduce<Cell>(
        (left, { operator, operand }) => checked(combined(operator, left, get(operand))),
        get(expression.first),
      );
    case 'call':
      return called(expression.name, expression.args, i, setting);
  }
}

function named(name: string, i: number, { columns, edgesUs }: Reckoning): Cell {
  if (name === 'PI') return Math.PI;
  if (name === 'E') return Math.E;
  if (name === 'null') return null;
  if (name === 'time_seconds') return edgesUs[i] / 1e6;
  if (name === 'bucket_seconds') return (edgesUs[i + 1] - edgesUs[i]) / 1e6;
  const value = columns.get(name)?.[i];
  return value === undefined || Number.isNaN(value) ? null : value;
}

function strict(compute: (...values: number[]) => number, ...values: Cell[]): Cell {
  return values.includes(null) ? null : compute(...(values as number[]));
}

function chosen(condition: Cell, yes: () => Cell, no: () => Cell): Cell {
  if (condition === null) return null;
  return condition !== 0 ? yes() : no();
}

const floored = (x: number, y: number) => {
  const rest = x % y;
  return rest !== 0 && Math.sign(rest) !== Math.sign(y) ? rest + y : rest;
};

const operators: Record<string, (x: number, y: number) => number> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => x / y,
  '%': floored,
  '==': (x, y) => Number(x === y),
  '!=': (x, y) => Number(x !== y),
  '<': (x, y) => Number(x < y),
  '<=': (x, y) => Number(x <= y),
  '>': (x, y) => Number(x > y),
  '>=': (x, y) => Number(x >= y),
};

function combined(operator: string, x: Cell, y: Cell): Cell {
  if (operator === '&&' || operator === '||') {
    const decisive = operator === '||';
    const truths = [x, y].map((value) => (value === null ? null : value !== 0));
    if (truths.includes(decisive)) return Number(decisive);
    return truths.includes(null) ? null : Number(!decisive);
  }
  return strict(operators[operator], x, y);
}

const functions: Record<string, (...values: number[]) => number> = {
  abs: Math.abs,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  trunc: Math.trunc,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  sin: Math.sin,
  deg: (x) => x * (180 / Math.PI),
  pow: (x, y) => x ** y,
  mod: floored,
  atan2: (y, x) => Math.atan2(y + 0, x + 0),
  min: Math.min,
  max: Math.max,
  hypot: Math.hypot,
  clamp: (x, low, high) => (low > high ? Number.NaN : Math.min(Math.max(x, low), high)),
  log: (x, base = 10) => logarithm(x, base),
};

function logarithm(x: number, base: number): number {
  if (!(x > 0) || !(base > 0) || base === 1) return Number.NaN;
  if (base === 10) return Math.log10(x);
  if (base === 2) return Math.log2(x);
  const quotient = Math.log(x) / Math.log(base);
  return base ** Math.round(quotient) === x ? Math.round(quotient) : quotient;
}

function called(name: string, args: readonly Expression[], i: number, setting: Reckoning): Cell {
  const get = (index: number) => at(args[index], i, setting);
  switch (name) {
    case 'if':
      return chosen(
        get(0),
        () => get(1),
        () => get(2),
      );
    case 'isnull':
      return Number(get(0) === null);
    case 'coalesce':
      return args.reduce<Cell>((found, argument) => found ?? at(argument, i, setting), null);
    case 'sum':
    case 'avg': {
      const sum = args.reduce<Cell>(
        (left, argument) => checked(strict((x, y) => x + y, left, at(argument, i, setting))),
        0,
      );
      return name === 'sum' || sum === null ? sum : sum / args.length;
    }
    default:
      return name in functions
        ? strict(functions[name], ...args.map((_, index) => get(index)))
        : around(name, args, i, setting);
  }
}

/** Functions of other buckets (F4). */
function around(name: string, args: readonly Expression[], i: number, setting: Reckoning): Cell {
  const { edgesUs, first, count } = setting;
  const x = (index: number) => at(args[0], index, setting);
  const n = args[1]?.kind === 'number' ? args[1].value : 1;
  const change = () => checked(strict((now, then) => now - then, x(i), x(i - 1)));
  switch (name) {
    case 'lag':
      return x(i - n);
    case 'lead':
      return x(i + n);
    case 'delta':
      return change();
    case 'rate':
      return strict((now, then) => (now - then) / ((edgesUs[i] - edgesUs[i - 1]) / 1e6), x(i), x(i - 1));
    case 'cumsum':
      return i < first || x(i) === null ? null : total(present(first, i, x));
    case 'interpolate':
      return i < first || i >= first + count ? x(i) : onLine(i, x, setting);
    default:
      return moving(name, present(i - n + 1, i, x), i, n, setting, x);
  }
}

function present(from: number, to: number, x: (index: number) => Cell): number[] {
  const found: number[] = [];
  for (let index = from; index <= to; index++) {
    const value = x(index);
    if (value !== null) found.push(value);
  }
  return found;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function onLine(i: number, x: (index: number) => Cell, { edgesUs, first, count }: Reckoning): Cell {
  let left = i;
  while (left >= first && x(left) === null) left--;
  let right = i;
  while (right < first + count && x(right) === null) right++;
  if (left < first || right >= first + count) return null;
  const [from, to] = [x(left) ?? 0, x(right) ?? 0];
  if (left === i) return from;
  return from + (to - from) * ((edgesUs[i] - edgesUs[left]) / (edgesUs[right] - edgesUs[left]));
}

/** A sum of doubles depends on its order; the product adds towards the border of two blocks of n, and so does this. */
function moving(
  name: string,
  run: readonly number[],
  i: number,
  n: number,
  { first }: Reckoning,
  x: (index: number) => Cell,
): Cell {
  if (run.length === 0) return null;
  if (name === 'movmin') return Math.min(...run);
  if (name === 'movmax') return Math.max(...run);
  const border = i - ((((i - first) % n) + n) % n);
  const tail = present(i - n + 1, border - 1, x);
  const head = present(border, i, x);
  const tailSum = tail.reduceRight<number | null>((sum, value) => (sum === null ? value : value + sum), null);
  const headSum = head.reduce<number | null>((sum, value) => (sum === null ? value : sum + value), null);
  const sum = tailSum === null ? headSum : headSum === null ? tailSum : tailSum + headSum;
  return sum === null ? null : name === 'movsum' ? sum : sum / run.length;
}
