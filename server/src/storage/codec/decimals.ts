/**
 * Doubles that were decimals with a few digits, as integers and a power of ten (after ALP: Afroozeh, Kuffo, Boncz 2023). Exact:
 * an integer divided by a power of ten up to 10^22 rounds to the double that the decimal names.
 */
import { Scratch } from './scratch.ts';

/** 10^0 … 10^18, each exact. */
const powers = Float64Array.from({ length: 19 }, (_, exponent) => 10 ** exponent);

/** Values looked at when the exponent is chosen. */
const sampleCount = 64;

/** Beyond it the distance of two integers would not be exact. */
const magnitudeMax = 2 ** 51 - 1;

/** Every 32-bit float is nearest to some decimal of nine digits; only shorter ones say what was meant. */
const narrowMagnitudeMax = 2 ** 20 - 1;

/** More exceptions than one in so many make decimals a bad choice. */
const exceptionsPer = 10;

/** Added to a double of at most 2^51, and subtracted again, it rounds to an integer; larger ones have no integer here. */
export const rounder = 1.5 * 2 ** 52;

const integerMemory = new Scratch();

/** Values as `integers / 10^exponent`; at `exceptions` (ascending) the integer is that of the value before. */
export interface Decimals {
  exponent: number;
  /** Valid until other values are written as decimals. */
  integers: Float64Array;
  exceptions: number[];
}

/**
 * Writes values as decimals, or null when too many of them have none that is short. `isNarrow`: a value is the 32-bit float that
 * is nearest to its decimal (21.299999237060547 is 21.3 as a sensor with such floats says it).
 */
export function toDecimals(values: Float64Array, isNarrow: boolean): Decimals | null {
  const exponent = chooseExponent(values, isNarrow);
  if (exponent === null) return null;
  const power = powers[exponent];
  const { length } = values;
  const exceptionsMax = Math.floor(length / exceptionsPer);
  const integers = integerMemory.take(length);
  const exceptions: number[] = [];
  let previous = 0;
  for (let i = 0; i < length; i++) {
    const integer = values[i] * power + rounder - rounder;
    if (isExact(values[i], integer, power, isNarrow)) previous = integer + 0;
    else if (exceptions.push(i) > exceptionsMax) return null;
    integers[i] = previous;
  }
  return { exponent, integers, exceptions };
}

/** 10^exponent, by which the integers are divided. */
export function powerOf(exponent: number): number {
  const power = powers[exponent];
  if (power === undefined) throw new Error(`unknown exponent ${exponent}`);
  return power;
}

/** The smallest exponent that suits all of a sample, or the one that suits most. */
function chooseExponent(values: Float64Array, isNarrow: boolean): number | null {
  const stride = Math.max(1, Math.floor(values.length / sampleCount));
  const sampled = Math.ceil(values.length / stride);
  let best: number | null = null;
  let bestHits = sampled * (1 - 2 / exceptionsPer);
  for (let exponent = 0; exponent < powers.length; exponent++) {
    const hits = countExact(values, stride, powers[exponent], isNarrow);
    if (hits === sampled) return exponent;
    if (hits <= bestHits) continue;
    best = exponent;
    bestHits = hits;
  }
  return best;
}

function countExact(values: Float64Array, stride: number, power: number, isNarrow: boolean): number {
  const { length } = values;
  let hits = 0;
  for (let i = 0; i < length; i += stride) {
    if (isExact(values[i], values[i] * power + rounder - rounder, power, isNarrow)) hits++;
  }
  return hits;
}

/** -0 has no integer. */
function isExact(value: number, integer: number, power: number, isNarrow: boolean): boolean {
  const decimal = isNarrow ? Math.fround(integer / power) : integer / power;
  const largest = isNarrow ? narrowMagnitudeMax : magnitudeMax;
  if (decimal !== value || !(Math.abs(integer) <= largest)) return false;
  return integer !== 0 || !Object.is(value, -0);
}
